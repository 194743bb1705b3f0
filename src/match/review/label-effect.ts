/** How known pairs changed a result: rows by cause. */

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

/**
 * Compares the partners of each row without and with the known pairs.
 * @param without the partners of each row as a text, "" for none
 * @param known rows that a known pair is about
 */
export function labelEffect(
  without: readonly string[],
  within: readonly string[],
  known: ReadonlySet<number>,
): LabelEffect {
  let [decided, gained, lost, replaced] = [0, 0, 0, 0];
  without.forEach((before, row) => {
    const after = within[row];
    if (before === after) return;
    if (known.has(row)) decided++;
    else if (before === "") gained++;
    else if (after === "") lost++;
    else replaced++;
  });
  return { decided, gained, lost, replaced };
}

/** Left partners of each right row. */
export function partnersOfRight(
  rows: number,
  matches: readonly { readonly left: number; readonly right: number }[],
): string[] {
  const partners = new Array<string>(rows).fill("");
  for (const { left, right } of matches) partners[right] += `${left} `;
  return partners;
}

/** The other rows in the group of each row. Rows of one group share a text: their whole group. */
export function partnersInGroup(groupOf: Int32Array): string[] {
  const members = new Map<number, string>();
  const sizes = new Map<number, number>();
  groupOf.forEach((group, row) => {
    members.set(group, `${members.get(group) ?? ""}${row} `);
    sizes.set(group, (sizes.get(group) ?? 0) + 1);
  });
  return Array.from(groupOf, (group) => (sizes.get(group) === 1 ? "" : members.get(group)!));
}
