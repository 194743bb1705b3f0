/** Users' tables: phrases with class, type and count; pairs of synonyms; lists of typed phrases. */
import { TableError } from "../errors.js";
import { LEXICAL_CLASSES } from "../pearl/phrase-types.js";
import { shownPath } from "../table/read/source.js";
import { Table } from "../table/table.js";
import type { BuildCorpusOptions } from "./build-corpus.js";
import { type CorpusPhrase, phraseOfCells, type SynonymPair, typeOfCell } from "./corpus-folder.js";
import type { FineType } from "./typing/fine-types.js";
import { fineTypeOf } from "./typing/labels.js";

export class GatheredPhrases {
  /** The counts of each phrase by class, in the order of LEXICAL_CLASSES. */
  readonly counts = new Map<string, number[]>();
  readonly #types = new Map<string, Map<FineType, number>>();

  add({ phrase, lexicalClass, type, count }: CorpusPhrase): void {
    const counts = this.counts.get(phrase) ?? LEXICAL_CLASSES.map(() => 0);
    this.counts.set(phrase, counts);
    counts[LEXICAL_CLASSES.indexOf(lexicalClass)] += count;
    if (type === undefined) return;
    const types = this.#types.get(phrase) ?? new Map<FineType, number>();
    this.#types.set(phrase, types.set(type, (types.get(type) ?? 0) + count));
  }

