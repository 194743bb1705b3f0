/** Where the workers of a queue find each other's parts. What lies elsewhere than in a folder would be another such place. */
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { ShardError } from "../../errors.js";
import { checkContent, readManifest } from "./part-file.js";

/** A place of parts, each with a name. */
export interface PartPlace {
  /** Whether the part is there, whole. */
  has(name: string): Promise<boolean>;
  /**
   * Lets `write` make the file of a part, which then appears under its name, whole: also where others write the same one,
   * and where this process is killed.
   */
  put(name: string, write: (path: string) => Promise<void>): Promise<void>;
  /** A file on this machine with the part. */
  get(name: string): Promise<string>;
  /** Removes all parts, and what killed writers left. */
  remove(): Promise<void>;
}

/** @param folder seen by all workers under this name; made when the first part is written */
export const placeOfParts = (folder: string): PartPlace => ({
  async has(name) {
    const path = join(folder, name);
    try {
      await checkContent(path, await readManifest(path));
      return true;
    } catch (error) {
      if (error instanceof ShardError) return false;
      throw error;
    }
  },
  async put(name, write) {
    await mkdir(folder, { recursive: true });
    const own = await mkdtemp(join(folder, "writing-"));
    try {
      await write(join(own, name));
      await rename(join(own, name), join(folder, name));
    } finally {
      await rm(own, { recursive: true, force: true });
    }
  },
  get: async (name) => join(folder, name),
  remove: () => rm(folder, { recursive: true, force: true }),
});
