/** How known pairs changed a result: rows by cause. */
import { placesByNumber } from "../../places-by-number.js";
import type { RowNumbers } from "../compare-tables.js";

/** Numbers of rows whose partners are others than without the known pairs. */
export interface LabelEffect {
  /** A known pair is about this row. */
  readonly decided: number;
  /** A partner for a row that had none. */
  readonly gained: number;
  /** No partner for a row that had one. */
  readonly lost: number;
  /** Other partners. */
  readonly replaced: number;
}

/** The partners of each row in two results. */
export interface Partners {
  readonly rows: number;
  /** Whether the row has partners in the first. */
  had(row: number): boolean;
  /** Whether it has some in the second. */
  has(row: number): boolean;
  /** Whether they are the same. */
  isSame(row: number): boolean;
}

/**
 * Compares the partners of each row without and with the known pairs.
 * @param known rows that a known pair is about
 */
export function labelEffect({ rows, had, has, isSame }: Partners, known: ReadonlySet<number>): LabelEffect {
  const effect = { decided: 0, gained: 0, lost: 0, replaced: 0 };
  for (let row = 0; row < rows; row++) {
    if (isSame(row)) continue;
    effect[known.has(row) ? "decided" : !had(row) ? "gained" : !has(row) ? "lost" : "replaced"]++;
  }
  return effect;
}

/** The left partners of each right row. Both lists of matches are in the same order. */
export function partnersOfRight(
  rows: number,
  before: readonly RowNumbers[],
  after: readonly RowNumbers[],
): Partners {
  const texts = [before, after].map((matches) => {
    const partners = new Array<string>(rows).fill("");
    for (const { left, right } of matches) partners[right] += `${left} `;
    return partners;
  });
  const [without, within] = texts;
  return {
    rows,
    had: (row) => without[row] !== "",
    has: (row) => within[row] !== "",
    isSame: (row) => without[row] === within[row],
  };
}

/** The other rows of each row's group. @param before the group of each row, from 0 on */
export function partnersInGroup(before: Int32Array, after: Int32Array): Partners {
  const [without, within] = [before, after].map(groupSizes);
  // A group is as before where all its rows are in one, and that has no others.
  const afterOf = new Int32Array(without.groups).fill(-1);
  const isTorn = new Uint8Array(without.groups);
  before.forEach((group, row) => {
    if (afterOf[group] < 0) afterOf[group] = after[row];
    else if (afterOf[group] !== after[row]) isTorn[group] = 1;
  });
  return {
    rows: before.length,
    had: (row) => without.sizeOf(before[row]) > 1,
    has: (row) => within.sizeOf(after[row]) > 1,
    isSame: (row) => isTorn[before[row]] === 0 && without.sizeOf(before[row]) === within.sizeOf(after[row]),
  };
}

function groupSizes(groupOf: Int32Array) {
  const { starts } = placesByNumber(groupOf);
  return { groups: starts.length - 1, sizeOf: (group: number): number => starts[group + 1] - starts[group] };
}
