/** Held-out pairs: the weights that best find the positive of each text are kept. */
import { basename } from "node:path";
import { countBy, groupBy } from "../../by-key.js";
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

/** A tenth is held out of at least so many pairs, and at most so many are held out of a source. */
const [fewest, most] = [200, 1000];

/** Held-out pairs of a file at most: each text is compared with each positive. */
const mostOfFile = 10_000;

export interface SplitPairs {
  /** By source. */
  readonly trained: readonly (readonly Pair[])[];
  /**
   * `group`: equal for pairs that share phrases, also over several pairs; `source`: place of the source in which pairs are
   * ranked; default: all in one.
   */
  readonly heldOut: readonly (Pair & { readonly group: number; readonly source?: number })[];
  /** Name and fingerprint of the table that the held-out pairs are from; default: that of the training's pairs. */
  readonly file?: string;
  readonly fingerprint?: string;
}

/** What held-out pairs are judged by: the rank of each positive, or the agreement of their phrases with a teacher. */
export type Judged = "by rank" | "by teacher";

/**
 * Holds out a fraction of each source's pairs, and no phrase is on both sides: pairs that share phrases, also of several
 * sources, stay together. To be judged by rank, nothing is held out where pairs have scores, or positives that a label or a
 * view made.
 * @param options.fraction default: a tenth of at least 200 pairs
 * @param options.judged default "by rank"
 * @throws ArgumentError where a fraction is given and cannot be held out
 */
export function splitPairs(
  sources: readonly Pick<PairTable, "pairs" | "positives">[],
  options: { readonly fraction?: number; readonly random: () => number; readonly judged?: Judged },
): SplitPairs {
  const { fraction, random, judged = "by rank" } = options;
  const room = sources.map(({ pairs, positives }) => {
    const canHold = judged === "by teacher" || (positives === "column" && pairs[0].score === undefined);
    const own = fraction ?? (pairs.length < fewest ? 0 : 0.1);
    // one pair alone has no negatives, so that two stay
    return canHold ? Math.max(0, Math.min(most, Math.round(own * pairs.length), pairs.length - 2)) : 0;
  });
  const rows = withGroups(sources.flatMap(({ pairs }, source) => pairs.map((pair) => ({ ...pair, source }))));
  const groups = [...groupBy(rows, ({ group }) => group).values()];
  const heldOut: typeof rows = [];
  // whole groups of connected pairs in random order, as many as fit
  for (const place of room.some((count) => count > 0) ? shuffled(groups.length, random) : []) {
    const sizes = countBy(groups[place], ({ source }) => source);
    if ([...sizes].some(([source, size]) => size > room[source])) continue;
    for (const [source, size] of sizes) room[source] -= size;
    heldOut.push(...groups[place]);
  }
  // a correlation with a teacher's cosines takes three phrases
  const least = judged === "by teacher" ? 2 : 1;
  if (fraction !== undefined && fraction > 0 && heldOut.length < least)
    throw new ArgumentError(
      `${heldOut.length === 0 ? "none" : "only one"} of the ${rows.length} pairs can be held out (--validate ${fraction}): that takes ` +
        (judged === "by teacher" ? "two" : "a column of positives, no scores, and enough") +
        " pairs that share no phrase with others. Leave --validate out.",
    );
  const out = new Set(heldOut.map(({ group }) => group));
  let at = 0;
  return { trained: sources.map(({ pairs }) => pairs.filter(() => !out.has(rows[at++].group))), heldOut };
}

/**
 * Holds out the pairs of a file. The training has none of them, in either order; it may have their phrases in other pairs,
 * unless they are judged by a teacher.
 * @throws TableError; ArgumentError for too many pairs
 */
export async function heldOutOf(
  path: string,
  sources: readonly (Pick<PairTable, "pairs"> & { readonly name?: string })[],
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
  const trained = sources.map(({ pairs }) =>
    pairs.filter((pair) => !keysOf(pair).some((key) => out.has(key))),
  );
  const emptied = sources[trained.findIndex(({ length }) => length === 0)];
  if (emptied !== undefined)
    throw new ArgumentError(
      `--validate ${path}: it holds all pairs of ${emptied.name ?? "the training"}. Give it other pairs.`,
    );
  const heldOut = withGroups(table.pairs.map((pair) => ({ ...pair, source: 0 })));
  return { trained, heldOut, file: basename(path), fingerprint: table.fingerprint };
}

