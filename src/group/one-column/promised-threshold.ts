/** Chooses the threshold of a clustering without labels, says what its precision rests on, and picks pairs to judge. */
import { formatCount } from "../../files/count-text.js";
import type { KnownPair } from "../../match/compare-tables.js";
import { auditOf, likelyHalves, type SampledLevel } from "../../match/estimates/audit.js";
import { fitCalibration } from "../../match/estimates/calibrate.js";
import type { PrecisionReport } from "../../match/estimates/promise.js";
import { spacingPrecision } from "../../match/estimates/spacing-precision.js";
import type { DoubtfulPair } from "../../match/review/doubtful.js";
import { pauses } from "../../match/run/pause.js";
import { placeIn } from "../../match/weights/chosen-places.js";
import { sigmoid } from "../../match/weights/logistic.js";
import { everyPair } from "../../match/weights/pair-classes.js";
import { placesByNumber } from "../../places-by-number.js";
import { wilsonInterval } from "../../statistics.js";
import { averageLinkage, groupsFrom, type Merge } from "../average-linkage.js";
import type { DuplicateRow } from "../kept-rows.js";
import { type LinkTable, linkedWith, linkTable, representativesOf } from "../links.js";
import type { SameTable, SameTableOptions } from "../same-table.js";
import type { EqualTexts, Rewritings } from "./list-words.js";
import type { NodeRules } from "./ruled-phrases.js";

export interface CountedTable extends SameTable {
  /** How often each row occurs. */
  readonly counts: ArrayLike<number>;
  /** Where rules keep rows apart; links are those that they allow. */
  readonly rules?: NodeRules;
}

const STRICTEST = 0.98;
/** No threshold is tried from here down. */
const LOOSEST = 0.5;
const STEP = 0.02;
/** The estimate to reach where none reaches the promise. */
const LIKELY = 0.7;

/** Receives what is done of the linking. */
type GroupRun = Pick<SameTableOptions, "signal" | "onProgress">;

/** Merges of groups whose phrases have at least this mean similarity, the most similar first. */
function mergesOf(
  { phrases, links, similarity, rules }: CountedTable,
  least: number,
  { signal, onProgress }: GroupRun,
): Promise<Merge[]> {
  const { left, right, scores } = links;
  const pairs = { left, right, classOf: everyPair(scores.length), weights: scores };
  const report = (done: number, total: number): void => onProgress?.(done, total, "grouping");
  const options = { weigh: similarity, least, apart: rules?.apart(), signal, onProgress: report };
  return averageLinkage(phrases.length, pairs, options);
}

export type EstimatedGroups = ReturnType<typeof estimatedGroups>;

/** The groups of phrases whose mean similarity is at least the threshold. */
export async function groupsAt(table: CountedTable, threshold: number, run: GroupRun = {}) {
  return estimatedGroups(table, await mergesOf(table, threshold, run), threshold);
}

/**
 * The groups at a threshold, with the representative row of each; `grouped` is the number of other rows. From the spacing
 * of the groups: the probability that each row is its representative, and their mean over the other rows, 1 without any.
 */
function estimatedGroups(table: CountedTable, merges: readonly Merge[], threshold: number) {
  const { phrases, links, similarity, rules } = table;
  const groups = groupsFrom(phrases.length, merges, threshold);
  const rowsOf = placesByNumber(groups, phrases.length);
  const representatives = representativesOf(rowsOf, table);
  const probability = new Float64Array(groups.length).fill(1);
  let [sum, grouped] = [0, 0];
  representatives.forEach((middle, group) => {
    const rows = rowsOf.order.subarray(rowsOf.starts[group], rowsOf.starts[group + 1]);
    if (rows.length === 1) return;
    const ofAll = rules === undefined ? distancesToGroups(middle, groups, linkedWith(links, middle)) : [];
    for (const row of rows) {
      if (row === middle) continue;
      const distances = rules ? distancesToGroups(middle, groups, rules.nearOf(middle, row)) : ofAll;
      probability[row] = spacingPrecision(distanceOf(similarity(row, middle)), distances);
      sum += probability[row];
      grouped++;
    }
  });
  return { threshold, groups, representatives, probability, mean: grouped > 0 ? sum / grouped : 1, grouped };
}

/**
 * The groups at the lowest threshold at which the estimated precision reaches the target, or the rows that were only written
 * anew confirm it; if none does, the likely groups. Phrases that differ by a slip alone are linked at whatever threshold was
 * chosen, as if they were just alike enough.
 *
 * AutoFJ's estimate needs a reference table with almost no duplicates. The representatives of the groups form one: a row
 * at distance t from its representative is right with probability 1 / (1 + other groups within 2t of it).
 */
