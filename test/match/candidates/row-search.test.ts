import { expect, it } from "vitest";
import { indexTerms, type SparseRows } from "../../../src/match/candidates/grams.js";
import { openSearch } from "../../../src/match/candidates/term-search.js";
import { createRandom } from "../../../src/random.js";

const random = createRandom(5);
const [rows, terms, different] = [700, 40, 30];
const termsOf = Array.from({ length: different }, (_, value) =>
  Array.from({ length: terms }, (_, term) => term).filter(
    (term) => value > 0 && random() < 0.2 / (1 + (term % 7)),
  ),
);
// The first values are common; the first of all has no terms.
const values = Int32Array.from({ length: rows }, () => Math.floor(different * random() ** 2) - 1);

function rowsOf(of: Int32Array): SparseRows {
  const lists = Array.from(of, (value) => termsOf[value + 1]);
  const starts = Uint32Array.from([0, ...lists], () => 0);
  lists.forEach((list, row) => {
    starts[row + 1] = starts[row] + list.length;
  });
  const columns = Uint32Array.from(lists.flat());
  return { starts, columns, weights: Float32Array.from(columns, (term) => 1 / (1 + (term % 5))) };
}

it.each([true, false])("finds what each row finds alone (one table: %s)", (isOneTable) => {
  const base = rowsOf(values);
  const queries = isOneTable ? base : rowsOf(values.slice(100, 500));
  const limits = { k: 5, least: 0.3, postings: 200, isOneTable };
  const settings = { ...limits, base, index: indexTerms(base, terms) };
  const part = { from: 0, to: queries.starts.length - 1 };
  const alone = openSearch({ ...settings, queries })(part);
  const together = openSearch({
    ...settings,
    queries: { ...queries, values: isOneTable ? values : values.slice(100, 500) },
  })(part);
  expect(alone.queries.length).toBeGreaterThan(800);
  expect(together).toEqual(alone);
  if (isOneTable) expect(alone.queries.some((query, pair) => query === alone.rows[pair])).toBe(false);
});
