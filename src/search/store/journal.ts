/** The journal of a generation: a line for each change, after its checksum. It says which parts of the files are valid. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { checksum, type FileSum } from "../../files/checksums/checksum.js";
import { fingerprint } from "../../files/checksums/fingerprint.js";
import { damaged } from "./disk.js";

/** Size of the valid part of the files. */
export interface Extent {
  /** Rows in the files, deleted ones included. */
  readonly rows: number;
  /** Bytes of the cells of these rows. */
  readonly bytes: number;
  /** The number of the next row without a key of its own. */
  readonly next: number;
}

/** The graph of a generation: its file's name, and the sums of its files by their suffix. */
export interface GraphRecord {
  readonly name: string;
  readonly files: Readonly<Record<string, FileSum>>;
}

/** A change. */
export interface Commit extends Extent {
  readonly deleted?: readonly number[];
  /** Checksums of the added parts of `vectors`, `cells` and `places`. */
  readonly sums?: readonly string[];
  /** The graph from now on; null where there is none. */
  readonly graph?: GraphRecord | null;
}

export interface Journal {
  readonly commits: readonly Commit[];
  /** Length and checksum of these commits' lines. What follows was never acknowledged. */
  readonly sum: FileSum;
}

export function journalLine(commit: Commit): Buffer {
  const text = JSON.stringify(commit);
  return Buffer.from(`${fingerprint(text)} ${text}\n`);
}

const sumLength = 16;

/**
 * Reads the commits up to the first broken line, where a kill or a power cut interrupted the writer.
 * @param recorded what index.json says of the journal, which may have grown since
 * @throws VectorIndexError where complete lines follow a broken one, or the recorded part differs: that is damage, not
 *   an interruption
 */
export async function readJournal(folder: string, recorded: FileSum): Promise<Journal> {
  const path = join(folder, "journal");
  const bytes = await readFile(path);
  if (checksum(bytes.subarray(0, recorded[0])) !== recorded[1])
    throw damaged(path, "it is not the journal that index.json records");
  const commits: Commit[] = [];
  let end = 0;
  let broken: number | undefined;
  for (let start = 0, line = 1; ; line++) {
    const stop = bytes.indexOf(0x0a, start);
    if (stop < 0) break;
    const text = bytes.subarray(start + sumLength + 1, stop);
    const isWhole = bytes.toString("latin1", start, start + sumLength) === fingerprint(text);
    if (isWhole && broken !== undefined) throw damaged(`${path} line ${broken}`, "its checksum differs");
    start = stop + 1;
    if (isWhole) {
      commits.push(JSON.parse(text.toString("utf8")) as Commit);
      end = start;
    } else broken ??= line;
  }
  if (commits.length === 0) throw damaged(path, "it has no whole line");
  return { commits, sum: [end, checksum(bytes.subarray(0, end))] };
}