export async function promisedGroups(
  table: CountedTable,
  { isSlip, isRewritten }: Rewritings,
  target: number,
  run: GroupRun = {},
): Promise<EstimatedGroups> {
  const found = await lowestThreshold(table, isRewritten, { ...run, target });
  if (found === undefined) return groupsAt(table, 1, run);
  const { threshold } = found;
  const { groups, representatives, probability, ...rest } = await groupsAt(
    withSlips(table, isSlip, threshold),
    threshold,
    run,
  );
  const slips = probability.map((own, row) => {
    const middle = representatives[groups[row]];
    return own < slipProbability && isSlip(row, middle) ? slipProbability : own;
  });
  return { ...rest, groups, representatives, probability: slips };
}

async function lowestThreshold(
  table: CountedTable,
  isRewritten: Rewritings["isRewritten"],
  { target, ...run }: GroupRun & { readonly target: number },
): Promise<EstimatedGroups | undefined> {
  const merges = await mergesOf(table, LOOSEST, run);
  const pause = pauses(run.signal, 1);
  let [found, likely]: (EstimatedGroups | undefined)[] = [];
  for (let step = 0; step < Math.round((STRICTEST - LOOSEST) / STEP); step++) {
    await pause();
    const level = estimatedGroups(table, merges, Number((STRICTEST - step * STEP).toFixed(4)));
    const { groups, representatives, grouped, mean } = level;
    if (grouped === 0) continue;
    const isAnew = (group: number, row: number): boolean =>
      representatives[group] !== row && isRewritten(row, representatives[group]);
    const confirmed = wilsonInterval(groups.filter(isAnew).length, grouped).low;
    if (Math.max(mean, confirmed) >= target) found = level;
    else if (mean >= LIKELY) likely = level;
  }
  return found ?? likely;
}

/**
 * At least so likely is a row the one that it differs from by a slip alone. Of 72 made tables, 1,582 of 1,586 such rows were
 * right, and 2,125 of 2,183 in 30 AutoFJ tables as lists; of 336 to which spacing gave less than one half, 320.
 */
const slipProbability = 0.9;

/** The table with links of at least `least` between phrases that differ by a slip and are alike by more than half. */
function withSlips(
  { links, similarity, ...table }: CountedTable,
  isSlip: Rewritings["isSlip"],
  least: number,
): CountedTable {
  const compared = table.phrases.length;
  // Scores are rounded to 32 bits.
  const linked = least + 1e-6;
  const raised = (score: number, a: number, b: number): number =>
    score > LOOSEST && score < linked && Math.max(a, b) < compared && isSlip(a, b) ? linked : score;
  const { left, right } = links;
  const scores = links.scores.map((score, link) => raised(score, left[link], right[link]));
  return {
    ...table,
    links: linkTable(compared, { left, right, scores }),
    similarity: (a, b) => raised(similarity(a, b), a, b),
  };
}

/** A row that is in the group of another one. */
export interface GroupedRow {
  readonly probability: number;
  /** Whether the two rows are equal, or a person has confirmed them. */
  readonly isSure: boolean;
  /** Whether it was only written anew, as `rewritings` tells. */
  readonly isRewritten?: boolean;
  /** Whether the rest of the table says that they are two things: such rows count as wrong. */
  readonly isContradicted?: boolean;
}

/**
 * The precision of grouped rows: their mean probability. Its lower bound is the share of those that are sure; of the others,
 * those that were only written anew count as a sample of so many (Wilson). They do not count where most rows are equal,
 * since equal names of persons may be namesakes.
 */
export function groupedPrecision(rows: readonly GroupedRow[]): Omit<PrecisionReport, "promise"> {
  if (rows.length === 0) return { estimate: 1, low: 1, high: 1 };
  const believed = rows.filter(({ isContradicted }) => !isContradicted);
  const estimate = believed.reduce((sum, { probability }) => sum + probability, 0) / rows.length;
  const sure = believed.filter(({ isSure }) => isSure).length;
  const unsure = rows.length - sure;
  const rewritten =
    sure > unsure ? 0 : believed.filter(({ isSure, isRewritten }) => !isSure && isRewritten).length;
  const low = (sure + unsure * (unsure === 0 ? 0 : wilsonInterval(rewritten, unsure).low)) / rows.length;
  const high = rewritten === 0 ? estimate : believed.length / rows.length;
  return { estimate: Math.max(estimate, low), low, high };
}

/** Whether chance alone may have made so many equal rows as the target allows to be wrong. @param rows that are grouped */
export const mayBeByChance = ({ pairs, byChance }: EqualTexts, target: number, rows: number): boolean =>
  Math.min(pairs, byChance) > (1 - target) * rows;

