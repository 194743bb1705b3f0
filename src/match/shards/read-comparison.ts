/** Reads the pairs of a shard from what a first pass kept, and no more of rows, values and words than occurs in them. */
import { type KeptReader, type Shard, shardRange } from "../../files/shards/shard.js";
import { inSharedMemory } from "../../runtime/shared-array.js";
import type { Pairs } from "../candidates/pair-set.js";
import type { Field } from "../columns/fields.js";
import { Growing } from "../columns/growing.js";
import type { Texts } from "../columns/texts.js";
import type { Lists } from "../columns/vocabulary.js";
import type { GramSets } from "../evidence/gram-sets.js";
import type { ComparisonSettings } from "../evidence/pair-evidence.js";
import { type Head, isByRight, listNames, nameOf, readHead } from "./kept-comparison.js";
import { numbersIn, type PickedLists, pickLists, pickNumbers, renumber } from "./picking.js";

/** A shard's pairs, and what they are compared by. */
export interface ShardComparison {
  readonly settings: ComparisonSettings;
  /** Rows are counted among those of the shard. */
  readonly pairs: Pairs;
  /** The rows of the shard among all, ascending, of both sides. */
  readonly rows: readonly [Uint32Array, Uint32Array];
}

export async function readComparison(kept: KeptReader, shard: Shard): Promise<ShardComparison> {
  const head = await readHead(kept);
  const { naming, isOneTable, dimension } = head;
  const { pairs, rows } = await readPairs(kept, shard, head);
  const rightSide = isOneTable ? "left" : "right";
  const left = await pickLists(kept, listNames("left words"), Uint32Array, rows[0]);
  const right = await pickLists(kept, listNames(`${rightSide} words`), Uint32Array, rows[1]);
  const columns: Column[] = [];
  for (const [field, { hasGrams }] of head.fields.entries())
    columns.push(await readColumn(kept, nameOf(field), rows, rightSide, hasGrams));
  const lists = [left, right, ...columns.map(({ set }) => set.words)].map(({ items }) => items);
  const count = kept.lengthOf("isCode")!;
  const words = numbersIn(lists, count);
  for (const items of lists) renumber(items, words, count);
  const fields: Field[] = [];
  for (const [field, { filled, hasGrams: _, ...named }] of head.fields.entries()) {
    const rarity = await pickNumbers(kept, `${nameOf(field)} rarity`, Float32Array, words);
    const { set, ofLeft, ofRight } = columns[field];
    fields.push({ ...named, left: ofLeft, right: ofRight, set: { ...set, filled, rarity } });
  }
  const settings: ComparisonSettings = {
    ...{ fields, naming, isOneTable },
    words: textsOf(await pickLists(kept, listNames("words"), Uint8Array, words)),
    rowWords: {
      ...{ left, right },
      isCode: await pickNumbers(kept, "isCode", Uint8Array, words),
      rarity: await pickNumbers(kept, "rarity", Float32Array, words),
    },
    grams: columns.map(({ grams }) => grams),
    ...(dimension > 0 && {
      vectors: {
        data: await pickNumbers(kept, "vectors", Float32Array, columns[naming].values, dimension),
        dimension,
      },
    }),
  };
  return { settings, pairs, rows };
}

async function readPairs(kept: KeptReader, shard: Shard, head: Head) {
  const { rows: all } = head;
  const ownRows = (numbers: Int32Array, count: number): Uint32Array => {
    const rows = numbersIn([numbers], count);
    renumber(numbers, rows, count);
    return rows;
  };
  const { left, right } = await (isByRight(head) ? pairsByRight : pairsByPlace)(kept, shard, head);
  const rows = [ownRows(left, all[0]), ownRows(right, all[1])] as const;
  return { pairs: { left, right }, rows };
}

/** Pairs are sorted by their left row. */
async function pairsByPlace(kept: KeptReader, shard: Shard): Promise<Pairs> {
  const { from, to } = shardRange(kept.lengthOf("left")!, shard);
  return { left: await kept.read("left", from, to), right: await kept.read("right", from, to) };
}

/** Pairs that are looked at together. */
const together = 2 ** 20;

/** The pairs of a range of right rows. */
async function pairsByRight(kept: KeptReader, shard: Shard, { rows }: Head): Promise<Pairs> {
  const { from, to } = shardRange(rows[1], shard);
  const [ofLeft, ofRight] = [new Growing(Int32Array), new Growing(Int32Array)];
  const count = kept.lengthOf("left")!;
  for (let at = 0; at < count; at += together) {
    const end = Math.min(count, at + together);
    const left = await kept.read<Int32Array>("left", at, end);
    const right = await kept.read<Int32Array>("right", at, end);
    for (let pair = 0; pair < right.length; pair++) {
      if (right[pair] < from || right[pair] >= to) continue;
      ofLeft.push(left[pair]);
      ofRight.push(right[pair]);
    }
  }
  return { left: ofLeft.added(), right: ofRight.added() };
}

type Column = Awaited<ReturnType<typeof readColumn>>;

/** A column of the shard's rows, but for what belongs to words. */
async function readColumn(
  kept: KeptReader,
  name: string,
  rows: ShardComparison["rows"],
  rightSide: string,
  hasGrams: boolean,
) {
  const ofLeft = await pickNumbers(kept, `${name} left`, Int32Array, rows[0]);
  const ofRight = await pickNumbers(kept, `${name} ${rightSide}`, Int32Array, rows[1]);
  const count = kept.lengthOf(`${name} counts`)!;
  const values = numbersIn([ofLeft, ofRight], count);
  for (const numbers of [ofLeft, ofRight]) renumber(numbers, values, count);
  const words: Lists = await pickLists(kept, listNames(`${name} words`), Uint32Array, values);
  const set = {
    words,
    texts: textsOf(await pickLists(kept, listNames(`${name} texts`), Uint8Array, values)),
    counts: await pickNumbers(kept, `${name} counts`, Uint32Array, values),
    mainWords: await pickNumbers(kept, `${name} mainWords`, Uint8Array, values),
    numbers: await pickNumbers(kept, `${name} numbers`, Float64Array, values),
  };
  const grams = hasGrams ? await readGrams(kept, name, values) : undefined;
  return { ofLeft, ofRight, values, set, grams };
}

const textsOf = ({ starts, items }: PickedLists<Uint8Array>): Texts => ({ starts, bytes: items });

async function readGrams(kept: KeptReader, column: string, values: Uint32Array): Promise<GramSets> {
  const { starts, items } = await pickLists(kept, listNames(`${column} grams`), Uint16Array, values);
  const weights = await kept.read<Float32Array>(`${column} gramWeights`);
  return {
    grams: { starts, steps: items },
    weights: inSharedMemory(weights),
    lengths: await pickNumbers(kept, `${column} gramLengths`, Float32Array, values),
  };
}
