/**
 * At most one partner per row, for pairs that compete. While weights are learned, the candidates of a row and "none" share one
 * unit of probability, and of a pair's two shares the smaller counts (Sadinle 2017, in a form that is one softmax per row). For
 * the decision, belief propagation gives each pair its chance over all matchings (Huang and Jebara 2009).
 */
import { pauses } from "../run/pause.js";
import { type ExpectedCounts, leastOdds, total } from "./expected-counts.js";
import { addTo, blockSize, lookUp, type PairBlock, type Probabilities, pairBlocks } from "./pair-blocks.js";
import type { PairTable, Relation } from "./pair-table.js";

/** The odds of all pairs of a row must have a finite sum. */
const mostLogOdds = 600;
/** Blocks between two looks at the signal: some tens of milliseconds. */
const blocksPerPause = 64;

/** What each class of pairs says, and the sums of these odds over the pairs of each row that has one partner, plus 1 for "none". */
interface RowSums {
  readonly odds: Float64Array;
  readonly left?: Float64Array;
  readonly right?: Float64Array;
}

/** What each class of pairs says before rows compete, and how many matches are expected. */
interface Competitors {
  readonly logOdds: Float64Array;
  /** The share of near misses in what is no match; undefined where these are not learned. */
  readonly related?: Float64Array;
  readonly matches: number;
}

/** Pairs that are walked through, and the signal that stops it. */
interface Walk {
  readonly signal?: AbortSignal;
}

export async function competedProbabilities(
  table: PairTable,
  relation: Relation,
  competitors: Competitors,
  walk: Walk = {},
): Promise<Probabilities> {
  const sums = await rowSums(table, relation, competitors, walk);
  return ({ left, right, classOf }, into) => {
    lookUp(sums.odds, classOf, into);
    shareOut(into, left, right, sums);
  };
}

/** Returns a function that gives the expected matches of each class, and by how much they have moved since its last call. */
export function competition(table: PairTable, relation: Relation, walk: Walk = {}) {
  let before: Float64Array | undefined;
  return async (competitors: Competitors): Promise<ExpectedCounts> => {
    const sums = await rowSums(table, relation, competitors, walk);
    const found = new Float64Array(sums.odds.length);
    await eachPossible(table, sums.odds, walk, ({ left, right, classOf }, own) => {
      shareOut(own, left, right, sums);
      addTo(found, classOf, own);
    });
    const moved = found.map((count, place) => Math.abs(count - (before?.[place] ?? -Infinity)));
    before = found;
    return { matches: found, shares: found, moved: total(moved), sum: total(found) };
  };
}

async function rowSums(
  table: PairTable,
  relation: Relation,
  competitors: Competitors,
  walk: Walk,
): Promise<RowSums> {
  const [left, right] = [relation !== "many-to-one", relation !== "one-to-many"].map((isOne, side) =>
    isOne ? new Float64Array(table.rows[side]).fill(1) : undefined,
  );
  const fewest = Math.min(left?.length ?? Infinity, right?.length ?? Infinity);
  const odds = oddsAgainstNone(competitors, fewest, mostLogOdds);
  await eachPossible(table, odds, walk, (block, own) => {
    if (left !== undefined) addTo(left, block.left, own);
    if (right !== undefined) addTo(right, block.right, own);
  });
  return { odds, left, right };
}

/**
 * The assumed share of rows without a partner is at least this. Where every row seemed to have one, the look-alike of a row
 * without a partner would be taken for it, and confirm that every row has one. Fewer where the
 * table is small: rows that are looked up in an index are joined with it together with rows of its own, which all have a partner.
 */
const leastAlone = { ofFew: 0.02, ofMany: 0.1 };
const manyRows = 50;

/**
 * At least this share of the near misses of many rows are of rows without a partner. If they were as seldom alone as other rows, the
 * siblings of a table in which hardly any row lacks a partner would be taken for partners. In 32 made joins and tables of flats .2 to
 * .5 give F1 .937 to .943 where none gives .936, and promises that hold the truth in 25 or 26 of 28 where none gives 23; a fifth of
 * them changes two of six public sets, by .005 at most.
 */
const nearAlone = 0.25;

/**
 * Odds of classes against "none", 0 where they are taken for impossible.
 * @param rows of the smaller side @param most log-odds count no more than this
 */
function oddsAgainstNone(
  { logOdds, related, matches }: Competitors,
  rows: number,
  most: number,
): Float64Array {
  const areFew = rows < manyRows;
  const alone = Math.max(areFew ? leastAlone.ofFew : leastAlone.ofMany, 1 - matches / rows);
  const more = areFew ? 0 : Math.max(0, nearAlone - alone);
  return logOdds.map((value, place) => {
    const own = Math.exp(Math.min(most, value - Math.log(alone + more * (related?.[place] ?? 0))));
    return own < leastOdds ? 0 : own;
  });
}

