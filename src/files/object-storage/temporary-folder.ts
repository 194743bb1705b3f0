/** A folder for files that are on their way elsewhere. */
import { lstat, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDiskFull, TableError } from "../../errors.js";
import { acquireLock, isDead } from "../lock.js";

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

/** Folders that were looked through for what killed processes left. */
const tidied = new Set<string>();

/** Makes a folder for temporary files, and removes those of this user's processes that were killed before they could. */
export async function makeTemporaryFolder(parent: string, name: "job" | "output" | "table"): Promise<string> {
  if (!tidied.has(parent)) {
    tidied.add(parent);
    for (const entry of await readdir(parent).catch(() => []))
      if (/^pearl-(job|output|table)-\w{6}$/.test(entry))
        await removeAbandoned(join(parent, entry)).catch(() => {});
  }
  const folder = await mkdtemp(join(parent, `pearl-${name}-`));
  // It ends with the folder.
  await acquireLock(folder);
  return folder;
}

async function removeAbandoned(folder: string): Promise<void> {
  const status = await lstat(folder);
  if (!status.isDirectory() || status.uid !== (process.getuid?.() ?? status.uid)) return;
  if (await isDead(join(folder, "lock"), "outlive")) await rm(folder, { recursive: true, force: true });
}

/** Lets `work` use a folder that is removed when it ends. */
export async function inTemporaryFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await makeTemporaryFolder(temporaryParent(), "output");
  try {
    // Apart from the lock, as an output may have its name.
    await mkdir(join(folder, "files"));
    return await work(join(folder, "files"));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
