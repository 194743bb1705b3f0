/**
 * What the search for near rows and the counts of words need of each row, as hashed terms: words of the row, values and words of
 * its columns, 3-grams of its name. They are stored, so that rows are not read again.
 */
import { FNV_BASIS, FNV_PRIME } from "../files/fnv.js";
import { isText } from "../match/columns/fields.js";
import { textReader } from "../match/columns/texts.js";
import type { ReadRows, WholeCounts } from "../match/rescore.js";
import type { LinkedRow } from "./reconcile.js";
import type { Store } from "./store.js";

/** The lowest bits of a term. Near rows are found by the first three. */
const kinds = { word: 0, gram: 1, code: 2, value: 3, filled: 4, fieldWord: 5 } as const;
const kindBits = 3;

/** 32 bits: of a million terms of a kind, one in a thousand shares its number with another. */
function termOf(kind: keyof typeof kinds, field: number, text: string): number {
  let state = Math.imul(FNV_BASIS, FNV_PRIME) ^ field;
  for (let index = 0; index < text.length; index++)
    state = Math.imul(state ^ text.charCodeAt(index), FNV_PRIME);
  state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d);
  return (((state ^ (state >>> 13)) << kindBits) | kinds[kind]) >>> 0;
}

/** Values of codes find rows; other values are counted only. */
const valueTerm = ({ tables }: ReadRows, field: number, text: string): number => {
  const { kind } = tables.fields[field];
  return termOf(isText(kind) || kind === "category" ? "value" : "code", field, text);
};

/** Returns a function for the terms of a row. */
function termsIn(read: ReadRows): (row: number) => Set<number> {
  const { tables, words } = read;
  const { fields, naming } = tables;
  const wordOf = textReader(tables.vocabulary);
  const textOf = fields.map(({ set }) => textReader(set.texts));
  return (row) => {
    const terms = new Set<number>();
    for (let place = words.left.starts[row]; place < words.left.starts[row + 1]; place++)
      terms.add(termOf("word", 0, wordOf(words.left.items[place])));
    fields.forEach(({ kind, left, set }, field) => {
      if (left[row] < 0) return;
      const text = textOf[field](left[row]);
      terms.add(termOf("filled", field, "")).add(valueTerm(read, field, text));
      if (!isText(kind)) return;
      for (let place = set.words.starts[left[row]]; place < set.words.starts[left[row] + 1]; place++)
        terms.add(termOf("fieldWord", field, wordOf(set.words.items[place])));
      if (field !== naming) return;
      const padded = ` ${text} `;
      for (let from = 0; from + 3 <= padded.length; from++)
        terms.add(termOf("gram", 0, padded.slice(from, from + 3)));
    });
    return terms;
  };
}

/** Stores the terms of rows. */
export async function writeTerms(
  store: Store,
  run: number,
  rows: readonly LinkedRow[],
  read: ReadRows,
): Promise<void> {
  const termsOf = termsIn(read);
  const lines = (function* () {
    for (const [place, { row }] of rows.entries()) yield [row, `[${[...termsOf(place)].join()}]`];
  })();
  await store.makeTemporary("new_term", '"row" INTEGER, terms VARCHAR', lines);
  await store.put("term", run, 'SELECT "row", unnest(terms::UINTEGER[]) FROM new_term');
  await store.query(
    `INSERT INTO counted SELECT ${run}, term, sum(change) FROM (
       SELECT term, 1 AS change FROM term WHERE run = ${run} UNION ALL SELECT term, -1 FROM term WHERE until = ${run})
     GROUP BY term HAVING sum(change) <> 0`,
  );
}

/** A query for how many rows have each of some terms. */
const countsOf = (terms: string): string =>
  `SELECT term, sum(change)::INTEGER AS count FROM counted WHERE term IN (${terms}) GROUP BY term`;

/** Rows per new row, and other rows visited for each kind of term to find them. */
const k = 6;
const mostVisited = 1000;
/** A code of more rows is a common value. */
const mostEqual = 12;

/**
 * Finds the rows that each new or changed row may be the same as: by rare words of the whole row, by letters of the name and by
 * equal codes (BM25 without the lengths of rows, Robertson and Zaragoza 2009; each kind counts as its share of the most that it
 * can reach), and by equal cells.
 * @returns a query for the pairs, a row of this run first
 */
export async function findNear(store: Store, run: number): Promise<string> {
  await store.query(
    `CREATE OR REPLACE TEMP TABLE new_count AS ${countsOf(`SELECT term FROM term WHERE run = ${run}`)}`,
  );
  return `
    WITH stored AS (SELECT * FROM term WHERE until IS NULL AND term & 7 <= ${kinds.code}),
    followed AS (
      SELECT "row" AS new, term, term & 7 AS kind, (1e5 * ln(1 + (size - count + 0.5) / (count + 0.5)))::INTEGER AS rarity
      FROM stored JOIN new_count USING (term), (SELECT count(*) AS size FROM "row" WHERE until IS NULL)
      WHERE run = ${run} AND (kind < ${kinds.code} OR count <= ${mostEqual})
      WINDOW visited AS (PARTITION BY new, kind ORDER BY count, term)
      QUALIFY sum(count) OVER visited <= ${mostVisited} OR row_number() OVER visited = 1),
    weighed AS (
      SELECT new, term, (rarity::BIGINT << 20) // sum(rarity) OVER (PARTITION BY new, kind) AS share FROM followed),
    scored AS (
      SELECT new, "row" AS old, sum(share)::BIGINT AS score FROM weighed JOIN stored USING (term)
      WHERE new <> "row" GROUP BY new, "row")
    SELECT new, unnest(max_by(old, (score << 31) - old, ${k})) AS old FROM scored GROUP BY new
    UNION SELECT a."row", min(b."row") FROM "row" a JOIN "row" b ON a.cells = b.cells AND a."row" <> b."row"
      WHERE a.run = ${run} AND a.until IS NULL AND b.until IS NULL GROUP BY a."row"`;
}

/** The counts of the values and words of some rows in the whole store. */
export async function wholeCounts(
  store: Store,
  read: ReadRows,
  rows: readonly LinkedRow[],
): Promise<WholeCounts> {
  const termsOf = termsIn(read);
  const asked = new Set(rows.flatMap((_, row) => [...termsOf(row)]));
  const lines = (function* () {
    for (const term of asked) yield [term];
  })();
  await store.makeTemporary("new_asked", "term UINTEGER", lines);
  const counted = await store.query<{ term: number; count: number }>(countsOf("SELECT term FROM new_asked"));
  const counts = new Map(counted.map(({ term, count }) => [term, count]));
  const [{ size }] = await store.query<{ size: number }>(
    'SELECT count(*)::INTEGER AS size FROM "row" WHERE until IS NULL',
  );
  const countOf = (term: number): number => counts.get(term) ?? 0;
  return {
    rows: size,
    filled: (field) => countOf(termOf("filled", field, "")),
    value: (field, text) => countOf(valueTerm(read, field, text)),
    fieldWord: (field, word) => countOf(termOf("fieldWord", field, word)),
    rowWord: (word) => countOf(termOf("word", 0, word)),
  };
}
