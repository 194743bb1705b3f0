/**
 * Uninformative columns: in pairs that the other columns accept, their cells agree as often as in any two rows. Their chance
 * agreements would only move single pairs, so weights are learned again without them.
 */
import type { ComparedTables } from "../compare-tables.js";
import { missing } from "../evidence/levels.js";
import { rowComparison } from "../evidence/pair-evidence.js";
import { sigmoid } from "../weights/logistic.js";
import { classCount, pairClasses } from "../weights/pair-classes.js";
import { levelTotals } from "../weights/pair-table.js";
import { contribution, type ScoredPairs } from "./scored-pairs.js";

/** Why such a column is left out. */
export const uninformative = "agrees in matches as often as in any two rows";

/** Nats that a column must add to the log-odds of a match on average. */
const least = 0.05;
const [fewestAccepted, fewestFilled] = [50, 30];

/** Their fields: none if too few pairs are accepted to tell, or if no column would be left. */
export function uninformativeFields(level: ScoredPairs): number[] {
  if (level.accepted.length < fewestAccepted) return [];
  const { columns } = level.table;
  const totals = levelTotals(level.table);
  const found = columns.flatMap(({ field }, column) =>
    field >= 0 && isUninformative(level, column, totals[column]) ? [field] : [],
  );
  return columns.every(({ field }) => field < 0 || found.includes(field)) ? [] : found;
}

/** Whether the levels of accepted pairs are distributed as those of all pairs, as far as their number can show. */
function isUninformative(pairs: ScoredPairs, column: number, totals: Float64Array): boolean {
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

/**
 * The comparison without some fields, and without the columns made from them: weights are learned from the rest.
 * @param side whose headers are reported
 */
export function withoutFields(
  compared: ComparedTables,
  fields: readonly number[],
  side: "name" | "other",
): ComparedTables {
  const { tables, comparison, columns, levels, random, classOf, forbidden } = compared;
  const kept = [...tables.fields.keys()].filter((field) => !fields.includes(field));
  const only = <Item>(items: readonly Item[]): Item[] => kept.map((field) => items[field]);
  const naming = kept.indexOf(tables.naming);
  const { settings } = comparison;
  const less = rowComparison({
    ...{ ...settings, naming, fields: only(settings.fields), grams: only(settings.grams) },
    areNumbered: only(settings.areNumbered),
    vectors: naming < 0 ? undefined : settings.vectors,
  });
  const places = less.columns.map(({ name, field }) =>
    columns.findIndex((own) => (field < 0 ? own.field < 0 && own.name === name : own.field === kept[field])),
  );
  const classes = pairClasses(places.map((place) => levels[place]));
  /** Pairs of each class from those of the classes before. */
  const united = (counts: Uint32Array): Uint32Array => {
    const sums = new Uint32Array(classCount(classes));
    counts.forEach((count, place) => {
      sums[classes.classOf[place]] += count;
    });
    return sums;
  };
  const dropped = fields.map((field) => ({ name: tables.fields[field][side], reason: uninformative }));
  return {
    ...{ ...compared, comparison: less, columns: less.columns, levels: classes.levels },
    classOf: classOf.map((place) => classes.classOf[place]),
    forbidden: forbidden.map(united),
    random: places.map((place) => random[place]),
    tables: { ...tables, naming, fields: only(tables.fields), dropped: [...tables.dropped, ...dropped] },
  };
}
