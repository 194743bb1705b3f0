/** Pairs of phrases from a table: text and positive, and optionally a hard negative, a type, a label and a score. */
import { basename, resolve } from "node:path";
import { groupBy } from "../../by-key.js";
import { ArgumentError, TableError } from "../../errors.js";
import { fingerprint } from "../../files/checksums/fingerprint.js";
import { formatCount } from "../../files/count-text.js";
import { isPostgresAddress } from "../../files/place.js";
import { exists } from "../../files/whole-file.js";
import type { ObjectiveColumn } from "../../objectives/objective.js";
import { type ObjectiveName, objectiveNamed, objectiveNames } from "../../objectives/registry.js";
import { epochOrders } from "../../random.js";
import { namesColumns, type TableDescription } from "../../table/table.js";
import { readTwoColumns, readWholeTable } from "../../table/whole-table.js";

export interface Pair {
  readonly text: string;
  readonly positive: string;
  /** A phrase of similar spelling and another meaning; "" where there is none. */
  readonly negative: string;
  /** Phrase type of text and positive; "" where unknown. */
  readonly type: string;
  /** Class of text and positive, where the objective reads labels; "" where unknown. */
  readonly label?: string;
  /** Similarity of text and positive from 0 to 1, where the objective reads scores. */
  readonly score?: number;
}

export type PairTable = Awaited<ReturnType<typeof readPairs>>;

/**
 * Reads pairs from a table of any format. Columns are found by name; of a table without a header, the first two columns are
 * used, and of one with two unknown names those two. Where texts have labels and no positives, the positive is the next text
 * of the label.
 * @throws TableError for a table without the columns that are needed or without two different pairs
 */
export async function readPairs(path: string, options: WantedColumns = {}) {
  const { typesPath } = options;
  const name = basename(path);
  const isUntyped = typesPath === "none";
  const what = "a phrase and its type. Add the type to each row.";
  const typed = typesPath === undefined || isUntyped ? [] : await readTwoColumns(typesPath, what);
  const types = new Map(typed as [string, string][]);
  const { description, columns: cells } = await readWholeTable(path, { column: "1" });
  const columns = pairColumns(name, description, options);
  const cell = (column: string | undefined, row: number) =>
    column === undefined ? "" : cells[column][row].trim();
  const positiveOf = positivesOf(columns, cell, description.rowCount);
  const isTriplet = objectiveNamed(options.objective ?? "nt-xent").needs.negative === "required";
  const needed = [
    ...["text", ...(columns.positive ? ["positive"] : [])],
    ...[...(isTriplet ? ["negative"] : []), ...(columns.score ? ["score"] : [])],
  ];
  const distinct = new Map<string, Pair>();
  let empty = 0;
  for (let row = 0; row < description.rowCount; row++) {
    const [text, positive] = [cell(columns.text, row), positiveOf(row)];
    if (
      text === "" ||
      positive === "" ||
      needed.slice(1).some((name) => cell(columns[name as ObjectiveColumn], row) === "")
    ) {
      empty++;
      continue;
    }
    const own = isUntyped ? "" : cell(columns.type, row);
    const type = own || types.get(text) || types.get(positive) || "";
    const pair = {
      ...{ text, positive, negative: cell(columns.negative, row), type },
      ...(columns.label && { label: cell(columns.label, row) }),
      ...(columns.score && { score: scoreOf(cell(columns.score, row), `${name}, row ${row + 1}`) }),
    };
    distinct.set(JSON.stringify(pair), pair);
  }
  const found = [...distinct.values()];
  checkPairs(name, found, { rows: description.rowCount, needed, scored: columns.score !== undefined });
  const used = description.columns.filter((column) => Object.values(columns).includes(column));
  const isPhrases = options.positives === "none" && columns.positive === undefined;
  return {
    ...(isPhrases ? { pairs: twoByTwo(found), mapped: undefined } : withinOne(name, found)),
    /** Where positives are from: a column, or other texts of the table and the texts themselves. */
    positives: columns.positive === undefined ? ("made" as const) : ("column" as const),
    /** Rows left out because a cell that is needed is empty. */
    empty,
    /** Rows left out because an earlier row is the same. */
    repeated: description.rowCount - empty - found.length,
    /** The cells that may not be empty, such as "text or positive". */
    needed: needed.join(" or "),
    /** Columns of labels or scores that the objective does not read. */
    unread: description.columns.filter(
      (column) => /^(label|score)$/i.test(column.trim()) && !used.includes(column),
    ),
    fingerprint: fingerprint([...distinct.keys()].join("\n")),
    summary: `${name}: ${formatCount(found.length)} ${isPhrases ? "phrases, two to a pair," : "pairs"} from the column${used.length > 1 ? "s" : ""} ${used.join(", ")}`,
  };
}

