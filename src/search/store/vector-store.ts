/** Where an index is stored: the interface of a folder and of a table in PostgreSQL. */
import { VectorIndexError } from "../../errors.js";
import type { IndexEntry, IndexLayout, IndexRows, IndexWork, UnfinishedBuild } from "../index-types.js";
import type { VectorIndex } from "../vector-index.js";
import type { Condition } from "../where.js";

/** The backend "auto" searches exactly below this many rows, and by a graph from there. */
export const exactBelow = 50_000;

/** Rows to add: vectors as they are stored, and the rows' keys, all different; absent where rows are numbered. */
export interface NewRows extends IndexRows {
  readonly keys?: readonly string[];
}

export interface StoredHit extends IndexEntry {
  readonly score: number;
}

export interface StoreSearch extends IndexWork {
  /** The queries as text. */
  readonly phrases?: readonly string[];
  /** What rows must meet. */
  readonly where?: Condition;
}

/**
 * Where an index is stored. Arguments are checked, vectors of an index by cosine have length 1, changes come one after the
 * other, and `startWriting` before each.
 */
export interface VectorStore
  extends Pick<VectorIndex, "layout" | "describe" | "entries" | "markBuild" | "verify" | "close"> {
  /** The build that was interrupted, if one was. */
  readonly unfinished: UnfinishedBuild | undefined;
  /** Locks the index until `close`, and reads what other processes have changed. @throws VectorIndexError, LockedError */
  startWriting(): Promise<void>;
  /** One of these keys that a row has; undefined where none is taken. */
  findKey(keys: readonly string[]): Promise<string | undefined>;
  /**
   * Adds all rows or none. When it returns they are on disk: a power cut or kill -9 does not lose them.
   * @param existing "replace" where rows may have one of the keys
   */
  append(rows: NewRows, existing: "none" | "replace"): Promise<void>;
  /** Deletes the rows with these keys or cells of a column, as safely as `append` adds them. @returns how many */
  remove(column: "key" | number, values: readonly string[]): Promise<number>;
  /** The k rows nearest to each query, and rows that share words with its phrase where the store finds any. */
  search(queries: Float32Array, k: number, options: StoreSearch): Promise<StoredHit[][]>;
  /** Makes searches fast again after many additions, and frees the space of deleted rows. */
  optimise(work: IndexWork): Promise<void>;
  /** Gives all rows other vectors, at once. Undefined where vectors are kept in place. */
  rewrite?(
    work: IndexWork,
    layout: IndexLayout,
    vectorsOf: (entries: readonly IndexEntry[]) => Promise<Float32Array>,
  ): Promise<void>;
}

export const keyExists = (path: string, key: string): VectorIndexError =>
  new VectorIndexError(
    `${path} already has a row with the key ${key}. Delete it first, or replace rows (--replace).`,
  );

/** @param remedy what makes one: the rest of a command in backticks, and a verb */
export const notAnIndex = (path: string, remedy: string): VectorIndexError =>
  new VectorIndexError(`${path} is not an index. \`pearl index build FILE -o ${remedy}.`);

/** An index in object storage is written once. */
export const unchangeable = (path: string): VectorIndexError =>
  new VectorIndexError(
    `${path}: an index in object storage does not change. Build a new one from the whole table with \`pearl index build\`.`,
  );

/** To continue, a build counts the rows of its index, so that nothing else may add or delete any. */
export const unfinishedBuild = (path: string): VectorIndexError =>
  new VectorIndexError(
    `${path} is unfinished: its build was interrupted. Finish it first: run that \`pearl index build\` again with --resume.`,
  );

/**
 * The keys of new rows; undefined where rows are numbered.
 * @throws VectorIndexError for an empty key, or one that occurs twice
 */
export function keysOf({ keyColumn, columns }: IndexLayout, cells: IndexRows["cells"]): string[] | undefined {
  if (keyColumn === undefined) return undefined;
  const column = columns.indexOf(keyColumn);
  const seen = new Set<string>();
  return cells.map((row) => {
    const key = row[column];
    if (key === "")
      throw new VectorIndexError(`A row has an empty key (${keyColumn}). Every row needs a key.`);
    if (seen.has(key))
      throw new VectorIndexError(`The key ${key} (${keyColumn}) occurs twice. Keys must be unique.`);
    seen.add(key);
    return key;
  });
}