const largest = new Float64Array(blockSize);

/** Divides the odds of pairs by the larger sum of their rows. A loop that only looks sums up waits for many of them at once. */
function shareOut(own: Float64Array, left: Int32Array, right: Int32Array, sums: RowSums): void {
  largest.fill(1);
  if (sums.left !== undefined) raiseTo(largest, sums.left, left);
  if (sums.right !== undefined) raiseTo(largest, sums.right, right);
  for (let at = 0; at < left.length; at++) own[at] /= largest[at];
}

function raiseTo(most: Float64Array, sums: Float64Array, rows: Int32Array): void {
  for (let at = 0; at < rows.length; at++) most[at] = Math.max(most[at], sums[rows[at]]);
}

/** Calls `visit` with the pairs that are possible, most often few of a block, and their odds. */
async function eachPossible(
  table: PairTable,
  odds: Float64Array,
  { signal }: Walk,
  visit: (pairs: Omit<PairBlock, "from">, own: Float64Array) => void,
): Promise<void> {
  const pause = pauses(signal, blocksPerPause);
  const own = new Float64Array(blockSize);
  const [left, right, classOf] = [0, 1, 2].map(() => new Int32Array(blockSize));
  for (const block of pairBlocks(table)) {
    const waiting = pause();
    if (waiting !== undefined) await waiting;
    let count = 0;
    lookUp(odds, block.classOf, own);
    for (let at = 0; at < block.classOf.length; at++) {
      if (own[at] === 0) continue;
      left[count] = block.left[at];
      right[count] = block.right[at];
      classOf[count] = block.classOf[at];
      own[count++] = own[at];
    }
    const pairs = { left: left.subarray(0, count), right: right.subarray(0, count) };
    visit({ ...pairs, classOf: classOf.subarray(0, count) }, own.subarray(0, count));
  }
}

/** Rounds of messages: they settle within a few. */
const rounds = 12;
/** Messages are differences of odds, of which the largest must not swallow the others. */
const mostMessageLogOdds = 40;

/**
 * The probability of each pair where every row has one partner at most: a rival counts less if its other row has a better
 * partner.
 */
export async function matchingBeliefs(
  table: PairTable,
  competitors: Competitors,
  { signal }: Walk = {},
): Promise<Float64Array> {
  const odds = oddsAgainstNone(competitors, Math.min(...table.rows), mostMessageLogOdds);
  const [left, right] = table.rows.map((rows) => new Float64Array(rows));
  // In turns how free a pair's right row is for it, and its left row: 1 / (1 + the odds of the row's other pairs).
  const free = new Float64Array(table.right.length).fill(1);
  const own = new Float64Array(blockSize);
  const pause = pauses(signal, blocksPerPause);
  const eachBlock = async (visit: (block: PairBlock, free: Float64Array) => void): Promise<void> => {
    for (const block of pairBlocks(table)) {
      const waiting = pause();
      if (waiting !== undefined) await waiting;
      lookUp(odds, block.classOf, own);
      visit(block, free.subarray(block.from, block.from + block.classOf.length));
    }
  };
  for (let round = 0; round < rounds; round++) {
    left.fill(1);
    await eachBlock((block, ofBlock) => {
      if (round > 0) setFree(ofBlock, own, right, block.right);
      addFree(left, block.left, own, ofBlock);
    });
    right.fill(1);
    await eachBlock((block, ofBlock) => {
      setFree(ofBlock, own, left, block.left);
      addFree(right, block.right, own, ofBlock);
    });
  }
  await eachBlock((block, ofBlock) => setBelief(ofBlock, own, right, block.right));
  return free;
}

function setFree(free: Float64Array, odds: Float64Array, sums: Float64Array, rows: Int32Array): void {
  for (let at = 0; at < rows.length; at++)
    if (odds[at] !== 0) free[at] = 1 / Math.max(1, sums[rows[at]] - odds[at] * free[at]);
}

/** Adds to the sums of rows the odds of their pairs as far as these are free. */
function addFree(sums: Float64Array, rows: Int32Array, odds: Float64Array, free: Float64Array): void {
  for (let at = 0; at < rows.length; at++) if (odds[at] !== 0) sums[rows[at]] += odds[at] * free[at];
}

/** Turns what the left rows of pairs say into probabilities. */
function setBelief(free: Float64Array, odds: Float64Array, ofRight: Float64Array, right: Int32Array): void {
  for (let at = 0; at < right.length; at++) {
    const both = (odds[at] * free[at]) / Math.max(1, ofRight[right[at]] - odds[at] * free[at]);
    free[at] = both / (1 + both);
  }
}