/** Phrases alone, two to a pair, so that a batch holds each once; of an odd number the last is with the first. */
const twoByTwo = (phrases: readonly Pair[]): Pair[] =>
  phrases.flatMap((pair, i) =>
    i % 2 === 0 ? [{ ...pair, positive: (phrases[i + 1] ?? phrases[0]).text, type: "" }] : [],
  );

/** The positive of a row: its own cell, the next text of its label, or its text. */
function positivesOf(
  { text, positive, label }: ReturnType<typeof pairColumns>,
  cell: (column: string | undefined, row: number) => string,
  count: number,
): (row: number) => string {
  if (positive !== undefined) return (row) => cell(positive, row);
  const next = new Map<number, number>();
  const filled = [...Array(count).keys()].filter((row) => cell(text, row) !== "" && cell(label, row) !== "");
  for (const own of groupBy(filled, (row) => cell(label, row)).values())
    for (const [i, row] of own.entries()) next.set(row, own[(i + 1) % own.length]);
  return (row) => cell(text, next.get(row) ?? row);
}

function scoreOf(text: string, place: string): number {
  const score = Number(text);
  if (!Number.isFinite(score))
    throw new TableError(
      `${place}: the score "${text}" is not a number. Write one such as 0.8, or leave it empty.`,
    );
  return score;
}

interface ReadScores {
  /** Distinct and complete. */
  readonly pairs: readonly Pair[];
  /** Smallest and largest score of the table, where they were mapped to 0 and 1. */
  readonly mapped?: readonly [number, number];
}

/** Scores outside 0 to 1 mapped to it, by the table's smallest and largest. */
function withinOne(name: string, pairs: readonly Pair[]): ReadScores {
  const scores = pairs.map(({ score = 0 }) => score);
  const least = scores.reduce((a, b) => Math.min(a, b));
  const most = scores.reduce((a, b) => Math.max(a, b));
  if (least >= 0 && most <= 1) return { pairs };
  if (least === most)
    throw new TableError(`${name}: all scores are ${least}. Give pairs of different scores.`);
  const mapped = pairs.map((pair, i) => ({ ...pair, score: (scores[i] - least) / (most - least) }));
  return { pairs: mapped, mapped: [least, most] };
}

function checkPairs(
  name: string,
  pairs: readonly Pair[],
  { rows, needed, scored }: { rows: number; needed: readonly string[]; scored: boolean },
): void {
  if (rows === 0) throw new TableError(`${name}: the table has no rows. Give at least two different pairs.`);
  if (pairs.length === 0) {
    const columns = ["", "the column", "both columns"][needed.length] ?? "all columns";
    throw new TableError(`${name}: ${needed.join(" or ")} is empty in all ${rows} rows. Fill ${columns}.`);
  }
  const [first] = pairs;
  const isSame = ({ text, positive }: Pair) => text === first.text && positive === first.positive;
  if (!scored && pairs.every(isSame))
    throw new TableError(`${name}: all rows hold the same pair. Give at least two different pairs.`);
}

/** What a training reads besides text, positive, negative and type. */
export interface WantedColumns {
  /** Default "nt-xent". */
  readonly objective?: ObjectiveName;
  /** A table of phrases alone is enough for "view", since a view of each is its positive, and for "none", as phrases are not compared with positives. */
  readonly positives?: "column" | "view" | "none";
  /** A table with phrase and type as its first two columns, for pairs without a type; "none" ignores types. */
  readonly typesPath?: string;
}

/**
 * Names of columns; undefined for those that the table lacks or the objective does not read. Without `positive`, the
 * positive is the text itself, or another text of its label.
 */
