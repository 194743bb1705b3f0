/** Users' tables: phrases with class, type and count; pairs of synonyms; lists of typed phrases. */
import { TableError } from "../errors.js";
import { formatCount } from "../files/count-text.js";
import { LEXICAL_CLASSES } from "../pearl/phrase-types.js";
import { shownPath } from "../table/read/source.js";
import { namesColumns, Table } from "../table/table.js";
import type { BuildCorpusOptions } from "./build-corpus.js";
import { type CorpusPhrase, phraseOfCells, type SynonymPair, typeOfCell } from "./corpus-folder.js";
import { type FineType, fineTypeOf } from "./typing/fine-types.js";

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

type PhraseTableOptions = Pick<BuildCorpusOptions, "skip" | "quote" | "signal" | "onNote">;

/** A phrase as a corpus holds it: one space between words, none at the ends; "" where nothing is left. */
const cleanPhrase = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, " ").trim();

/**
 * The rows of a table of phrases. With a header the columns phrase, class, type and count are found by name;
 * without, the first column is the phrase, and of the others the one with lexical classes, the one with types
 * and the one with whole numbers are found by their content. Only the phrase is required: the default class is NP,
 * the default count 1.
 * @throws TableError with the line of an unknown class, type or count, or where the names of columns do not say what to read
 */
export async function* readPhraseTable(
  path: string,
  options: PhraseTableOptions,
): AsyncGenerator<CorpusPhrase> {
  const roles = { phrase: ["phrase"], class: ["class"], type: ["type"], count: ["count"] };
  for await (const { cell, place } of readRows(path, options, { roles, required: ["phrase"] }, byContent)) {
    const phrase = cleanPhrase(cell("phrase"));
    const cells = [phrase, cell("class", "NP"), cell("type"), cell("count", "1")];
    if (phrase !== "") yield phraseOfCells(cells, place);
  }
}

const synonymColumns: NamedColumns = {
  roles: {
    phrase: ["phrase", "text", "name"],
    synonym: ["synonym", "positive", "alias"],
    source: ["source"],
  },
  required: ["phrase", "synonym"],
};

/**
 * Pairs of phrases that mean the same: the columns phrase and synonym, or without a header the first two. The source is
 * the column of that name, or the third. A phrase paired with itself is kept: training makes a twin of it by augmentation.
 */
export async function* readSynonymTable(
  path: string,
  options: PhraseTableOptions,
): AsyncGenerator<SynonymPair> {
  const rows = readRows(path, options, synonymColumns, ({ description: { columns } }) => {
    return { phrase: 0, synonym: 1, source: columns.length > 2 ? 2 : -1 };
  });
  for await (const { cell } of rows) {
    const [phrase, synonym] = [cleanPhrase(cell("phrase")), cleanPhrase(cell("synonym"))];
    if (phrase !== "" && synonym !== "")
      yield { phrase, synonym, source: cleanPhrase(cell("source")) || "table" };
  }
}

const typeColumns: NamedColumns = {
  roles: { phrase: ["phrase", "text", "name"], type: ["type", "label", "tag", "entity"] },
  required: ["phrase", "type"],
};

/**
 * Phrases with their types, labels of OntoNotes, CoNLL or spaCy: the columns phrase and type, or without a header the
 * first two.
 * @throws TableError that names the line of an unknown label, and the known ones
 */
export async function* readTypeList(
  path: string,
  options: Omit<PhraseTableOptions, "skip">,
): AsyncGenerator<{ readonly phrase: string; readonly type: FineType }> {
  const rows = readRows(path, { ...options, skip: [] }, typeColumns, () => ({ phrase: 0, type: 1 }));
  for await (const { cell, place } of rows) {
    const phrase = cleanPhrase(cell("phrase"));
    if (phrase !== "") yield { phrase, type: typeOfCell(cell("type"), place) };
  }
}

/** What columns are called that have a role, and the roles that a table must have. */
interface NamedColumns {
  readonly roles: Readonly<Record<string, readonly string[]>>;
  readonly required: readonly string[];
}

