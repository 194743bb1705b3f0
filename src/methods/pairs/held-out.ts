/** Pairs that a training does not see: how well their texts find their positives chooses the weights that are kept. */
import { groupBy } from "../../by-key.js";
import { disjointSets, numbered } from "../../disjoint-sets.js";
import { withEncoder } from "../../encoder/with-encoder.js";
import { ArgumentError } from "../../errors.js";
import { shuffled } from "../../random.js";
import { mean } from "../../statistics.js";
import type { Pair, PairTable } from "./pairs.js";

/** Pairs from which on a tenth is held out, and held-out pairs at most. */
const [fewest, most] = [200, 1000];

type Numbered = Pair & { readonly group: number };

export interface SplitPairs {
  readonly trained: readonly Pair[];
  /** `group`: equal for pairs that share phrases, also over several pairs. */
  readonly heldOut: readonly Numbered[];
}

/**
 * Holds out a fraction of the pairs, and no phrase is on both sides: pairs that share phrases stay together. Nothing is held
 * out where pairs have scores, or positives that a label or a view made.
 * @param fraction default: a tenth of at least 200 pairs @throws ArgumentError where a fraction is given and cannot be held out
 */
export function splitPairs(
  { pairs, positives }: Pick<PairTable, "pairs" | "positives">,
  { fraction, random }: { readonly fraction?: number; readonly random: () => number },
): SplitPairs {
  const wanted = Math.min(most, Math.round((fraction ?? (pairs.length < fewest ? 0 : 0.1)) * pairs.length));
  const isRanked = positives === "column" && pairs[0].score === undefined;
  const heldOut = isRanked && wanted > 0 ? connected(pairs, wanted, random) : [];
  if (fraction !== undefined && fraction > 0 && heldOut.length === 0)
    throw new ArgumentError(
      `none of the ${pairs.length} pairs can be held out (--validate ${fraction}): that takes a column of positives, no ` +
        "scores, and enough pairs that share no phrase with others. Leave --validate out.",
    );
  const out = new Set<Pair>(heldOut.map(({ pair }) => pair));
  return {
    trained: pairs.filter((pair) => !out.has(pair)),
    heldOut: heldOut.map(({ pair, group }) => ({ ...pair, group })),
  };
}

/** Whole groups of connected pairs in random order, as many as fit. */
function connected(pairs: readonly Pair[], wanted: number, random: () => number) {
  const phrases = numbered(
    pairs.flatMap(({ text, positive }) => [text, positive].map((x) => x.toLowerCase())),
  );
  const sets = disjointSets(phrases.length);
  pairs.forEach((_, i) => sets.unite(phrases[2 * i], phrases[2 * i + 1]));
  const rows = pairs.map((pair, i) => ({ pair, group: sets.rootOf(phrases[2 * i]) }));
  const groups = [...groupBy(rows, ({ group }) => group).values()];
  const taken: typeof rows = [];
  for (const place of shuffled(groups.length, random))
    if (taken.length + groups[place].length <= wanted) taken.push(...groups[place]);
  return taken;
}

/** Mean reciprocal rank of each text's best positive among all positives; ties are misses. @param model a folder */
export async function meanReciprocalRank(
  model: string,
  pairs: SplitPairs["heldOut"],
  signal?: AbortSignal,
): Promise<number> {
  const candidates = [...new Map(pairs.map(({ positive, group }) => [positive, group]))];
  const names = candidates.map(([positive]) => positive);
  const ranks = await withEncoder(undefined, { source: model, threads: 1, signal }, async (encoder) => {
    const scores = await encoder.similarity(
      pairs.map(({ text }) => text),
      names,
      { signal },
    );
    return scores.map((row, i) => {
      const isOwn = (place: number) => candidates[place][1] === pairs[i].group;
      const best = row.reduce((top, score, place) => (isOwn(place) ? Math.max(top, score) : top), -1);
      return 1 + row.filter((score, place) => !isOwn(place) && score >= best).length;
    });
  });
  return mean(ranks.map((rank) => 1 / rank));
}