type PairColumns = { readonly text: string } & {
  readonly [Column in "positive" | "type" | ObjectiveColumn]?: string;
};

/** Columns that never hold phrases to pair. */
const besides = ["negative", "type", "label", "score"];

/** @throws TableError for a table without a column that is needed, or whose names do not say which columns are the pairs */
function pairColumns(
  name: string,
  description: TableDescription,
  { objective = "nt-xent", positives = "column" }: WantedColumns,
): PairColumns {
  const { columns } = description;
  const named = (wanted: string) => columns.find((column) => column.trim().toLowerCase() === wanted);
  const { needs } = objectiveNamed(objective);
  const read: { [Column in ObjectiveColumn]?: string } = {};
  for (const column of ["label", "score", "negative"] as const) {
    if (needs[column] || column === "negative") read[column] = named(column);
    if (needs[column] === "required" && read[column] === undefined)
      throw lacking(name, columns, objective, column);
  }
  const [text, positive] = [named("text"), named("positive")];
  const others = { type: named("type"), ...read };
  if (text !== undefined && positive !== undefined) return { text, positive, ...others };
  const phrases = columns.filter((column) => !besides.includes(column.trim().toLowerCase()));
  const isAlone = read.label !== undefined || positives !== "column";
  if (isAlone && (text !== undefined || phrases.length === 1)) return { text: text ?? phrases[0], ...others };
  if (positives === "view" && phrases.length > 1)
    throw new TableError(
      `${name}: a view needs to know which of the columns ${phrases.join(", ")} holds the phrases. ` +
        "Name it text, and the other side positive where the rows are pairs.",
    );
  const isTwoNames = !isAlone && (text ?? positive) === undefined && phrases.length === 2;
  if ((isTwoNames || !namesColumns(description)) && phrases.length >= 2)
    return { text: phrases[0], positive: phrases[1], ...others };
  throw unclear(name, columns, { phrases, objective, hasLabel: named("label") !== undefined });
}

function unclear(
  name: string,
  columns: readonly string[],
  { phrases, objective, hasLabel }: { phrases: readonly string[]; objective: string; hasLabel: boolean },
): TableError {
  const found = `The table has ${columns.join(", ")}.`;
  if (phrases.length >= 2)
    return new TableError(
      `${name}: which columns hold the two phrases of a pair? ${found} Name them text and positive.`,
    );
  if (!hasLabel)
    return new TableError(
      `${name}: found one column (${phrases[0] ?? columns[0]}), expected two: a phrase and one that means the same ` +
        "(columns text and positive, optionally negative and type). Phrases alone need a view, such as --view cutoff, or " +
        "a teacher.",
    );
  const readers = objectiveNames.filter((other) => objectiveNamed(other).needs.label === "required");
  return new TableError(
    `${name}: the objective ${objective} needs a column positive and does not read labels. ${found} ` +
      `Choose an objective for labels (${readers.join(", ")}), or add the column positive.`,
  );
}

/** What a column means, and a table that has it. */
const explained: Readonly<Record<ObjectiveColumn, readonly [meaning: string, ...example: string[]]>> = {
  negative: [
    "a phrase that looks alike and means something else",
    ...["text,positive,negative", "The New York Times,NY Times,The Times"],
  ],
  label: ["the class of the text", "text,label", "International Business Machines,ibm", "IBM Corp,ibm"],
  score: [
    "how similar text and positive are",
    ...["text,positive,score", "The New York Times,NY Times,0.95", "The New York Times,The Times,0.3"],
  ],
};

function lacking(name: string, columns: readonly string[], objective: string, column: ObjectiveColumn) {
  const [meaning, ...example] = explained[column];
  return new TableError(
    `${name}: the objective ${objective} needs the column ${column}, ${meaning}. ` +
      `The table has ${columns.join(", ")}. It must look like this:\n  ${example.join("\n  ")}`,
  );
}

// Several tables of pairs in one training, its sources. A batch mixes them in proportion to their sizes and weights.

