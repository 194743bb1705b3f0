/** Writes vectors beside the rows of their table, so that a run killed at any point leaves no half output. */
import { appendFile, readFile, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { ArgumentError, LockedError, PearlError, TableError } from "../../errors.js";
import { appendKept, type PartHead, sealPart } from "../../files/shards/part-file.js";
import type { Kept } from "../../files/shards/shard.js";
import { moveFile } from "../../files/whole-file.js";
import { type EmbeddingFormat, outputFormatOfName } from "../format.js";
import { type RowRange, type Table, wholeRange } from "../table.js";
import { writeTrouble } from "../trouble.js";
import { makeOutput } from "./output.js";
import { keysPathOf, refuseOverwriting } from "./output-names.js";
import type { VectorPages } from "./parquet-vectors.js";
import { openPartial, type Partial } from "./partial.js";

const defaultColumn = "embedding";

/** How embeddings are written. */
export interface EmbeddingWriterOptions {
  /** Numbers in a vector. */
  dimension: number;
  /** Default: from the extension of the output's name. */
  format?: EmbeddingFormat;
  /** Name of the column of vectors (default "embedding"). */
  column?: string;
  /**
   * What to do with an unfinished earlier run: resume it, or start over (the default). "never" starts over and keeps
   * nothing of this run either, should it end early.
   */
  resume?: "continue" | "start-over" | "never";
  /** Changes whenever the vectors would: model, pooling, prompt, dimensions. Guards `resume`. */
  fingerprint: string;
  /** The rows to write, for a run on a part of the table (default all). */
  range?: RowRange;
}

/**
 * Gathers vectors in `<path>.partial/`, and makes the output when all are there. The output has the input's
 * columns, its rows in their order, and a column of vectors.
 */
export class EmbeddingWriter {
  private isClosed = false;

  private constructor(
    private readonly table: Table,
    private readonly path: string,
    private readonly format: EmbeddingFormat,
    private readonly column: string,
    private readonly dimension: number,
    private readonly range: { from: number; to: number },
    private readonly partial: Partial,
  ) {}

  /**
   * Opens the output.
   * @throws TableError before any work where it cannot be written; ArgumentError where it is the input, and for a
   *   dimension below 1; LockedError where another run is writing to it
   */
  static async create(table: Table, path: string, options: EmbeddingWriterOptions): Promise<EmbeddingWriter> {
    const { dimension, fingerprint, column = defaultColumn, resume = "start-over" } = options;
    if (!Number.isInteger(dimension) || dimension < 1) {
      throw new ArgumentError(`dimension: expected a whole number of at least 1, not ${dimension}.`);
    }
    const format = options.format ?? outputFormatOfName(path);
    await checkTarget(path, table, format);
    if (format !== "npy") checkColumn(table, options.column);
    const range = wholeRange(options.range ?? {}, table.description.rowCount);
    const layout = format === "npy" ? "npy" : "parquet";
    const key = { fingerprint, table: table.identity, dimension, layout, ...range } as const;
    const partial = await openPartial(path, key, resume);
    return new EmbeddingWriter(table, path, format, column, dimension, range, partial);
  }

  /** Rows that have their vectors, including those of an earlier run. Continue with row `range.from + rowsDone`. */
  get rowsDone(): number {
    return this.partial.vectors.rowsDone;
  }

  /** What the user should know about an earlier run, if anything. */
  get note(): string | undefined {
    return this.partial.note;
  }

  /** Whether another run can resume this one. */
  get isResumable(): boolean {
    return this.partial.isResumable;
  }

  /**
   * The counts of the chunks that an earlier run had finished, as they were appended; those of later chunks are forgotten.
   * @param chunkRows rows of each chunk
   */
  async keptCounts(chunkRows: number): Promise<number[][]> {
    const { countsPath } = this.partial;
    const text = this.rowsDone === 0 ? "" : await readFile(countsPath, "utf8").catch(() => "");
    // What follows the last line break is a line that was cut off.
    const lines = text
      .split("\n")
      .slice(0, -1)
      .slice(0, Math.floor(this.rowsDone / chunkRows));
    await this.writing(() => writeFile(countsPath, lines.map((line) => `${line}\n`).join("")));
    return lines.map((line) => line.split(" ").map(Number));
  }

  /**
   * Adds whole vectors, row after row.
   * @param counts what was counted in the chunk that ends with them, for a run that resumes
   */
  async append(vectors: Float32Array, counts?: readonly number[]): Promise<void> {
    const rows = vectors.length / this.dimension;
    if (!Number.isInteger(rows)) {
      throw new ArgumentError(
        `vectors: ${vectors.length} numbers are not a multiple of the dimension ${this.dimension}.`,
      );
    }
    const left = this.range.to - this.range.from - this.rowsDone;
    if (rows > left) throw new ArgumentError(`vectors: found ${rows} rows, expected at most ${left} more.`);
    await this.writing(async () => {
      await this.partial.vectors.append(vectors);
      if (counts !== undefined) await appendFile(this.partial.countsPath, `${counts.join(" ")}\n`);
    });
  }

  private async writing(write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (error) {
      const { place, folder } = this.partial;
      throw this.trouble(error, place, this.rowsDone > 0 ? folder : undefined);
    }
  }

  private trouble(error: unknown, place: string, kept?: string): TableError {
    return this.isResumable ? writeTrouble(error, place, "--resume", kept) : writeTrouble(error, place);
  }

  /**
   * Makes the output and removes the partial folder. All vectors must have been appended.
   * @returns `keysPath`: the table of input columns beside an .npy file
   * @param part makes a part of a sharded run in place of a table: the vectors as .npy, then what else is kept
   */
  async finish(part?: { readonly head: PartHead; readonly kept: Kept }) {
    const { table, range, partial, path, dimension, column } = this;
    const { folder, vectors, vectorsPath } = partial;
    const rows = range.to - range.from;
    if (this.rowsDone !== rows) {
      throw new ArgumentError(`${path}: found ${this.rowsDone} of ${rows} vectors. Append the rest first.`);
    }
    if (!(await partial.lock.isHeld()))
      throw new LockedError(
        `${folder}: another run has started on the same output. Let one finish, or give them different names.`,
      );
    try {
      const pages = { file: vectors.file, dimension, rows, end: await vectors.finish() };
      const request = { table, range, folder, vectorsPath, pages, column };
      const keysPath =
        part === undefined
          ? await makeOutput(request, this.format, path)
          : await makePart({ ...part, pages }, vectorsPath, path);
      await this.end("remove");
      const { size } = await stat(path);
      return { path, keysPath, bytes: size, rows };
    } catch (error) {
      throw error instanceof PearlError ? error : this.trouble(error, path, folder);
    }
  }

  /** Ends the work. Appended vectors stay where a run can resume. */
  async close(): Promise<void> {
    await this.end(this.partial.isResumable && this.rowsDone > 0 ? "keep" : "remove");
  }

  /** Once it has ended, the folder may be another run's. */
  private async end(what: "keep" | "remove"): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    const { folder, lock, vectors } = this.partial;
    await vectors.close();
    if (what === "remove" && (await lock.isHeld())) await rm(folder, { recursive: true, force: true });
    await lock.release();
  }
}

