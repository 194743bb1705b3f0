/** Where the workers of a queue find each other's parts: in a folder, or in object storage. */
import { mkdtemp, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { ShardError } from "../../errors.js";
import { isObjectAddress } from "../object-storage/address.js";
import { makeFolder, replaceFile } from "../whole-file.js";
import { checkContent, type PartManifest, readManifest } from "./part-file.js";

/** A place of parts, each with a name. */
export interface PartPlace {
  /** What the part belongs to; undefined where it is not there, whole. */
  find(name: string): Promise<PartManifest | undefined>;
  /**
   * Lets `write` make the file of a part, which then appears under its name, whole: also where others write the same one,
   * and where this process is killed.
   */
  put(name: string, write: (path: string) => Promise<void>): Promise<void>;
  /** The file with the part, or its address. */
  get(name: string): string;
  /** Removes all parts, and what killed writers left. */
  remove(): Promise<void>;
}

/** @param folder seen by all workers under this name, made when the first part is written; or an address in object storage */
export const placeOfParts = (folder: string): PartPlace =>
  isObjectAddress(folder) ? placeOfObjects(folder) : placeOfFiles(folder);

const placeOfFiles = (folder: string): PartPlace => ({
  find: (name) => wholePart(join(folder, name)),
  async put(name, write) {
    await makeFolder(folder);
    const own = await mkdtemp(join(folder, "writing-"));
    try {
      await write(join(own, name));
      await rename(join(own, name), join(folder, name));
    } finally {
      await rm(own, { recursive: true, force: true });
    }
  },
  get: (name) => join(folder, name),
  remove: () => rm(folder, { recursive: true, force: true }),
});

/** An object appears when all of it has arrived. */
const placeOfObjects = (folder: string): PartPlace => ({
  async find(name) {
    const { findObject } = await import("../object-storage/read.js");
    const address = `${folder}/${name}`;
    return (await findObject(address)) && wholePart(address);
  },
  put: (name, write) => replaceFile(`${folder}/${name}`, write),
  get: (name) => `${folder}/${name}`,
  async remove() {
    const { listObjects } = await import("../object-storage/folder.js");
    const { removeObject } = await import("../object-storage/write.js");
    for (const { name } of await listObjects(folder)) await removeObject(`${folder}/${name}`);
  },
});

async function wholePart(path: string): Promise<PartManifest | undefined> {
  try {
    const manifest = await readManifest(path);
    await checkContent(path, manifest);
    return manifest;
  } catch (error) {
    if (error instanceof ShardError) return undefined;
    throw error;
  }
}
