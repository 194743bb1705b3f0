/** Seeded random numbers: the same seed gives the same results on every machine. */
import { countBy } from "./by-key.js";

/** Uniform numbers in [0, 1), the same sequence for the same seed on every machine. */
export type Random = () => number;

/** The mulberry32 generator (Tommy Ettinger, public domain), with a scrambled seed: similar seeds differ at once. */
export function createRandom(seed: number): Random {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Draws `count` different items (partial Fisher-Yates), in random order. */
export function sampleWithout<Item>(items: readonly Item[], count: number, random: Random): Item[] {
  const pool = [...items];
  const take = Math.min(count, pool.length);
  for (let index = 0; index < take; index++) {
    const other = index + Math.floor(random() * (pool.length - index));
    [pool[index], pool[other]] = [pool[other], pool[index]];
  }
  return pool.slice(0, take);
}

/** Draws a choice with a probability proportional to its weight; undefined where all weights are 0. */
export function drawWeighted<Choice extends { readonly weight: number }>(
  choices: readonly Choice[],
  random: Random,
): Choice | undefined {
  let rest = random() * choices.reduce((sum, { weight }) => sum + weight, 0);
  return choices.find(({ weight }) => {
    rest -= weight;
    return rest < 0;
  });
}

/** The numbers below `count` in an order of its own for every epoch. */
export const permutation = (count: number, seed: number, epoch: number): Int32Array =>
  shuffled(count, createRandom((seed + Math.imul(epoch + 1, 0x9e3779b1)) | 0));

/** The numbers below `count` in random order (Fisher and Yates' shuffle). */
export function shuffled(count: number, random: Random): Int32Array {
  const order = Int32Array.from({ length: count }, (_, i) => i);
  shuffle(order, random);
  return order;
}

/** Fisher and Yates' shuffle, in place. */
export function shuffle(order: Int32Array, random: Random): void {
  for (let i = order.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [order[i], order[j]] = [order[j], order[i]];
  }
}

/** A function that gives each epoch's permutation. */
export const epochOrders = (count: number, seed: number): ((epoch: number) => Int32Array) =>
  keptOrder((epoch) => permutation(count, seed, epoch));

/** Keeps the last epoch's order. */
function keptOrder(orderOf: (epoch: number) => Int32Array): (epoch: number) => Int32Array {
  let last: { epoch: number; order: Int32Array } | undefined;
  return (epoch) => {
    if (last?.epoch !== epoch) last = { epoch, order: orderOf(epoch) };
    return last.order;
  };
}

/** A different seed for every batch, from 0 to 2^31 - 1. */
export const batchSeed = (seed: number, index: number): number =>
  (Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b)) >>> 1;

/**
 * Items in batches of nearly equal size: every epoch all items once.
 * @param batchSize items in a batch at most @param orderOf all item numbers, shuffled for an epoch
 * @param groupOf items of one group are in different batches, if there are enough; default: the order alone decides
 */
export function inEpochs(
  count: number,
  batchSize: number,
  orderOf: (epoch: number) => Int32Array,
  groupOf?: (item: number) => number,
) {
  const batchesPerEpoch = Math.ceil(count / batchSize);
  const edges = Array.from({ length: batchesPerEpoch + 1 }, (_, within) =>
    Math.floor((within * count) / batchesPerEpoch),
  );
  const keptOrderOf = keptOrder((epoch) =>
    groupOf === undefined ? orderOf(epoch) : apart(orderOf(epoch), edges, groupOf),
  );
  return {
    batchesPerEpoch,
    /** Numbers of the items in a batch, counted from 0 over all epochs. */
    itemsOf(batch: number): Int32Array {
      const within = batch % batchesPerEpoch;
      return keptOrderOf(Math.floor(batch / batchesPerEpoch)).slice(edges[within], edges[within + 1]);
    },
  };
}

/**
 * An order in which items of one group are in different batches: the first of a group is where the order has it, each other
 * one in the next batch with room, and items that are alone in their group take what is left.
 */
function apart(order: Int32Array, edges: readonly number[], groupOf: (item: number) => number): Int32Array {
  const next = edges.slice(0, -1);
  const placed = new Int32Array(order.length);
  const put = (item: number, from: number): number => {
    let batch = from % next.length;
    while (next[batch] === edges[batch + 1]) batch = (batch + 1) % next.length;
    placed[next[batch]++] = item;
    return batch;
  };
  const sizes = countBy(order, groupOf);
  const isAlone = (item: number): boolean => sizes.get(groupOf(item)) === 1;
  const lastOf = new Map<number, number>();
  for (const [place, item] of order.entries()) {
    if (isAlone(item)) continue;
    const last = lastOf.get(groupOf(item));
    const from = last === undefined ? Math.floor((place * next.length) / order.length) : last + 1;
    lastOf.set(groupOf(item), put(item, from));
  }
  let open = 0;
  for (const item of order) if (isAlone(item)) open = put(item, open);
  return placed;
}
