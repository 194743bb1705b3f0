/** A folder for files that are on their way elsewhere. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDiskFull, TableError } from "../../errors.js";

let chosen: string | undefined;

/** Where temporary files of this process go that no other option places; undefined: the system's folder. */
export function keepTemporaryFilesIn(folder: string | undefined): void {
  chosen = folder;
}

/** The folder of {@link keepTemporaryFilesIn}. */
export const temporaryParent = (): string => chosen ?? tmpdir();

/**
 * Runs `write`, which writes an output into a temporary folder before it is moved.
 * @throws TableError that names the folder of temporary files where its disk is full; what `write` throws
 */
export async function writeTemporary<Result>(write: () => Promise<Result>): Promise<Result> {
  const parent = temporaryParent();
  try {
    return await write();
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    throw new TableError(
      `${parent}: no space left on the disk that holds unfinished outputs. ` +
        "Free some, or choose another folder (TMPDIR, or --temp where the command has it).",
      { cause: error },
    );
  }
}

/** Lets `work` use a folder that is removed when it ends. */
export async function inTemporaryFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(temporaryParent(), "pearl-output-"));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
