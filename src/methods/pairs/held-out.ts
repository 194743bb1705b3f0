/** Pairs that a training does not see: how well their texts find their positives chooses the weights that are kept. */
import { basename } from "node:path";
import { groupBy } from "../../by-key.js";
import { disjointSets, numbered } from "../../disjoint-sets.js";
import { withEncoder } from "../../encoder/with-encoder.js";
import { ArgumentError } from "../../errors.js";
import { formatCount } from "../../files/count-text.js";
import { lineChart } from "../../plot/line-chart.js";
import { shuffled } from "../../random.js";
import { mean } from "../../statistics.js";
import type { Evaluated } from "../../training/checkpoint.js";
import { type PreparedRun, type RunRecord, type RunResult, weightsText } from "../../training/run.js";
import type { Scored } from "../../training/trainer.js";
import { type Pair, type PairTable, readPairs, type WantedColumns } from "./pairs.js";

/** Pairs from which on a tenth is held out, and held-out pairs at most. */
const [fewest, most] = [200, 1000];

/** Held-out pairs of a file at most: each text is compared with each positive. */
const mostOfFile = 10_000;

export interface SplitPairs {
  readonly trained: readonly Pair[];
  /** `group`: equal for pairs that share phrases, also over several pairs. */
  readonly heldOut: readonly (Pair & { readonly group: number })[];
  /** Name and fingerprint of the table that the held-out pairs are from; default: that of the training's pairs. */
  readonly file?: string;
  readonly fingerprint?: string;
}

/** What held-out pairs are judged by: the rank of each positive, or the agreement of their phrases with a teacher. */
export type Judged = "by rank" | "by teacher";

/**
 * Holds out a fraction of the pairs, and no phrase is on both sides: pairs that share phrases stay together. To be judged by
 * rank, nothing is held out where pairs have scores, or positives that a label or a view made.
 * @param options.fraction default: a tenth of at least 200 pairs
 * @param options.judged default "by rank"
 * @throws ArgumentError where a fraction is given and cannot be held out
 */
export function splitPairs(
  { pairs, positives }: Pick<PairTable, "pairs" | "positives">,
  options: { readonly fraction?: number; readonly random: () => number; readonly judged?: Judged },
): SplitPairs {
  const { fraction, random, judged = "by rank" } = options;
  const wanted = Math.min(most, Math.round((fraction ?? (pairs.length < fewest ? 0 : 0.1)) * pairs.length));
  const canHold = judged === "by teacher" || (positives === "column" && pairs[0].score === undefined);
  const rows = withGroups(pairs);
  const groups = [...groupBy(rows, ({ group }) => group).values()];
  const heldOut: typeof rows = [];
  // whole groups of connected pairs in random order, as many as fit
  for (const place of canHold && wanted > 0 ? shuffled(groups.length, random) : [])
    if (heldOut.length + groups[place].length <= wanted) heldOut.push(...groups[place]);
  // a correlation with a teacher's cosines takes three phrases
  const least = judged === "by teacher" ? 2 : 1;
  if (fraction !== undefined && fraction > 0 && heldOut.length < least)
    throw new ArgumentError(
      `${heldOut.length === 0 ? "none" : "only one"} of the ${pairs.length} pairs can be held out (--validate ${fraction}): that takes ` +
        (judged === "by teacher" ? "two" : "a column of positives, no scores, and enough") +
        " pairs that share no phrase with others. Leave --validate out.",
    );
  const out = new Set(heldOut.map(({ group }) => group));
  return { trained: pairs.filter((_, i) => !out.has(rows[i].group)), heldOut };
}

/**
 * Holds out the pairs of a file. The training has none of them, in either order; it may have their phrases in other pairs,
 * unless they are judged by a teacher.
 * @throws TableError; ArgumentError for too many pairs
 */
export async function heldOutOf(
  path: string,
  pairs: readonly Pair[],
  { judged, ...wanted }: WantedColumns & { readonly judged?: Judged } = {},
): Promise<SplitPairs> {
  const table = await readPairs(path, wanted);
  if (table.pairs.length > mostOfFile)
    throw new ArgumentError(
      `--validate ${path}: ${formatCount(table.pairs.length)} pairs, and each text is compared with each positive. ` +
        `Give at most ${formatCount(mostOfFile)}.`,
    );
  const keysOf = ({ text, positive }: Pair) => {
    const phrases = [text, positive].map((x) => x.toLowerCase());
    return judged === "by teacher" ? phrases : [JSON.stringify(phrases.sort())];
  };
  const out = new Set(table.pairs.flatMap(keysOf));
  const trained = pairs.filter((pair) => !keysOf(pair).some((key) => out.has(key)));
  if (trained.length === 0)
    throw new ArgumentError(`--validate ${path}: it holds all pairs of the training. Give it other pairs.`);
  return { trained, heldOut: withGroups(table.pairs), file: basename(path), fingerprint: table.fingerprint };
}