/** The index of each column by its role, -1 if it is absent. */
type ColumnsByRole = Readonly<Record<string, number>>;

/**
 * Reads rows. The first line of a tab-separated table is a header only if it has a known name: a first row of names looks
 * like a header too.
 * @param withoutNames finds the columns of a table without a header
 */
async function* readRows(
  path: string,
  { quote, skip = [], signal, onNote }: PhraseTableOptions,
  named: NamedColumns,
  withoutNames: (table: Table) => ColumnsByRole | Promise<ColumnsByRole>,
) {
  const known = Object.values(named.roles).flat();
  let table = await Table.open(path, { column: "1", quote, signal });
  try {
    const { delimiter, columns: all } = table.description;
    if (all.length < named.required.length)
      throw new TableError(
        `${shownPath(path)}: 1 column, expected 2, ${named.required.join(" and ")}. Separate the columns with a tab.`,
      );
    const isNamed = columnNames(table).some((name) => known.includes(name));
    if (!isNamed && namesColumns(table.description) && all.length > 1) {
      if (delimiter !== "\t") throw unclear(table, named);
      await table.close();
      table = await Table.open(path, { column: "1", header: "absent", quote, signal });
    }
    const columns = isNamed ? byName(table, named) : await withoutNames(table);
    onNote?.(summaryOf(table, columns));
    const streams = table.description.columns.map((_, index) => table.columnValues(String(index + 1)));
    let line = table.description.header ? 2 : 1;
    for (;;) {
      signal?.throwIfAborted();
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

/** The names that the table gives its columns, if any. */
const columnNames = ({ description }: Table): string[] =>
  namesColumns(description) ? description.columns.map((name) => name.trim().toLowerCase()) : [];

/** Columns by their names; required ones that are not named are the other columns, if there are as many. */
function byName(table: Table, named: NamedColumns): ColumnsByRole {
  const names = columnNames(table);
  const found = Object.fromEntries(
    Object.entries(named.roles).map(([role, words]) => [
      role,
      words.map((word) => names.indexOf(word)).find((at) => at >= 0) ?? -1,
    ]),
  );
  const missing = named.required.filter((role) => found[role] < 0);
  const taken = Object.values(found);
  const others = [...names.keys()].filter((at) => !taken.includes(at));
  if (missing.length > 0 && missing.length !== others.length) throw unclear(table, named);
  return { ...found, ...Object.fromEntries(missing.map((role, i) => [role, others[i]])) };
}

const unclear = ({ description: { path, columns } }: Table, { roles }: NamedColumns): TableError =>
  new TableError(
    `${shownPath(path)}: which columns are to be read? It has ${columns.join(", ")}. ` +
      `Name them in the first line: ${Object.keys(roles).join(", ")}.`,
  );

function summaryOf({ description }: Table, found: ColumnsByRole): string {
  const { path, rowCount, columns } = description;
  const used = Object.entries(found).filter(([, at]) => at >= 0);
  const sources = used.map(([role, at]) => `${role} from "${columns[at]}"`);
  return `${shownPath(path)}: ${formatCount(rowCount)} rows; ${sources.join(", ")} of ${columns.join(", ")}`;
}

/** The first column as the phrase, others by content: each of the first rows has a class, a type or a count there. */
async function byContent(table: Table): Promise<ColumnsByRole> {
  const samples: string[][] = [];
  for (const index of table.description.columns.keys()) {
    samples[index] = [];
    const first = table.columnValues(String(index + 1), { to: 1000 });
    for await (const cells of first) samples[index].push(...cells);
  }
  const find = (fits: (cell: string) => boolean): number =>
    samples.findIndex((cells, index) => index > 0 && cells.length > 0 && cells.every(fits));
  return {
    phrase: 0,
    class: find((cell) => (LEXICAL_CLASSES as readonly string[]).includes(cell.trim().toUpperCase())),
    type: find((cell) => fineTypeOf(cell) !== undefined),
    count: find((cell) => /^[1-9]\d*$/.test(cell)),
  };
}
