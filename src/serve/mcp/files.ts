/** What the tools work with: the files of one folder, and only new ones to write; and the form of their answers. */
import {
  constants,
  copyFile,
  link,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  realpath,
  rm,
  stat,
} from "node:fs/promises";
import { basename, dirname, join, resolve, sep } from "node:path";
import type { PhraseEncoder } from "../../encoder/phrase-encoder.js";
import { ArgumentError } from "../../errors.js";
import { tablePlace } from "../../files/place.js";
import type { DedupeTableOptions } from "../../group/tables/dedupe-table.js";
import { writeTrouble } from "../../table/trouble.js";
import { refuseOverwriting } from "../../table/write/output-names.js";

export interface ConfinedFiles {
  /** The real path of a file or folder. @throws ArgumentError if it is missing, outside the folder, or a pipe or device */
  existing(path: string): Promise<string>;
  /** The real path of a folder, all of whose files are regular ones inside the root. @throws ArgumentError */
  existingFolder(path: string): Promise<string>;
  /**
   * Lets `write` make new files of one folder in a temporary one; they appear when it has ended.
   * @returns what it returns
   * @throws ArgumentError, before and after the work, if one exists or would be outside the folder; what `write` throws
   */
  create<Result>(
    paths: readonly string[],
    write: (made: readonly string[]) => Promise<Result>,
  ): Promise<Result>;
}

/** @param root a folder; links that lead out of it are refused, too */
export async function confinedFiles(root: string): Promise<ConfinedFiles> {
  const base = await realpath(root);
  const existing = async (path: string): Promise<string> => {
    const { file, part } = tablePlace(path);
    const found = await realpath(resolve(base, file)).catch(() => undefined);
    if (found !== undefined && `${found}${sep}`.startsWith(base.endsWith(sep) ? base : base + sep)) {
      const entry = await stat(found);
      // A pipe without a writer would keep its reader, and a thread, for good.
      if (!entry.isFile() && !entry.isDirectory())
        throw new ArgumentError(`${path} is a pipe, socket or device: name a regular file.`);
      return found + part;
    }
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
    if (isThere) throw isTaken(path);
    return file;
  };
  const create: ConfinedFiles["create"] = async (paths, write) => {
    const files: string[] = [];
    for (const path of paths) files.push(await fresh(path));
    const folder = await mkdtemp(join(dirname(files[0]), ".pearl-")).catch((error: unknown) => {
      throw writeTrouble(error, paths[0]);
    });
    const placed: string[] = [];
    try {
      refuseOverwriting([], files);
      // Names may be equal in different folders.
      const made = files.map((file, index) => join(folder, String(index), basename(file)));
      for (const path of made) await mkdir(dirname(path));
      const result = await write(made);
      for (const [index, file] of files.entries()) {
        await place(made[index], file, paths[index]);
        placed.push(file);
      }
      return result;
    } catch (error) {
      for (const file of placed) await rm(file);
      if (error instanceof Error)
        error.message = error.message.replaceAll(`${folder}${sep}`, "").replace(/^\d+[/\\]/, "");
      throw error;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
  const existingFolder = async (path: string): Promise<string> => {
    const folder = await existing(path);
    for (const name of await readdir(folder, { recursive: true }).catch(() => []))
      await existing(join(folder, name));
    return folder;
  };
  return { existing, existingFolder, create };
}

const isTaken = (path: string): ArgumentError =>
  new ArgumentError(`${path} already exists. Name a new file.`);

/** Gives a file its name unless another has it. @throws ArgumentError */
async function place(made: string, file: string, path: string): Promise<void> {
  const refused = (error: NodeJS.ErrnoException): never => {
    throw error.code === "EEXIST" ? isTaken(path) : writeTrouble(error, path);
  };
  await link(made, file).catch((error: NodeJS.ErrnoException) =>
    // Some file systems have no links.
    error.code === "EEXIST" ? refused(error) : copyFile(made, file, constants.COPYFILE_EXCL).catch(refused),
  );
}

export interface ToolContext {
  readonly encoder: PhraseEncoder;
  readonly files: ConfinedFiles;
  /** Measures a join or a dedupe against known matches. @returns what an assistant is told */
  evaluate(
    tables: readonly [left: string, right?: string],
    options: EvaluateRequest,
  ): Promise<Record<string, unknown>>;
}

/** What is known, and how the tables are compared. */
export interface EvaluateRequest extends Pick<DedupeTableOptions, "on" | "ignore" | "precision" | "signal"> {
  readonly truthPath?: string;
  readonly truthColumn?: string;
  readonly truth: "complete" | "partial";
}

/** A tool's answer, as data and as the same in text for clients that read only that. */
export const answer = (found: Record<string, unknown>) => ({
  content: [{ type: "text" as const, text: JSON.stringify(found) }],
  structuredContent: found,
});

/** A row's filled cells, each cut to 200 characters. */
export const shortCells = (cells: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(cells)
      .filter(([, cell]) => cell !== "")
      .map(([name, cell]) => [name, cell.replace(/^(.{200}).+$/su, "$1…")]),
  );
