/** Hard negatives as parts of sharded work: those of a shard's phrases, without the empty slots. */
import type { Kept } from "../../files/shards/shard.js";
import type { MiningReport } from "./mine.js";
import type { MinedNegatives } from "./mining-worker.js";

/** What mining found, before it is written. */
export type Mining = Omit<MiningReport, "path">;

/** @param rows the corpus rows of the shard */
export function keptNegatives(
  rows: Int32Array,
  { counts, negatives, ratios, cosines }: MinedNegatives,
  listed: number,
  { phrases, candidates, full, negatives: found, withNegatives, floor, skipped }: Mining,
): Kept {
  const used = Array.from(rows, (row) => counts[row]);
  const slots = [...rows].flatMap((row, place) =>
    Array.from({ length: used[place] }, (_, rank) => row * listed + rank),
  );
  return {
    ...{ rows: Int32Array.from(rows), counts: Uint8Array.from(used) },
    negatives: Int32Array.from(slots, (slot) => negatives[slot]),
    ratios: Float32Array.from(slots, (slot) => ratios[slot]),
    cosines: Float32Array.from(slots, (slot) => cosines[slot]),
    sums: Float64Array.of(phrases, candidates, full, found, withNegatives),
    whole: Float64Array.of(floor, skipped.empty, skipped.tooLong),
  };
}

/** Puts the negatives of all shards into their slots. @returns what one run reports */
export async function mergedMining(
  parts: AsyncIterable<Kept>,
  mined: MinedNegatives,
  listed: number,
): Promise<Mining> {
  const sums = new Float64Array(5);
  let whole: Kept[string] = new Float64Array(3);
  for await (const part of parts) {
    let place = 0;
    part.rows.forEach((row, index) => {
      const end = place + part.counts[index];
      mined.counts[row] = part.counts[index];
      mined.negatives.set(part.negatives.subarray(place, end), row * listed);
      mined.ratios.set(part.ratios.subarray(place, end), row * listed);
      mined.cosines.set(part.cosines.subarray(place, end), row * listed);
      place = end;
    });
    part.sums.forEach((sum, index) => {
      sums[index] += sum;
    });
    whole = part.whole;
  }
  const [phrases, candidates, full, negatives, withNegatives] = sums;
  const [floor, empty, tooLong] = whole;
  return { phrases, candidates, full, negatives, withNegatives, floor, skipped: { empty, tooLong } };
}
