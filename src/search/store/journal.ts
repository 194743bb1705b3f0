/** The journal of an index: one line per change, with a checksum, on disk before the change is acknowledged. */
import { type FileHandle, open, readFile } from "node:fs/promises";
import { VectorIndexError } from "../../errors.js";
import { fingerprint } from "../../files/fingerprint.js";

/** What an index's files hold after a change. */
export interface Commit {
  /** Rows in the files, deleted ones included. */
  readonly rows: number;
  /** Bytes of the cells of these rows. */
  readonly bytes: number;
  /** The number that the next row without a key of its own gets. */
  readonly next: number;
  /** Rows deleted by this change. */
  readonly deleted?: readonly number[];
  /** Checksums of what this change added: vectors and cells. */
  readonly sums?: readonly [vectors: string, cells: string];
}

/** A journal as read: its complete commits, and how far they reach. */
export interface JournalContent {
  readonly commits: readonly Commit[];
  /** Bytes up to the end of the last complete commit; what follows was never acknowledged. */
  readonly end: number;
}

/** Characters of a line's checksum. */
const sumLength = 16;

/**
 * Reads the commits up to the first broken line, where a kill or a power cut interrupted the writer.
 * @throws VectorIndexError where complete lines follow a broken one: that is damage, not an interruption.
 */
export async function readJournal(path: string): Promise<JournalContent> {
  const bytes = await readFile(path);
  const commits: Commit[] = [];
  let end = 0;
  let broken: number | undefined;
  for (let start = 0, line = 1; ; line++) {
    const stop = bytes.indexOf(0x0a, start);
    if (stop < 0) return { commits, end };
    const text = bytes.subarray(start + sumLength + 1, stop);
    const isWhole = bytes.toString("latin1", start, start + sumLength) === fingerprint(text);
    if (isWhole && broken !== undefined) {
      throw new VectorIndexError(`${path} line ${broken} is damaged. Build the index again.`);
    }
    start = stop + 1;
    if (isWhole) {
      commits.push(JSON.parse(text.toString("utf8")) as Commit);
      end = start;
    } else broken ??= line;
  }
}

/** The end of a journal, open for writing. */
export class JournalWriter {
  private constructor(
    private readonly file: FileHandle,
    private end: number,
  ) {}

  /** Opens or creates the journal, and cuts it off at `end`. */
  static async open(path: string, end: number): Promise<JournalWriter> {
    const file = await open(path, end === 0 ? "w" : "r+");
    await file.truncate(end);
    return new JournalWriter(file, end);
  }

  /** Writes a commit. When it returns, the commit is on disk. */
  async append(commit: Commit): Promise<void> {
    const text = JSON.stringify(commit);
    const line = Buffer.from(`${fingerprint(text)} ${text}\n`);
    await this.file.write(line, 0, line.length, this.end);
    await this.file.datasync();
    this.end += line.length;
  }

  async close(): Promise<void> {
    await this.file.close();
  }
}
