/** Says in one line how precise a result is. */
import type { PrecisionReport } from "./promise.js";

/** Of a wider range, the smallest estimate tells nothing. */
const widest = 0.8;

/** One line: the estimate with its range, and whether it establishes the promise. */
export function precisionLine({ estimate, low, high, promise }: PrecisionReport): string {
  // As many digits as the estimate has, so that rounding never puts it outside its range.
  const [least, most] = [low.toFixed(3), high.toFixed(3)];
  const range = least < most ? ` (${least} to ${most})` : "";
  const estimated =
    high - low > widest
      ? `the precision may be anything from ${least} to ${most}`
      : `estimated precision ${estimate.toFixed(3)}${range}`;
  return promise.established
    ? `${estimated}: a precision of ${promise.target} is established, ${promise.reason}`
    : `a precision of ${promise.target} is not established: ${promise.reason}; ${estimated}`;
}
