/** What `join`, `dedupe` and `cluster` report alike: a promise that cannot be kept. */
import type { PrecisionPromise } from "../../match/estimates/spacing-precision.js";

/** A line that says that the promise cannot be kept, and what can be promised; none if it is kept. */
export function promiseLines(promise: PrecisionPromise | undefined, noun: "match" | "group"): string[] {
  if (promise === undefined || promise.isKept) return [];
  // Rounded down, so that the value can be asked for.
  const best = Math.floor(promise.best * 1000) / 1000;
  const what = `no ${noun} reaches a precision of ${promise.asked}`;
  // A join drops pairs that are likelier wrong than right at any precision.
  if (noun === "match" && best <= 0.5) return [`${what}: no pair is likelier than ${best.toFixed(2)}`];
  return [`${what}: the best that can be promised is ${best}, with --precision ${best}`];
}
