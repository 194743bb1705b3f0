/** A simulated person who judges the pairs that a result proposes, in rounds of ten. */
import type { KnownPair } from "../../src/match/compare-tables.js";
import type { DoubtfulPair } from "../../src/match/review/doubtful.js";

interface Reviewed<Self> {
  doubtful(count: number): DoubtfulPair[];
  withKnown(known: readonly KnownPair[]): Promise<Self>;
}

/** @param isMatch the truth @returns the result after each round, until nothing is asked or `isDone` */
export async function review<Result extends Reviewed<Result>>(
  start: Result,
  isMatch: (left: number, right: number) => boolean,
  isDone: (result: Result) => boolean,
): Promise<{ results: Result[]; known: KnownPair[] }> {
  const known: KnownPair[] = [];
  const results = [start];
  while (!isDone(results.at(-1)!)) {
    const asked = results.at(-1)!.doubtful(10);
    if (asked.length === 0) break;
    for (const { left, right } of asked) known.push({ left, right, match: isMatch(left, right) });
    results.push(await results.at(-1)!.withKnown(known));
  }
  return { results, known };
}