/** Equal numbers for pairs that share phrases, also over several pairs. */
function withGroups(pairs: readonly Pair[]) {
  const phrases = numbered(
    pairs.flatMap(({ text, positive }) => [text, positive].map((x) => x.toLowerCase())),
  );
  const sets = disjointSets(phrases.length);
  pairs.forEach((_, i) => sets.unite(phrases[2 * i], phrases[2 * i + 1]));
  return pairs.map((pair, i) => ({ ...pair, group: sets.rootOf(phrases[2 * i]) }));
}

/** The weight of the trained model in an average with the start: all, and half as in PEARL and WiSE-FT. */
export const averageShares = [1, 0.5] as const;

/** Ranks held-out pairs about ten times while training. @param options.share the only share that is scored, if one is given */
export const evaluationOf = (
  heldOut: SplitPairs["heldOut"],
  { temperature, share }: { readonly temperature: number; readonly share?: number },
): PreparedRun<RunRecord>["evaluation"] =>
  heldOut.length === 0
    ? undefined
    : {
        ...{ every: "tenth", patience: 5, shares: share === undefined ? averageShares : [share] },
        measure: `mean reciprocal rank of ${formatCount(heldOut.length)} held-out pairs`,
        score: (folder, signal) => rankHeldOut(folder, heldOut, { temperature, signal }),
      };

/**
 * How well texts find their positives among all positives; of several positives of a text the nearest counts, and ties are
 * misses. The loss is InfoNCE: -log of the share that the positive has of Σ exp(cosine / temperature).
 * @param model a folder
 */
export async function rankHeldOut(
  model: string,
  pairs: SplitPairs["heldOut"],
  { temperature, signal }: { readonly temperature: number; readonly signal?: AbortSignal },
): Promise<Scored> {
  const candidates = [...new Map(pairs.map(({ positive, group }) => [positive, group]))];
  const names = candidates.map(([positive]) => positive);
  const texts = pairs.map(({ text }) => text);
  const found = await withEncoder(undefined, { source: model, threads: 1, signal }, async (encoder) => {
    const scores = await encoder.similarity(texts, names, { signal });
    return scores.map((row, i) => {
      const isOwn = (place: number) => candidates[place][1] === pairs[i].group;
      const best = row.reduce((top, score, place) => (isOwn(place) ? Math.max(top, score) : top), -1);
      const others = row.filter((_, place) => !isOwn(place));
      const top = others.reduce((most, score) => Math.max(most, score), best);
      const share = (score: number) => Math.exp((score - top) / temperature);
      const total = others.reduce((sum, score) => sum + share(score), share(best));
      const loss = Math.log(total) + (top - best) / temperature;
      return { rank: 1 + others.filter((score) => score >= best).length, loss };
    });
  });
  const score = mean(found.map(({ rank }) => 1 / rank));
  const hits = mean(found.map(({ rank }) => Number(rank === 1)));
  const loss = mean(found.map((own) => own.loss));
  return { score, figures: { "mean reciprocal rank": score, "hit@1": hits, loss } };
}

/**
 * training.svg, where held-out pairs were ranked: a panel for each figure. A dashed line shows the start, and a thin one the
 * weights that are averaged with it.
 */
export function heldOutChart({ evaluations, best }: RunResult): Readonly<Record<string, string>> {
  if (!best || !evaluations?.[0].figures) return {};
  const [start] = evaluations;
  const isAveraged = ({ share = 1 }: Evaluated) => share < 1;
  const trained = evaluations.filter((own) => !isAveraged(own));
  const averaged = [start, ...evaluations.filter(isAveraged)];
  // where one share is given, there is one line
  const [line, thin] = trained.length > 1 ? [trained, averaged] : [averaged, []];
  const panels = Object.keys(start.figures ?? {}).map((title) => {
    const points = line.map(({ step, figures }) => ({ label: `${step}`, value: figures?.[title] ?? 0 }));
    const values = thin.map(({ figures }) => figures?.[title] ?? 0);
    return { title, points, thin: values.length > 1 ? values : undefined, references: [points[0].value] };
  });
  const notes = [
    `Held-out pairs, by step. Kept: the weights of ${weightsText(best)}. Dashed: the start.` +
      (thin.length > 1 ? " Thin: averaged with the start." : ""),
  ];
  return { "training.svg": lineChart("Training on pairs", notes, panels) };
}
