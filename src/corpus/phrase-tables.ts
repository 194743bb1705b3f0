/** Tables that people have: phrases with class, type and count; pairs of synonyms; lists of typed phrases. */
import { TableError } from "../errors.js";
import { type FineType, LEXICAL_CLASSES, type LexicalClass } from "../pearl/phrase-types.js";
import { shownPath } from "../table/read/source.js";
import { Table } from "../table/table.js";
import type { SynonymPair } from "./corpus-folder.js";
import { fineTypeOf, KNOWN_LABELS } from "./typing/labels.js";

/** A row of a table of phrases. */
export interface TablePhrase {
  readonly phrase: string;
  readonly lexicalClass: LexicalClass;
  readonly type?: FineType;
  readonly count: number;
}

/** How tables of phrases and pairs are read. */
export interface PhraseTableOptions {
  /** Rows are left out in which a cell begins with one of these ("bc5cdr"). Default none. */
  readonly skip?: readonly string[];
  /** Whether quotes hold cells together (default "double") or are ordinary characters ("none"). */
  readonly quote?: "double" | "none";
}

/** A phrase as a corpus holds it: one space between words, none at the ends; "" where nothing is left. */
export function cleanPhrase(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, " ").trim();
}

/**
 * The rows of a table of phrases. With a header the columns phrase, class, type and count are taken by name;
 * without, the first column is the phrase, and of the others the one with lexical classes, the one with types
 * and the one with whole numbers are found by their content. Only the phrase must be there: the class of a
 * phrase without is NP, its count 1.
 * @throws TableError with the line of an unknown class, type or count
 */
export async function* readPhraseTable(
  path: string,
  options: PhraseTableOptions = {},
): AsyncGenerator<TablePhrase> {
  const table = await openTable(path, options.quote, (names) =>
    names.some((name) => phraseColumns.has(name)),
  );
  try {
    const columns = await columnsOf(table);
    const firstLine = table.description.header ? 2 : 1;
    for await (const { cells, row } of rowsOf(table, options.skip ?? [])) {
      const phrase = cleanPhrase(cells[columns.phrase]);
      if (phrase === "") continue;
      const place = (): string => `${shownPath(path)} line ${firstLine + row}`;
      const type = columns.type === undefined ? "" : cells[columns.type].trim();
      yield {
        phrase,
        lexicalClass: columns.class === undefined ? "NP" : classOf(cells[columns.class], place),
        ...(type === "" ? {} : { type: typeOf(type, place) }),
        count: columns.count === undefined ? 1 : countOf(cells[columns.count], place),
      };
    }
  } finally {
    await table.close();
  }
}

/**
 * Pairs of phrases that mean the same: the first two columns of a table, or those named phrase and synonym. A third column
 * is the source. A phrase paired with itself is kept: it asks training for a twin of it.
 */
export async function* readSynonymTable(
  path: string,
  options: PhraseTableOptions = {},
): AsyncGenerator<SynonymPair> {
  const table = await openTable(path, options.quote, (names) => names.some((name) => pairColumns.has(name)));
  try {
    const { columns, header } = table.description;
    if (columns.length < 2)
      throw new TableError(
        `${shownPath(path)}: a table of synonyms has two columns, found one. Separate the phrases with a tab.`,
      );
    const named = (name: string, otherwise: number): number =>
      header && columns.includes(name) ? columns.indexOf(name) : otherwise;
    const [left, right] = [named("phrase", 0), named("synonym", 1)];
    const third = columns.length > 2 ? named("source", 2) : undefined;
    for await (const { cells } of rowsOf(table, options.skip ?? [])) {
      const phrase = cleanPhrase(cells[left]);
      const synonym = cleanPhrase(cells[right]);
      if (phrase === "" || synonym === "") continue;
      yield { phrase, synonym, source: (third === undefined ? "" : cleanPhrase(cells[third])) || "table" };
    }
  } finally {
    await table.close();
  }
}

/**
 * A list of phrases with their types, labels of OntoNotes, CoNLL or spaCy: columns phrase and type, or the first
 * two. Where a phrase has several, the last counts.
 * @throws TableError that names the line of an unknown label, and the known ones
 */
