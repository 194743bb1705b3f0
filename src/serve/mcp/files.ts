/** The files that an assistant may use: those of one folder, and only new ones to write. */
import { lstat, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve, sep } from "node:path";
import { ArgumentError } from "../../errors.js";

export interface ConfinedFiles {
  /** The real path of a file or folder. @throws ArgumentError if it is missing or outside the folder */
  existing(path: string): Promise<string>;
  /** The path of a file to write. @throws ArgumentError if it exists or would be outside the folder */
  fresh(path: string): Promise<string>;
}

/** @param root a folder; links that lead out of it are refused, too */
export async function confinedFiles(root: string): Promise<ConfinedFiles> {
  const base = await realpath(root);
  const existing = async (path: string): Promise<string> => {
    const found = await realpath(resolve(base, path)).catch(() => undefined);
    if (found !== undefined && `${found}${sep}`.startsWith(base.endsWith(sep) ? base : base + sep))
      return found;
    throw new ArgumentError(
      `${path}: there is no such file in ${base}. Name a file in that folder, or start pearl mcp with another --root.`,
    );
  };
  const fresh = async (path: string): Promise<string> => {
    const file = join(await existing(dirname(path)), basename(path));
    const isThere = await lstat(file).then(
      () => true,
      () => false,
    );
    if (isThere) throw new ArgumentError(`${path} already exists. Name a new file.`);
    return file;
  };
  return { existing, fresh };
}
