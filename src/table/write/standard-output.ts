/** Standard output in place of a file: text as it is made, other formats through a temporary file. */
import { createReadStream } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { inTemporaryFolder, writeTemporary } from "../../files/object-storage/temporary-folder.js";

/** Standard output's name in place of a path. */
export const standardOutput = "-";

/** Returns early where the reader closes the pipe, as `head` does: it has what it wants. */
export async function writeToStandardOutput(
  parts: AsyncIterable<string | Buffer> | Iterable<string | Buffer>,
): Promise<void> {
  try {
    await pipeline(Readable.from(parts, { objectMode: false }), process.stdout, { end: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPIPE") throw error;
  }
}

/** Lets `write` make a file and copies it to standard output. @returns what `write` returns */
export const throughTemporaryFile = <Result>(write: (path: string) => Promise<Result>): Promise<Result> =>
  inTemporaryFolder(async (folder) => {
    const path = join(folder, "output");
    const result = await writeTemporary(() => write(path));
    await writeToStandardOutput(createReadStream(path));
    return result;
  });
