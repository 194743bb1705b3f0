/** Learned kinds of phrases: their file, the kinds of new phrases, and those of tables. */
import * as v from "valibot";
import type { PhraseEncoder } from "../../encoder/phrase-encoder.js";
import { withEncoder } from "../../encoder/with-encoder.js";
import { ArgumentError, TableError } from "../../errors.js";
import { writeCheckedJson } from "../../files/whole-file.js";
import { addedColumns, checkNames, type FileOptions, numberColumn } from "../../group/tables/group-files.js";
import { base64Of, numbersOf } from "../../runtime/base64.js";
import { softmax } from "../../statistics.js";
import { numberCell } from "../../table/cell.js";
import { findColumn, listed } from "../../table/columns.js";
import { batchesOf, readWholeTable } from "../../table/whole-table.js";
import { writeRows } from "../../table/write/text-rows.js";
import { isVisible } from "../../text/visible.js";
import { type LinearClassifier, largest, rowOf, scoresOf } from "./classifiers.js";
import { checkModel, kindFeatures, type LearnedModel, learnedModelSchema, readLearned } from "./features.js";
import type { KindExample } from "./train.js";

/** Kinds of phrases with their weights, for the model that they were learned with. */
export interface Kinds extends LinearClassifier {
  /** In alphabetical order. */
  readonly names: readonly string[];
  /** Number of features of a phrase. */
  readonly dimension: number;
  readonly model: LearnedModel;
}

/** The kind of a phrase. */
export interface KindOfPhrase {
  /** The most probable kind; undefined where it is rejected or the phrase is empty. */
  readonly kind: string | undefined;
  /** Of the most probable kind, also where that is rejected; 0 for an empty phrase. */
  readonly probability: number;
  /** Of each kind in the order of `kinds.names`. */
  readonly probabilities: Float64Array;
}

/** Options of {@link classify}. */
export interface ClassifyOptions {
  /** Default: the model that the kinds were learned with, loaded for the call. */
  readonly encoder?: PhraseEncoder;
  /** A phrase whose most probable kind has less than this is none of the kinds; default 0. */
  readonly reject?: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (finished: number, total: number) => void;
}

/**
 * The kind of each phrase. Probabilities are those among the kinds: a phrase of none of them may well get a high one.
 * @throws ModelError for another model than the kinds were learned with
 */
export async function classify(
  phrases: readonly string[],
  kinds: Kinds,
  { encoder: given, reject = 0, ...options }: ClassifyOptions = {},
): Promise<KindOfPhrase[]> {
  if (!(reject >= 0 && reject <= 1)) throw new ArgumentError(`reject must be from 0 to 1, not ${reject}`);
  const { source } = kinds.model;
  return withEncoder(given, { source, signal: options.signal }, async (encoder) => {
    await checkModel(encoder, kinds.model, { learned: "the kinds were learned", again: "the kinds" });
    const features = await kindFeatures(encoder, phrases, options);
    return phrases.map((phrase, row) => {
      if (!isVisible(phrase))
        return { kind: undefined, probability: 0, probabilities: new Float64Array(kinds.names.length) };
      const probabilities = softmax(scoresOf(kinds, rowOf(features, row)));
      const best = largest(probabilities);
      const probability = probabilities[best];
      return { kind: probability < reject ? undefined : kinds.names[best], probability, probabilities };
    });
  });
}

const KindsFile = v.object({
  format: v.literal(1),
  model: learnedModelSchema,
  kinds: v.pipe(
    v.array(
      v.object({ name: v.string(), bias: v.number(), weights: v.pipe(v.string(), v.transform(numbersOf)) }),
    ),
    v.check(
      (kinds) =>
        kinds.length > 0 &&
        kinds.every(({ weights: { length } }) => length > 0 && length === kinds[0].weights.length),
      "the kinds differ in their number of weights",
    ),
  ),
});

