/** Numbers rows of equal text, and warns of what makes a join of two tables less reliable. */
import { formatCount } from "../../files/count-text.js";
import { TextNumbers } from "../../match/columns/texts.js";
import type { JoinColumn } from "../../match/columns.js";
import type { Rankings } from "../../match/estimates/estimate.js";
import { foldPhrase } from "../../match/evidence/phrase.js";
import { isVisible } from "../../text/visible.js";

type RowKeys = Pick<Rankings, "leftKeys" | "rightKeys">;

/** Numbers rows: the same number for rows with cells that differ only in case, accents and spaces. */
export function keysOf({ left, right }: JoinColumn): RowKeys {
  const numbers = new TextNumbers();
  const keyOf = (text: string): number => numbers.numberOf(foldPhrase(text));
  return { leftKeys: Int32Array.from(left, keyOf), rightKeys: Int32Array.from(right, keyOf) };
}

/** With fewer left rows, their spacing is weak evidence. */
const fewRows = 20;

/** One sentence for each thing that weakens the join. @param sides the place of each row of the left and the right table */
export function tableWarnings(
  texts: JoinColumn,
  name: string,
  { leftKeys, rightKeys }: RowKeys,
  [left, right]: readonly { readonly places: Uint32Array }[],
): string[] {
  const warnings: string[] = [];
  // Empty rows match nothing, and have a warning of their own.
  const filled = leftKeys.filter((_, row) => isVisible(texts.left[row]));
  const repeated = filled.length - new Set(filled).size;
  if (repeated > 0)
    warnings.push(
      `left table: ${formatCount(repeated)} of ${formatCount(leftKeys.length)} rows repeat the ${name} of another row. The ` +
        "precision estimate assumes a left table with almost no duplicates; remove them first.",
    );
  if (leftKeys.length < fewRows)
    warnings.push(
      `left table: ${formatCount(leftKeys.length)} row${leftKeys.length === 1 ? " is" : "s are"} too few to show how far apart ` +
        "different things are; check the matches before you rely on the estimated precision.",
    );
  for (const side of ["left", "right"] as const) {
    const empty = texts[side].filter((text) => !isVisible(text)).length;
    if (empty > 0) {
      const rows = `${formatCount(empty)} of ${formatCount(texts[side].length)} rows`;
      warnings.push(`${side} table: ${name} is empty in ${rows}; they match nothing.`);
    }
  }
  const isSame =
    leftKeys.length === rightKeys.length &&
    left.places.every((place, row) => leftKeys[place] === rightKeys[right.places[row]]);
  if (isSame && leftKeys.length > 1)
    warnings.push(`both tables contain the same ${name} in the same order: every row matches itself.`);
  return warnings;
}
