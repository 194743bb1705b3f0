/** Which rows of a batch are not negatives of each other, beyond the paper: equal phrases, and known synonyms. */
import { disjointSets } from "../../disjoint-sets.js";
import type { BatchRow } from "../../pearl/batches.js";

/**
 * A number for each anchor, then each positive. Phrases with the same number are not negatives of each other: they
 * look the same to the model, are positives of each other, or known synonyms.
 * @param places number of each phrase of the batch
 * @param groups per phrase; equal numbers look the same to the model
 */
export function negativeGroups(
  rows: readonly BatchRow[],
  places: ReadonlyMap<string, number>,
  groups: Int32Array,
  synonyms: ReadonlyMap<string, readonly string[]>,
): Int32Array {
  const sets = disjointSets(groups.length);
  const groupOf = (text: string): number => groups[places.get(text) as number];
  const unite = (one: string, other: string): void => sets.unite(groupOf(one), groupOf(other));
  for (const { text, positive } of rows) {
    unite(text, positive);
    for (const known of [text, positive])
      for (const synonym of synonyms.get(known) ?? []) if (places.has(synonym)) unite(known, synonym);
  }
  const all = [...rows.map(({ text }) => text), ...rows.map(({ positive }) => positive)];
  return Int32Array.from(all, (text) => sets.rootOf(groupOf(text)));
}