/** Whether the rest of the table contradicts more of the rows than the target allows to be wrong. */
export function isDenied(rows: readonly GroupedRow[], target: number): boolean {
  const believed = rows.filter(({ isContradicted }) => !isContradicted).length;
  // 10 * (1 - 0.9) is below 1.
  return believed < target * rows.length - 1e-9;
}

/**
 * Adds the promise. Spacing is a single view, more than .1 too high on 5 of the 14 AutoFJ tables with 50 or more grouped
 * rows. Margins to outsiders and weights learned from the one column do not see its errors: only what is sure or written anew
 * establishes a promise, or a sample that people judged.
 * @param namesakes equal texts, if chance may have made too many of them
 */
export function groupedPromise(
  rows: readonly GroupedRow[],
  target: number,
  namesakes?: EqualTexts,
): PrecisionReport {
  const report = groupedPrecision(rows);
  const established = report.low >= target;
  let unsure =
    "one column alone gives one estimate, from the spacing of its groups, and too few rows confirm it";
  if (isDenied(rows, target))
    unsure = `${formatCount(rows.filter(({ isContradicted }) => isContradicted).length)} of ${formatCount(rows.length)} rows are like another in this column, and differ from it in most others`;
  else if (namesakes !== undefined)
    unsure = `equal rows may be different things: of ${formatCount(namesakes.pairs)} pairs of equal rows, chance would make ${formatCount(Math.round(namesakes.byChance))} by its words alone`;
  const isByWords = 2 * rows.filter(({ isSure }) => isSure).length <= rows.length;
  const enough = isByWords
    ? "enough of the rows are equal, or differ in the order of words, by an abbreviation or by a slip"
    : "enough of the rows are equal or confirmed";
  const sure = rows.length === 0 ? "no two rows are alike" : enough;
  return { ...report, promise: { target, established, reason: established ? sure : unsure } };
}

/**
 * Similarities behave like cosines: 1 - cosine is half the squared distance of unit vectors, and only its root obeys the
 * triangle inequality that the estimate relies on.
 */
const distanceOf = (similarity: number): number => Math.sqrt(Math.max(0, 1 - similarity));

/** The distances of a row to the nearest member of each other group, among the rows near it. */
function distancesToGroups(
  row: number,
  groups: Int32Array,
  near: Iterable<readonly [row: number, similarity: number]>,
): number[] {
  const nearest = new Map<number, number>();
  for (const [other, similarity] of near) {
    const group = groups[other];
    if (group === groups[row]) continue;
    nearest.set(group, Math.min(distanceOf(similarity), nearest.get(group) ?? Infinity));
  }
  return [...nearest.values()];
}

/** Log-odds of a match rise by this much from a similarity of 0 to one of 1, before anyone has answered. */
const STEEPNESS = 10;
/** That curve is a guess: this many answers weigh as much. */
const WORTH = 10;
/** The threshold to start from where only equal phrases are grouped. */
const UNSURE = 0.75;
/** Pairs at or below this probability say nothing of the curve. */
const IN_PLAY = 0.02;
/** Nor do answers farther from the threshold: known pairs that look unlike are rare among all that do. */
const REACH = 0.3;

/**
 * The groups at the similarity that answers find to be a match as likely as not: Platt scaling of a curve through the threshold
 * that was chosen without them, not beyond the similarities of judged pairs. It falls only where a pair below it was rejected:
 * pairs that are known to be the same say nothing of the others.
 *
 * @param judged pairs of phrases
 */
export async function answeredGroups(
  table: CountedTable,
  found: EstimatedGroups,
  judged: readonly KnownPair[],
  run: GroupRun = {},
): Promise<EstimatedGroups> {
  const start = found.threshold === 1 ? UNSURE : found.threshold;
  const curve = (similarity: number): number => sigmoid(STEEPNESS * (similarity - start));
  const answers = judged
    .map(({ left, right, match }) => ({ similarity: table.similarity(left, right), match }))
    .filter(({ similarity }) => Math.abs(similarity - start) <= REACH);
  if (answers.length === 0) return found;
  const calibration = fitCalibration(
    answers.map(({ similarity, match }) => ({ estimate: curve(similarity), match })),
    Float64Array.from(table.links.scores, curve).filter((estimate) => estimate > IN_PLAY),
    WORTH,
  );
  const even = start - calibration.shift / (calibration.slope * STEEPNESS);
  const similarities = answers.map(({ similarity }) => similarity).sort((a, b) => a - b);
  const mayFall = answers.some(({ similarity, match }) => !match && similarity < start);
  const [least, most] = [mayFall ? similarities[0] : start, Math.min(STRICTEST, similarities.at(-1)!)];
  return groupsAt(table, Math.max(least, Math.min(most, even)), run);
}

/** Only pairs up to this far from the threshold are asked: it moves no further than the judged pairs reach. */
const AROUND = 0.2;