/** Writes learned kinds as a JSON file. */
export async function writeKinds(path: string, kinds: Kinds): Promise<void> {
  const { names, model, weights, bias, dimension } = kinds;
  const written = names.map((name, kind) => {
    const own = Float32Array.from(weights.subarray(kind * dimension, (kind + 1) * dimension));
    return { name, bias: bias[kind], weights: base64Of(own) };
  });
  await writeCheckedJson(path, { format: 1, model, kinds: written });
}

/** Reads what {@link writeKinds} wrote. @throws MissingDataError */
export async function readKinds(path: string): Promise<Kinds> {
  const { kinds, model } = await readLearned(path, KindsFile, "pearl classify train EXAMPLES");
  return {
    ...{ names: kinds.map(({ name }) => name), dimension: kinds[0].weights.length, model },
    weights: Float64Array.from(kinds.flatMap(({ weights }) => [...weights])),
    bias: Float64Array.from(kinds, ({ bias }) => bias),
  };
}

/** Usual names of the column that says of what kind a phrase is, the first one first. */
const usualNames = ["kind", "label", "class", "category", "type"];

/** Rows with their line of the message, for a table that lacks a column. */
const exampleLines = "phrase,kind\nTrieste,town\nAdriatic Sea,water";

/**
 * Reads examples of kinds from a table.
 * @param kindColumn default: the first one with a usual name
 * @throws TableError where there is no such column, or a row has a phrase and no kind
 */
export async function readExamples(
  path: string,
  { kindColumn, table, onNote }: FileOptions & { readonly kindColumn?: string } = {},
): Promise<KindExample[]> {
  const { description, columns, phrases } = await readWholeTable(path, table, onNote);
  const names = description.columns;
  const usual = usualNames.flatMap((name) =>
    names.filter((own) => own.trim().toLowerCase() === name && own !== description.column),
  );
  const column = kindColumn === undefined ? usual[0] : names[findColumn(path, names, kindColumn)];
  if (column === undefined || column === description.column)
    throw new TableError(
      `${path}: examples need a column of phrases and a column of kinds, as in\n\n${exampleLines}\n\n` +
        `The columns are ${listed(names)}. Name the column of kinds with --kind-column.`,
    );
  const kinds = columns[column];
  const filled = [...phrases.keys()].filter((row) => isVisible(phrases[row]));
  const lacking = filled.find((row) => !isVisible(kinds[row]));
  if (lacking !== undefined)
    throw new TableError(
      `${path} row ${lacking + 1}: "${phrases[lacking]}" has no ${column}. Fill the cell, or remove the row.`,
    );
  return filled.map((row) => ({ phrase: phrases[row].trim(), kind: kinds[row].trim() }));
}

/** Options of {@link classifyTable}. */
export interface ClassifyTableOptions extends ClassifyOptions, FileOptions {}

/**
 * Writes the rows of a table with two more columns: `kind`, empty for none of the kinds, and its `probability`.
 * @param output .csv, .tsv, .jsonl, .parquet or .xlsx; "-" is standard output; undefined writes nothing
 * @throws TableError, ModelError
 */
export async function classifyTable(
  path: string,
  output: string | undefined,
  kinds: Kinds,
  options: ClassifyTableOptions = {},
): Promise<{ readonly phrases: readonly string[]; readonly found: readonly KindOfPhrase[] }> {
  checkNames([path], [output], options.format);
  const reading = { signal: options.signal, ...options.table };
  const { phrases, typed, description } = await readWholeTable(path, reading, options.onNote);
  const found = await classify(phrases, kinds, options);
  if (output !== undefined) {
    const added = addedColumns(typed.columns, ["kind", numberColumn("probability")]);
    const rows = batchesOf(phrases.keys(), (row) => [
      ...typed.cells(row),
      found[row].kind ?? "",
      numberCell(found[row].probability, 4),
    ]);
    await writeRows(output, [...typed.columns, ...added], rows, options.format, description);
  }
  return { phrases, found };
}
