/**
 * Columns that say nothing about which rows are the same: in pairs that the other columns accept, their cells agree as often
 * as in any two rows. Their chance agreements would only move single pairs, so rows are matched again without them.
 */
import type { TableColumns } from "../columns/align.js";
import type { DroppedColumn, Field, PreparedTables } from "../columns/fields.js";
import type { KnownPair } from "../compare-tables.js";
import { missing } from "../evidence/pair-evidence.js";
import { sigmoid } from "../weights/logistic.js";
import { levelTotals } from "../weights/pair-table.js";
import { fewest } from "./promise.js";
import { contribution, type ScoredPairs } from "./scored-pairs.js";

/** Nats that a column must add to the log-odds of a match on average. */
const least = 0.05;
const fewestFilled = 30;

type SilentColumn = Pick<Field, "name" | "other">;

/** None if too few pairs are accepted to tell, or if no column would be left. */
export function silentColumns(
  { fields }: Pick<PreparedTables, "fields">,
  level: ScoredPairs,
): SilentColumn[] {
  if (level.accepted.length < fewest) return [];
  const totals = levelTotals(level.table);
  const silent = level.table.columns.flatMap(({ field }, column) =>
    field >= 0 && isSilent(level, column, totals[column]) ? [fields[field]] : [],
  );
  return silent.length === fields.length ? [] : silent;
}

/** Whether the levels of accepted pairs are distributed as those of all pairs, as far as their number can show. */
function isSilent(pairs: ScoredPairs, column: number, totals: Float64Array): boolean {
  const { table, logOdds, accepted } = pairs;
  const { field } = table.columns[column];
  const hidden = [...table.columns.keys()].filter(
    (other) => other === column || table.columns[other].from === field,
  );
  const counts = new Float64Array(totals.length);
  for (const pair of accepted) {
    const place = table.classOf[pair];
    const found = table.levels[column][place];
    if (found === missing) continue;
    // A pair counts as far as it is a match by the other columns alone.
    const without = hidden.reduce(
      (score, other) => score - contribution(pairs, other, place),
      logOdds[place],
    );
    counts[found] += sigmoid(without);
  }
  const filled = counts.reduce((sum, count) => sum + count, 0);
  if (filled < fewestFilled) return false;
  const all = totals.reduce((sum, count) => sum + count, 0);
  let [information, freedom] = [0, -1];
  counts.forEach((count, at) => {
    const expected = (filled * (totals[at] + 0.5)) / (all + 0.5 * totals.length);
    if (count > 0) information += (count / filled) * Math.log(count / expected);
    if (Math.max(count, expected) >= 0.5) freedom++;
  });
  // 2 n times the divergence of a sample is chi-squared where nothing differs: its mean plus three deviations.
  const byChance = (freedom + 3 * Math.sqrt(2 * Math.max(1, freedom))) / (2 * filled);
  return information < Math.max(least, byChance);
}

/** A table without silent columns, which it calls by their name on one of the sides. */
export function withoutColumns(
  table: TableColumns,
  silent: readonly SilentColumn[],
  side: keyof SilentColumn,
): TableColumns {
  const names = new Set(silent.map((column) => column[side]));
  return Object.fromEntries(Object.entries(table).filter(([name]) => !names.has(name)));
}

/** A result that names the silent columns among those left out, at every promise and with all answers. */
export function withSilent<
  Result extends {
    readonly dropped: readonly DroppedColumn[];
    atPrecision(target: number): Result;
    withKnown(known: readonly KnownPair[]): Promise<Result>;
  },
>(result: Result, silent: readonly SilentColumn[], side: keyof SilentColumn): Result {
  const reason = "agrees in matches as often as in any two rows";
  const dropped = [...result.dropped, ...silent.map((column) => ({ name: column[side], reason }))];
  return {
    ...result,
    dropped,
    atPrecision: (target) => withSilent(result.atPrecision(target), silent, side),
    withKnown: async (known) => withSilent(await result.withKnown(known), silent, side),
  };
}
