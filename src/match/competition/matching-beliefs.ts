/** One partner per row on both sides: the chance of each pair over all matchings, by belief propagation. */
import { shared } from "../../runtime/shared-array.js";
import { possibleOdds } from "../weights/expected-counts.js";
import type { PairTable } from "../weights/pair-table.js";
import { addAll, openSpans, type SpanOptions } from "./spans.js";

/** Rounds of messages: they settle within a few. */
const rounds = 12;
/** Messages are differences of odds, of which the largest must not swallow the others. */
const mostMessageLogOdds = 40;

/**
 * The probability of each pair where every row has one partner at most, by belief propagation (Huang and Jebara 2009): a
 * rival counts less if its other row has a better partner.
 * @param logOdds of each class
 */
export async function matchingBeliefs(
  table: PairTable,
  logOdds: Float64Array,
  matches: number,
  options: SpanOptions = {},
): Promise<Float64Array> {
  const shift = -Math.log(Math.max(0.02, 1 - matches / Math.min(...table.rows)));
  const odds = shared(Float64Array, logOdds.length);
  odds.set(possibleOdds(logOdds, shift, mostMessageLogOdds));
  const [left, right] = table.rows.map((rows) => shared(Float64Array, rows));
  const free = shared(Float64Array, table.right.length).fill(1);
  let apart: readonly Float64Array[] = [];
  const spans = openSpans(
    "believe",
    table,
    (pairs, later) => {
      apart = Array.from({ length: later }, () => shared(Float64Array, table.rows[1]));
      return { pairs, odds, left, right, apart, free };
    },
    options,
  );
  try {
    for (let round = 0; round < rounds; round++) {
      left.fill(1);
      await spans.each({ step: round === 0 ? "first left" : "left" });
      right.fill(1);
      for (const ofSpan of apart) ofSpan.fill(0);
      await spans.each({ step: "right" });
      for (const ofSpan of apart) addAll(right, ofSpan);
    }
    await spans.each({ step: "believe" });
  } finally {
    await spans.close();
  }
  return free;
}