/** Equal numbers for pairs that share phrases, also over several pairs. */
function withGroups<Row extends Pair>(pairs: readonly Row[]): (Row & { readonly group: number })[] {
  const phrases = numbered(
    pairs.flatMap(({ text, positive }) => [text, positive].map((x) => x.toLowerCase())),
  );
  const sets = disjointSets(phrases.length);
  pairs.forEach((_, i) => sets.unite(phrases[2 * i], phrases[2 * i + 1]));
  return pairs.map((pair, i) => ({ ...pair, group: sets.rootOf(phrases[2 * i]) }));
}

/**
 * How often held-out pairs are scored, and with which weights of the trained model in an average with the start. Default:
 * all, and half as in PEARL and WiSE-FT.
 */
export const evaluationTimes = (share?: number) => {
  const shares: readonly [number, ...number[]] = share === undefined ? [1, 0.5] : [share];
  return { every: "tenth", patience: 5, shares } as const;
};

/** How held-out pairs are ranked. `names`: of the sources, where there are several. */
interface Ranking {
  readonly temperature: number;
  readonly names?: readonly string[];
}

/** Ranks held-out pairs about ten times while training. @param share the only share that is scored, if one is given */
export const evaluationOf = (
  heldOut: SplitPairs["heldOut"],
  { share, ...ranking }: Ranking & { readonly share?: number },
): PreparedRun<RunRecord>["evaluation"] =>
  heldOut.length === 0
    ? undefined
    : {
        ...evaluationTimes(share),
        measure: `mean reciprocal rank of ${formatCount(heldOut.length)} held-out pairs`,
        score: (folder, signal) => rankHeldOut(folder, heldOut, { ...ranking, signal }),
      };

interface Ranked {
  readonly rank: number;
  readonly loss: number;
}

/**
 * How well texts find their positives among all positives of their source; of several positives of a text the nearest
 * counts, and ties are misses. The loss is InfoNCE: -log of the share that the positive has of Σ exp(cosine / temperature).
 * The figures are means over all pairs, and over those of each source that has a name.
 * @param model a folder
 */
export async function rankHeldOut(
  model: string,
  pairs: SplitPairs["heldOut"],
  { temperature, names, signal }: Ranking & { readonly signal?: AbortSignal },
): Promise<Scored> {
  const found = await withEncoder(undefined, { source: model, threads: 1, signal }, async (encoder) => {
    const bySource = new Map<number, Ranked[]>();
    for (const [source, own] of groupBy(pairs, (pair) => pair.source ?? 0)) {
      const candidates = [...new Map(own.map(({ positive, group }) => [positive, group]))];
      const positives = candidates.map(([positive]) => positive);
      const texts = own.map(({ text }) => text);
      const scores = await encoder.similarity(texts, positives, { signal });
      const rankOf = (row: Float32Array, i: number) =>
        ranked(row, (place) => candidates[place][1] === own[i].group, temperature);
      bySource.set(source, scores.map(rankOf));
    }
    return bySource;
  });
  const all = figuresOf([...found.values()].flat());
  const ofSources = (names ?? []).flatMap((name, source) => {
    const own = found.get(source);
    if (own === undefined) return [];
    const { loss: _, ...figures } = figuresOf(own);
    return Object.entries(figures).map(([figure, value]) => [`${name}: ${figure}`, value]);
  });
  return { score: all["mean reciprocal rank"], figures: { ...all, ...Object.fromEntries(ofSources) } };
}

/** @param row cosines of a text with all positives @param isOwn whether a positive is one of the text's */
function ranked(row: Float32Array, isOwn: (place: number) => boolean, temperature: number): Ranked {
  const best = row.reduce((top, score, place) => (isOwn(place) ? Math.max(top, score) : top), -1);
  const others = row.filter((_, place) => !isOwn(place));
  const top = others.reduce((most, score) => Math.max(most, score), best);
  const share = (score: number) => Math.exp((score - top) / temperature);
  const total = others.reduce((sum, score) => sum + share(score), share(best));
  const loss = Math.log(total) + (top - best) / temperature;
  return { rank: 1 + others.filter((score) => score >= best).length, loss };
}

const figuresOf = (found: readonly Ranked[]) => ({
  "mean reciprocal rank": mean(found.map(({ rank }) => 1 / rank)),
  "hit@1": mean(found.map(({ rank }) => Number(rank === 1))),
  loss: mean(found.map((own) => own.loss)),
});

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
