/** A folder for files that are on their way elsewhere. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

let chosen: string | undefined;

/** Where temporary files of this process go that no other option places; undefined: the system's folder. */
export function keepTemporaryFilesIn(folder: string | undefined): void {
  chosen = folder;
}

/** The folder of {@link keepTemporaryFilesIn}. */
export const temporaryParent = (): string => chosen ?? tmpdir();

/** Lets `work` use a folder that is removed when it ends. */
export async function inTemporaryFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(temporaryParent(), "pearl-output-"));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