/** A table of pairs, and how often it is trained on. */
export interface PairSource {
  /** The table: columns text and positive, optionally negative, type, label and score. */
  readonly file: string;
  /**
   * How often a pass goes through the table; default 1, so that sources are trained on in proportion to their sizes. With
   * 0.5 a pass takes half of its pairs, and the next pass the other half. Above 0, at most 1,000.
   */
  readonly weight?: number;
}

/** What batches are made of. */
export interface PairsOfSource extends Pick<PairTable, "pairs" | "positives"> {
  readonly weight: number;
}

/** A table that was read. */
export interface SourceTable extends PairTable {
  readonly file: string;
  readonly weight: number;
  /** The name of its file, or the whole path where another source's file has the same name. */
  readonly name: string;
}

/** A pass holds every batch of each source, so a weight has a limit. */
const mostWeight = 1000;

/** A file, and behind `=` what is meant as a weight, right or wrong. */
const assigned = /^(.+)=([-+]?(?:[\d.,]+(?:e[-+]?\d+)?|infinity)|nan)$/i;

/** A source as `--pairs FILE` or `--pairs FILE=WEIGHT` gives it. If a file has the whole text as its name, it is taken. */
export async function sourceOf(text: string): Promise<PairSource> {
  const [, file, weight] = assigned.exec(text) ?? [];
  const isWhole = isPostgresAddress(text) && !/[?&]table=/.test(file ?? "");
  if (file === undefined || isWhole || (await exists(text))) return { file: text };
  return { file, weight: Number(weight) };
}

/** Reads the tables of a training. @throws TableError; ArgumentError for a wrong weight, and for a file given twice */
export async function readSources(
  given: string | readonly PairSource[],
  options: WantedColumns,
): Promise<readonly SourceTable[]> {
  const sources = typeof given === "string" ? [{ file: given }] : given;
  if (sources.length === 0) throw new ArgumentError("no pairs: give at least one table");
  const tables: SourceTable[] = [];
  for (const { file, weight = 1 } of sources) {
    if (!(weight > 0 && weight <= mostWeight))
      throw new ArgumentError(
        `${file}: the weight of a table must be a number above 0, at most ${mostWeight}, not ${weight}. ` +
          "With 2 it is trained on twice as often.",
      );
    if (tables.some((table) => resolve(table.file) === resolve(file)))
      throw new ArgumentError(`${file} is given twice. Give it once, with a weight such as ${file}=2.`);
    const isShared = sources.some((other) => other.file !== file && basename(other.file) === basename(file));
    const name = isShared ? file : basename(file);
    tables.push({ ...(await readPairs(file, options)), file, weight, name });
  }
  return tables;
}

/** The fingerprint of all sources. A single one of weight 1 keeps its own. */
export const fingerprintOf = (sources: readonly Pick<SourceTable, "fingerprint" | "weight">[]): string =>
  sources.length === 1 && sources[0].weight === 1
    ? sources[0].fingerprint
    : fingerprint(["mixed", ...sources.map((source) => `${source.fingerprint} ${source.weight}`)].join("\n"));

/**
 * Numbers of the pairs of a pass over several sources, in random order; pairs are counted over the sources, one after the
 * other. A source takes as many places as its size and weight say, at least one, and each pass continues where the last
 * one ended in it.
 */
export function mixedOrder(sources: readonly Pick<PairsOfSource, "pairs" | "weight">[], seed: number) {
  let before = 0;
  const parts = sources.map(({ pairs: { length }, weight }) => {
    const start = before;
    before += length;
    return {
      start,
      length,
      places: Math.max(1, Math.round(weight * length)),
      orderOf: epochOrders(length, seed),
    };
  });
  const perPass = parts.reduce((sum, { places }) => sum + places, 0);
  const shuffled = epochOrders(perPass, seed + 1);
  return {
    perPass,
    of(pass: number): Int32Array {
      const drawn = parts.flatMap(({ start, length, places, orderOf }) =>
        Array.from({ length: places }, (_, place) => {
          const at = pass * places + place;
          return start + orderOf(Math.floor(at / length))[at % length];
        }),
      );
      // the order of one source is random as it is
      return parts.length === 1 ? Int32Array.from(drawn) : shuffled(pass).map((place) => drawn[place]);
    },
  };
}
