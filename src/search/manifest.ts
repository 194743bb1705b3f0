/** `index.json`: what an index is, and which generation of its files counts. It changes by renaming, never in place. */
import { open, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { messageOf, VectorIndexError } from "../errors.js";
import type { IndexLayout, UnfinishedBuild } from "./index-types.js";

/** The content of index.json. */
export interface Manifest extends IndexLayout {
  readonly format: "pearl-index";
  readonly version: 1;
  /** The number of the folder that holds the files. */
  readonly generation: number;
  /** Rows when this was written; the journal knows better. */
  readonly rows: number;
  readonly unfinished?: UnfinishedBuild;
}

const manifestName = "index.json";

/** Folder of a generation's files. */
export function generationFolder(path: string, generation: number): string {
  return join(path, `generation-${generation}`);
}

/** True for the name of a generation's folder. */
export const isGenerationName = (name: string): boolean => /^generation-\d+$/.test(name);

/** Reads index.json; undefined where there is none. */
export async function findManifest(path: string): Promise<Manifest | undefined> {
  const text = await readFile(join(path, manifestName), "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    throw new VectorIndexError(`${path} cannot be read: ${messageOf(error)}`, { cause: error });
  });
  if (text === undefined) return undefined;
  try {
    const manifest = JSON.parse(text) as Manifest;
    if (manifest.format !== "pearl-index") throw new Error('its format is not "pearl-index"');
    if (manifest.version !== 1) throw new Error(`its version is ${manifest.version}, and this pearl reads 1`);
    return manifest;
  } catch (error) {
    throw new VectorIndexError(`${join(path, manifestName)}: ${messageOf(error)}.`, { cause: error });
  }
}

/** Writes index.json so that at every moment the old or the new one is there, whole. */
export async function writeManifest(path: string, manifest: Manifest): Promise<void> {
  const temporary = join(path, `${manifestName}.partial`);
  await writeSynced(temporary, `${JSON.stringify(manifest, null, 2)}\n`);
  await rename(temporary, join(path, manifestName));
  await syncFolder(path);
}

/** Writes a file; when it returns, the disk has the content. */
export async function writeSynced(path: string, content: string | Uint8Array): Promise<void> {
  const file = await open(path, "w");
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Makes the names in a folder last through a power cut, where the system can. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r").catch(() => undefined);
  await folder?.sync().catch(() => {});
  await folder?.close();
}