export async function readTypeList(
  path: string,
  options: Pick<PhraseTableOptions, "quote"> = {},
): Promise<Map<string, FineType>> {
  const types = new Map<string, FineType>();
  const table = await openTable(path, options.quote, (names) => names.some((name) => listColumns.has(name)));
  try {
    const { columns, header } = table.description;
    const isNamed = header && columns.includes("phrase") && columns.includes("type");
    const [phraseColumn, typeColumn] = isNamed
      ? [columns.indexOf("phrase"), columns.indexOf("type")]
      : [0, 1];
    if (columns.length < 2)
      throw new TableError(
        `${shownPath(path)}: a list of types has two columns, phrase and type, found one. Separate them with a tab.`,
      );
    const firstLine = header ? 2 : 1;
    for await (const { cells, row } of rowsOf(table, [])) {
      const phrase = cleanPhrase(cells[phraseColumn]);
      if (phrase !== "")
        types.set(
          phrase,
          typeOf(cells[typeColumn], () => `${shownPath(path)} line ${firstLine + row}`),
        );
    }
  } finally {
    await table.close();
  }
  return types;
}

const phraseColumns = new Set(["phrase", "class", "type", "count"]);
const listColumns = new Set(["phrase", "type", "label", "entity", "tag"]);
const pairColumns = new Set(["phrase", "synonym", "alias", "text", "positive", "name", "source"]);

/** Opens a table whose first line is a header only where `isHeader` says so of its cells: names of things look alike. */
async function openTable(
  path: string,
  quote: PhraseTableOptions["quote"],
  isHeader: (names: readonly string[]) => boolean,
): Promise<Table> {
  const table = await Table.open(path, { column: "1", quote });
  const { header, columns } = table.description;
  if (!header || isHeader(columns.map((name) => name.trim().toLowerCase()))) return table;
  await table.close();
  return Table.open(path, { column: "1", header: "absent", quote });
}

function classOf(cell: string, place: () => string): LexicalClass {
  const found = LEXICAL_CLASSES.find((name) => name === cell.trim().toUpperCase());
  if (found !== undefined) return found;
  throw new TableError(`${place()}: unknown class "${cell}": use ${LEXICAL_CLASSES.join(", ")}.`);
}

function typeOf(cell: string, place: () => string): FineType {
  const type = fineTypeOf(cell);
  if (type !== undefined) return type;
  throw new TableError(`${place()}: unknown type "${cell}". Known are ${KNOWN_LABELS.join(", ")}.`);
}

function countOf(cell: string, place: () => string): number {
  const count = Number(cell);
  if (Number.isInteger(count) && count >= 1) return count;
  throw new TableError(`${place()}: the count "${cell}" must be a whole number of at least 1.`);
}

interface PhraseColumns {
  readonly phrase: number;
  readonly class?: number;
  readonly type?: number;
  readonly count?: number;
}

/** Which column is what. Without names, by the first rows: a class, a type or a count in every one. */
async function columnsOf(table: Table): Promise<PhraseColumns> {
  const { columns, header } = table.description;
  const names = columns.map((name) => name.trim().toLowerCase());
  const phrase = header ? Math.max(names.indexOf("phrase"), 0) : 0;
  if (header && ["class", "type", "count"].some((name) => names.includes(name))) {
    const at = (name: string): number | undefined => (names.includes(name) ? names.indexOf(name) : undefined);
    return { phrase, class: at("class"), type: at("type"), count: at("count") };
  }
  const samples: string[][] = columns.map(() => []);
  for await (const { cells } of rowsOf(table, [], 1000))
    for (const [index, cell] of cells.entries()) samples[index].push(cell);
  const find = (fits: (cell: string) => boolean): number | undefined => {
    const index = samples.findIndex((cells, at) => at !== phrase && cells.length > 0 && cells.every(fits));
    return index < 0 ? undefined : index;
  };
  return {
    phrase,
    class: find((cell) => (LEXICAL_CLASSES as readonly string[]).includes(cell.trim().toUpperCase())),
    type: find((cell) => fineTypeOf(cell) !== undefined),
    count: find((cell) => /^[1-9]\d*$/.test(cell)),
  };
}

/** All cells of each row, as text; rows with a cell that begins with one of `skip` are left out. */
async function* rowsOf(
  table: Table,
  skip: readonly string[],
  limit: number = Number.POSITIVE_INFINITY,
): AsyncGenerator<{ cells: string[]; row: number }> {
  const streams = table.description.columns.map((_, index) => table.columnValues(String(index + 1)));
  for (let row = 0; ; ) {
    const chunks: string[][] = [];
    for (const stream of streams) {
      const { value, done } = await stream.next();
      if (done) return;
      chunks.push(value);
    }
    for (let index = 0; index < chunks[0].length; index++, row++) {
      if (row >= limit) {
        for (const stream of streams) await stream.return(undefined);
        return;
      }
      const cells = chunks.map((chunk) => chunk[index]);
      if (!cells.some((cell) => skip.some((start) => cell.startsWith(start)))) yield { cells, row };
    }
  }
}
