/** Writes vectors beside the rows of their table, so that a run killed at any point leaves no half output. */
import { rename, rm, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { ArgumentError, messageOf, PearlError, TableError } from "../../errors.js";
import { type EmbeddingFormat, outputFormatOfName } from "../format.js";
import { type RowRange, type Table, wholeRange } from "../table.js";
import { completeParquet, writeKeys, writeText } from "./output.js";
import { checkStillOurs, openPartial, type Partial, writeTrouble } from "./partial.js";

/** How embeddings are written. */
export interface EmbeddingWriterOptions {
  /** Numbers in a vector. */
  dimension: number;
  /** Default: from the extension of the output's name. */
  format?: EmbeddingFormat;
  /** Name of the column of vectors (default "embedding"). */
  column?: string;
  /** What to do with an unfinished earlier run: go on with it, or start over (the default). */
  resume?: "continue" | "start-over";
  /** Changes whenever the vectors would: model, pooling, prompt, dimensions. Guards `resume`. */
  fingerprint: string;
  /** The rows to write, for a run on a part of the table (default all). */
  range?: RowRange;
}

/** A finished output. */
export interface WrittenEmbeddings {
  path: string;
  /** The table of input columns beside a .npy file. */
  keysPath?: string;
  bytes: number;
  rows: number;
}

/**
 * Gathers vectors in `<path>.partial/`, and makes the output of them when all are there. The output has
 * the input's columns, its rows in their order, and a column of vectors.
 */
export class EmbeddingWriter {
  private isOpen = true;

  private constructor(
    private readonly table: Table,
    private readonly path: string,
    private readonly format: EmbeddingFormat,
    private readonly column: string,
    private readonly dimension: number,
    private readonly range: { from: number; to: number },
    private readonly partial: Partial,
  ) {}

  /** Checks the output's place and opens it. Throws TableError before any work where it cannot succeed. */
  static async create(table: Table, path: string, options: EmbeddingWriterOptions): Promise<EmbeddingWriter> {
    const { dimension, fingerprint } = options;
    if (!Number.isInteger(dimension) || dimension < 1) {
      throw new ArgumentError(`dimension: expected a whole number from 1 on, found ${dimension}.`);
    }
    const format = options.format ?? outputFormatOfName(path);
    const column = options.column ?? "embedding";
    await checkTarget(path, table);
    if (format !== "npy") checkColumn(table, column);
    const range = wholeRange(options.range ?? {}, table.description.rowCount);
    const key = {
      fingerprint,
      table: table.identity,
      dimension,
      layout: format === "npy" ? "npy" : "parquet",
      ...range,
    } as const;
    const partial = await openPartial(path, key, options.resume ?? "start-over");
    return new EmbeddingWriter(table, path, format, column, dimension, range, partial);
  }

  /** Rows whose vectors are in, those of an earlier run included. Go on with row `range.from + rowsDone`. */
  get rowsDone(): number {
    return this.partial.vectors.rowsDone;
  }

  /** What a person should be told about an earlier run, if anything. */
  get note(): string | undefined {
    return this.partial.note;
  }

  /** Adds whole vectors, row after row. */
  async append(vectors: Float32Array): Promise<void> {
    const rows = vectors.length / this.dimension;
    if (!Number.isInteger(rows)) {
      throw new ArgumentError(`vectors: ${vectors.length} numbers are no whole rows of ${this.dimension}.`);
    }
    const left = this.range.to - this.range.from - this.rowsDone;
    if (rows > left) throw new ArgumentError(`vectors: ${rows} rows were given where ${left} are left.`);
    try {
      await this.partial.vectors.append(vectors);
    } catch (error) {
      throw writeTrouble(error, this.path);
    }
  }

  /** Makes the output and removes the partial folder. All rows must be in. */
  async finish(): Promise<WrittenEmbeddings> {
    const rows = this.range.to - this.range.from;
    if (this.rowsDone !== rows) {
      throw new ArgumentError(
        `${this.path}: ${this.rowsDone} of ${rows} vectors are in; append the rest first.`,
      );
    }
    await checkStillOurs(this.partial);
    try {
      const keysPath = await this.makeOutput();
      await this.close();
      await rm(this.partial.folder, { recursive: true, force: true });
      const { size } = await stat(this.path);
      return { path: this.path, keysPath, bytes: size, rows };
    } catch (error) {
      throw error instanceof PearlError ? error : writeTrouble(error, this.path);
    }
  }

  /** Ends the work; vectors that are in stay for a run that resumes. */
  async close(): Promise<void> {
    if (!this.isOpen) return;
    this.isOpen = false;
    await this.partial.vectors.close();
    if (this.rowsDone === 0) await rm(this.partial.folder, { recursive: true, force: true });
  }

  private async makeOutput(): Promise<string | undefined> {
    const { table, format, range, partial, path } = this;
    const { folder, vectors, vectorsPath } = partial;
    const end = await vectors.finish();
    const pages = {
      file: vectors.file,
      name: this.column,
      dimension: this.dimension,
      rows: this.rowsDone,
      end,
    };
    const request = { table, range, folder };
    if (format === "npy") {
      const keysPath = `${path}.keys.csv`;
      const keys = join(folder, "keys.csv");
      await writeKeys(request, keys);
      await rename(keys, keysPath);
      await rename(vectorsPath, path);
      return keysPath;
    }
    if (format === "parquet") {
      await completeParquet(request, pages);
      await rename(vectorsPath, path);
    } else {
      const target = join(folder, `whole.${format}`);
      await writeText(request, { pages, path: vectorsPath }, format, target);
      await rename(target, path);
    }
    return undefined;
  }
}

async function checkTarget(path: string, table: Table): Promise<void> {
  const folder = dirname(resolve(path));
  const parent = await stat(folder).catch(() => undefined);
  if (parent === undefined) {
    throw new TableError(`${path}: the folder ${folder} does not exist. Make it first: mkdir -p ${folder}`);
  }
  if (!parent.isDirectory()) throw new TableError(`${path}: ${folder} is a file, not a folder.`);
  let target: Awaited<ReturnType<typeof stat>> | undefined;
  try {
    target = await stat(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") {
      throw new TableError(`${path}: cannot be written (${messageOf(error)}).`, { cause: error });
    }
  }
  if (target?.isDirectory()) {
    throw new TableError(
      `${path} is a directory. Name a file in it, such as ${join(path, "embeddings.parquet")}.`,
    );
  }
  const input = await stat(table.description.path).catch(() => undefined);
  if (target !== undefined && input !== undefined && target.ino === input.ino && target.dev === input.dev) {
    throw new TableError(`${path} is the input table itself. Choose another output name.`);
  }
}

function checkColumn(table: Table, column: string): void {
  const taken = table.description.columns.find((name) => name.toLowerCase() === column.toLowerCase());
  if (taken !== undefined) {
    throw new TableError(
      `${table.description.path}: the input already has a column "${taken}". ` +
        "Name the column of vectors differently (--embedding-column).",
    );
  }
}