  /** The most frequent type of a phrase; of equally frequent ones, the first in the tables. */
  typeOf(phrase: string): FineType | undefined {
    const types = [...(this.#types.get(phrase) ?? [])];
    return types.sort(([, left], [, right]) => right - left)[0]?.[0];
  }
}

type PhraseTableOptions = Pick<BuildCorpusOptions, "skip" | "quote">;

/** A phrase as a corpus holds it: one space between words, none at the ends; "" where nothing is left. */
const cleanPhrase = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, " ").trim();

/**
 * The rows of a table of phrases. With a header the columns phrase, class, type and count are found by name;
 * without, the first column is the phrase, and of the others the one with lexical classes, the one with types
 * and the one with whole numbers are found by their content. Only the phrase is required: the default class is NP,
 * the default count 1.
 * @throws TableError with the line of an unknown class, type or count
 */
export async function* readPhraseTable(
  path: string,
  options: PhraseTableOptions = {},
): AsyncGenerator<CorpusPhrase> {
  const headers = ["phrase", "class", "type", "count"];
  for await (const { cell, place } of readRows(path, options, headers, phraseColumns)) {
    const phrase = cleanPhrase(cell("phrase"));
    const cells = [phrase, cell("class", "NP"), cell("type"), cell("count", "1")];
    if (phrase !== "") yield phraseOfCells(cells, place);
  }
}

/**
 * Pairs of phrases that mean the same: the columns phrase and synonym, or the first two. A third column is the
 * source. A phrase paired with itself is kept: training makes a twin of it by augmentation.
 */
export async function* readSynonymTable(
  path: string,
  options: PhraseTableOptions = {},
): AsyncGenerator<SynonymPair> {
  const headers = ["phrase", "synonym", "alias", "text", "positive", "name", "source"];
  const rows = readRows(path, options, headers, (table) => {
    const source = columnNames(table).indexOf("source");
    const third = table.description.columns.length > 2 ? 2 : -1;
    return { ...twoColumns(table, "phrase", "synonym"), source: source < 0 ? third : source };
  });
  for await (const { cell } of rows) {
    const [phrase, synonym] = [cleanPhrase(cell("phrase")), cleanPhrase(cell("synonym"))];
    if (phrase !== "" && synonym !== "")
      yield { phrase, synonym, source: cleanPhrase(cell("source")) || "table" };
  }
}

/**
 * Phrases with their types, labels of OntoNotes, CoNLL or spaCy: the columns phrase and type, or the first two.
 * @throws TableError that names the line of an unknown label, and the known ones
 */
export async function* readTypeList(
  path: string,
  { quote }: Pick<PhraseTableOptions, "quote"> = {},
): AsyncGenerator<{ readonly phrase: string; readonly type: FineType }> {
  const headers = ["phrase", "type", "label", "entity", "tag"];
  const rows = readRows(path, { quote }, headers, (table) => twoColumns(table, "phrase", "type"));
  for await (const { cell, place } of rows) {
    const phrase = cleanPhrase(cell("phrase"));
    if (phrase !== "") yield { phrase, type: typeOfCell(cell("type"), place) };
  }
}

/**
 * Reads rows. The first line is a header only if it has one of `headers`: a first row of names looks like a header too.
 * @param findColumns returns the index of each column by its role, -1 if it is absent
 */
async function* readRows(
  path: string,
  { quote, skip = [] }: PhraseTableOptions,
  headers: readonly string[],
  findColumns: (table: Table) => Readonly<Record<string, number>> | Promise<Readonly<Record<string, number>>>,
) {
  let table = await Table.open(path, { column: "1", quote });
  try {
    if (table.description.header && !columnNames(table).some((name) => headers.includes(name))) {
      await table.close();
      table = await Table.open(path, { column: "1", header: "absent", quote });
    }
    const columns = await findColumns(table);
    const streams = table.description.columns.map((_, index) => table.columnValues(String(index + 1)));
    let line = table.description.header ? 2 : 1;
    for (;;) {
      const chunks = await Promise.all(streams.map((stream) => stream.next()));
      if (chunks[0].done) return;
      const values = chunks.map(({ value }) => value as string[]);
      for (let row = 0; row < values[0].length; row++, line++) {
        if (values.some((cells) => skip.some((start) => cells[row].startsWith(start)))) continue;
        const at = line;
        yield {
          /** The cell of a column, or the default where the table has no such column. */
          cell: (column: string, missing = "") => values[columns[column]]?.[row] ?? missing,
          place: () => `${shownPath(path)}, line ${at}`,
        };
      }
    }
  } finally {
    await table.close();
  }
}

/** The names in the header; none without a header. */
const columnNames = ({ description: { columns, header } }: Table): string[] =>
  header ? columns.map((name) => name.trim().toLowerCase()) : [];

/** Two columns by name where the table has both names, else the first two. */
function twoColumns(table: Table, first: string, second: string): Record<string, number> {
  const { path, columns } = table.description;
  if (columns.length < 2)
    throw new TableError(
      `${shownPath(path)}: 1 column, expected 2, ${first} and ${second}. Separate the columns with a tab.`,
    );
  const [one, other] = [first, second].map((name) => columnNames(table).indexOf(name));
  return one >= 0 && other >= 0 ? { [first]: one, [second]: other } : { [first]: 0, [second]: 1 };
}

/** Finds columns by name; without names, by content: each of the first rows has a class, a type or a count there. */
async function phraseColumns(table: Table) {
  const names = columnNames(table);
  const phrase = Math.max(names.indexOf("phrase"), 0);
  const [lexicalClass, type, count] = ["class", "type", "count"].map((name) => names.indexOf(name));
  if (Math.max(lexicalClass, type, count) >= 0) return { phrase, class: lexicalClass, type, count };
  const samples: string[][] = [];
  for (const index of table.description.columns.keys()) {
    samples[index] = [];
    const first = table.columnValues(String(index + 1), { to: 1000 });
    for await (const cells of first) samples[index].push(...cells);
  }
  const find = (fits: (cell: string) => boolean): number =>
    samples.findIndex((cells, index) => index !== phrase && cells.length > 0 && cells.every(fits));
  return {
    phrase,
    class: find((cell) => (LEXICAL_CLASSES as readonly string[]).includes(cell.trim().toUpperCase())),
    type: find((cell) => fineTypeOf(cell) !== undefined),
    count: find((cell) => /^[1-9]\d*$/.test(cell)),
  };
}