/** Makes the file of vectors a part, and moves it to `path`. */
async function makePart(
  { head, kept, pages }: { readonly head: PartHead; readonly kept: Kept; readonly pages: VectorPages },
  vectorsPath: string,
  path: string,
): Promise<undefined> {
  const numbers = pages.rows * pages.dimension;
  const places = await appendKept(vectorsPath, kept, pages.end);
  const vectors = ["Float32Array", numbers, pages.end - 4 * numbers] as const;
  await sealPart(vectorsPath, head, { ...places, vectors: [...vectors] });
  await moveFile(vectorsPath, path);
}

async function checkTarget(path: string, table: Table, format: EmbeddingFormat): Promise<void> {
  const folder = dirname(resolve(path));
  const parent = await stat(folder).catch(() => undefined);
  if (parent?.isDirectory() === false)
    throw new TableError(`${path}: ${folder} is a file, not a folder. Choose another output name.`);
  const target = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw writeTrouble(error, path);
  });
  if (target?.isDirectory()) {
    throw new TableError(`${path} is a directory. Name a file, such as ${join(path, "embeddings.parquet")}.`);
  }
  refuseOverwriting([table.description.path], [path, format === "npy" ? keysPathOf(path) : undefined]);
}

/** @throws TableError where the column of vectors would be the second of its name */
export function checkColumn({ description: { path, columns } }: Table, column = defaultColumn): void {
  const taken = columns.find((name) => name.toLowerCase() === column.toLowerCase());
  if (taken === undefined) return;
  throw new TableError(
    `${path}: the input already has a column "${taken}". ` +
      "Name the column of vectors differently (--embedding-column).",
  );
}