interface DoubtfulGiven {
  readonly count: number;
  readonly rowOf: ArrayLike<number>;
  readonly isJudged?: (left: number, right: number) => boolean;
}

/** 1/2, 1/4, 3/4, 1/8, 5/8, …: however many of these are taken, they divide 0 to 1 evenly (van der Corput 1935). */
function halving(step: number): number {
  let [fraction, part] = [0, 0.5];
  for (let rest = step; rest > 0; rest >>= 1, part /= 2) if (rest & 1) fraction += part;
  return fraction;
}

/**
 * Links whose similarities are spread evenly around the threshold, however many of them are judged; each phrase at most once.
 *
 * @param given the first row of each phrase, and which pairs of rows were judged
 */
export function doubtfulLinks(
  { scores, left, right, strongest }: LinkTable,
  { threshold, groups, probability }: EstimatedGroups,
  { count, rowOf, isJudged = () => false }: DoubtfulGiven,
): DoubtfulPair[] {
  const middle = threshold === 1 ? UNSURE : threshold;
  const seen = new Set<number>();
  const isFree = (place: number): boolean => {
    const [a, b] = [left[strongest[place]], right[strongest[place]]];
    return !seen.has(a) && !seen.has(b) && !isJudged(rowOf[a], rowOf[b]);
  };
  const chosen: number[] = [];
  for (let step = 1; step <= count; step++) {
    const wanted = middle + AROUND * (2 * halving(step) - 1);
    const place = nearestPlace(scores, strongest, wanted, isFree);
    if (place === undefined || Math.abs(scores[strongest[place]] - middle) > AROUND) break;
    const link = strongest[place];
    seen.add(left[link]).add(right[link]);
    chosen.push(link);
  }
  return chosen.map((link) => {
    const [a, b] = [left[link], right[link]];
    const accepted = groups[a] === groups[b];
    // Groups that stayed apart are less likely the same than not: at most even odds at the threshold.
    const likely = accepted ? probability[a] * probability[b] : Math.min(1, scores[link] / threshold) / 2;
    return { left: rowOf[a], right: rowOf[b], probability: likely, accepted };
  });
}

/** The place of the free link whose similarity is nearest to the wanted one; of equally near ones the more similar. */
function nearestPlace(
  scores: ArrayLike<number>,
  strongest: Uint32Array,
  wanted: number,
  isFree: (place: number) => boolean,
): number | undefined {
  let below = placeIn(0, strongest.length, (place) => scores[strongest[place]] >= wanted);
  let above = below - 1;
  while (above >= 0 && !isFree(above)) above--;
  while (below < strongest.length && !isFree(below)) below++;
  const [up, down] = [above, below].map((place) => Math.abs(scores[strongest[place]] - wanted));
  if (above < 0) return below < strongest.length ? below : undefined;
  return below === strongest.length || up <= down ? above : below;
}

/**
 * A random sample of the rows of groups that people judged, from which their precision is established.
 * @param grouped rows with the other row that would be kept in their place, which no answer has influenced
 * @param sureOf equal for rows that are equal or confirmed
 */
export function sampledGroups(
  grouped: readonly DuplicateRow[],
  sureOf: ArrayLike<number>,
  known: readonly KnownPair[],
) {
  const classesOf = (a: number, b: number): string => [sureOf[a], sureOf[b]].sort((x, y) => x - y).join(" ");
  const rejected = new Set(
    known.flatMap(({ left, right, match }) => (match ? [] : [classesOf(left, right)])),
  );
  /** Whether two rows are the same, as far as answers say so. */
  const answerOf = (a: number, b: number): 0 | 1 | undefined => {
    if (sureOf[a] === sureOf[b]) return 1;
    return rejected.has(classesOf(a, b)) ? 0 : undefined;
  };
  const pairs = grouped.map(({ row, keptRow, probability }) => {
    return { left: Math.min(row, keptRow), right: Math.max(row, keptRow), probability };
  });
  const answers = new Map<number, number>();
  pairs.forEach(({ left, right }, place) => {
    const answer = answerOf(left, right);
    if (answer !== undefined) answers.set(place, answer);
  });
  return { answerOf, ...auditOf(() => likelyHalves(pairs), answers) };
}

/** The groups without the rows whose pairs are not accepted: each of these is a group of its own. */
export function groupsAtLevel(
  groupOf: Int32Array,
  grouped: readonly DuplicateRow[],
  { accepted }: SampledLevel,
): Int32Array {
  const narrow = groupOf.slice();
  let last = groupOf.reduce((most, group) => Math.max(most, group), -1);
  for (const { row } of grouped) narrow[row] = ++last;
  for (const place of accepted) narrow[grouped[place].row] = groupOf[grouped[place].row];
  return narrow;
}
