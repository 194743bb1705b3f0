/**
 * Many copies of one row teach nothing more than some of them, and make its values look common: further ones are left out of the
 * comparison, and belong to the group of the first.
 */
import { likeArray } from "../like-array.js";
import { isFilled } from "../match/cells/cell-words.js";
import type { TableColumns } from "../match/columns/align.js";
import { planColumns, rowsOf } from "../match/columns/fields.js";
import { profiler } from "../match/columns/profile.js";
import type { RowNumbers } from "../match/compare-tables.js";
import type { MatchedRows, MatchRowsOptions } from "../match/match-rows.js";
import { ruleKey, rulesOfRows } from "../match/rules.js";
import { firstEqual } from "./decided-groups.js";

/** Rows that are equal in all compared columns and are all compared. */
const most = 8;

interface Grouped<Self> extends MatchedRows<Self> {
  readonly groupOf: Int32Array;
  probabilityOf(a: number, b: number): number;
}

/** Groups rows as `group` does, without further copies; a copy that someone has judged is compared. */
export async function groupWithoutCopies<Found extends Grouped<Found>>(
  table: TableColumns,
  given: MatchRowsOptions,
  group: (table: TableColumns, options: MatchRowsOptions) => Promise<Found>,
): Promise<Found> {
  const options = { ...given, profileOf: given.profileOf ?? profiler() };
  const { known = [], rules } = options;
  const columns = planColumns(table, undefined, options).pairs.map(([name]) => table[name]);
  const first = firstEqual(rowsOf(table), (row) => {
    const cells = columns.map((column) => column[row]);
    return cells.some(isFilled) ? JSON.stringify([...cells, ruleKey(rules, row)]) : undefined;
  });
  const judged = new Set(known.flatMap(({ left, right }) => [left, right]));
  const copies = new Uint32Array(first.length);
  const isCompared = (row: number): boolean =>
    first[row] < 0 || copies[first[row]]++ < most || judged.has(row);
  const rows = Uint32Array.from([...first.keys()].filter(isCompared));
  if (rows.length === first.length) return group(table, options);
  const place = new Int32Array(first.length).fill(-1);
  for (const [at, row] of rows.entries()) place[row] = at;
  for (const row of place.keys()) if (place[row] < 0) place[row] = place[first[row]];
  const compared = Object.entries(table).map(
    ([name, cells]) => [name, likeArray(rows.length, (at) => cells[rows[at]])] as const,
  );
  const placed = known.map((pair) => ({ ...pair, left: place[pair.left], right: place[pair.right] }));
  const ofTable = <Pair extends RowNumbers>(pair: Pair): Pair => {
    return { ...pair, left: rows[pair.left], right: rows[pair.right] };
  };
  const ofAll = (found: Found): Found => ({
    ...found,
    groupOf: place.map((at) => found.groupOf[at]),
    probabilityOf: (a, b) => (place[a] === place[b] ? 1 : found.probabilityOf(place[a], place[b])),
    explain: (a, b) => found.explain(place[a], place[b]),
    doubtful: (count) => found.doubtful(count).map(ofTable),
    related: (count) => found.related(count).map(ofTable),
    rules: found.rules && { ...found.rules, example: found.rules.example && ofTable(found.rules.example) },
    withKnown: (all) => groupWithoutCopies(table, { ...options, known: all }, group),
    atPrecision: (target) => ofAll(found.atPrecision(target)),
  });
  const ofRows = rules && rulesOfRows(rules, [rows, rows]);
  return ofAll(await group(Object.fromEntries(compared), { ...options, known: placed, rules: ofRows }));
}
