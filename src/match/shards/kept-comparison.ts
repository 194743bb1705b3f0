/** All that pairs of rows are compared by, as arrays of a file: a first pass writes it, and each shard reads what its pairs need. */
import type { Kept, KeptArray, KeptReader, Shard } from "../../files/shards/shard.js";
import type { Pairs } from "../candidates/pair-set.js";
import type { Field, PreparedTables } from "../columns/fields.js";
import type { ComparisonSettings } from "../evidence/pair-evidence.js";
import type { ShardSize } from "../memory/memory-plan.js";

/** What is no array. */
export interface Head extends Pick<PreparedTables, "naming" | "isOneTable" | "rows" | "dropped"> {
  /** Of the embeddings; 0 without any. */
  readonly dimension: number;
  readonly fields: readonly (Pick<Field, "name" | "other" | "kind" | "profile"> & {
    readonly filled: number;
    readonly hasGrams: boolean;
  })[];
}

const headName = "comparison";

export const isComparison = (kept: Pick<KeptReader, "lengthOf">): boolean =>
  kept.lengthOf(headName) !== undefined;

/** Numbers and lists with a prefix to their names. */
const named = (prefix: string, arrays: Kept): Kept =>
  Object.fromEntries(Object.entries(arrays).map(([name, numbers]) => [`${prefix} ${name}`, numbers]));

export const nameOf = (field: number): string => `column ${field}`;
export const listNames = (name: string) => [`${name} starts`, `${name} items`] as const;

const keptLists = (name: string, starts: KeptArray, items: KeptArray): Kept => {
  const [ofStarts, ofItems] = listNames(name);
  return { [ofStarts]: starts, [ofItems]: items };
};

/** @param pairs the candidates */
export function keptComparison(
  { rows, dropped, order }: PreparedTables,
  { fields, naming, isOneTable, words, rowWords, vectors, grams }: ComparisonSettings,
  { left, right }: Pairs,
): Kept {
  const head: Head = {
    ...{ naming, isOneTable, rows, dropped, dimension: vectors?.dimension ?? 0 },
    fields: fields.map(({ name, other, kind, profile, set: { filled } }, field) => {
      return { name, other, kind, profile, filled, hasGrams: grams[field] !== undefined };
    }),
  };
  const ofFields = fields.map(({ set, ...values }, field) => {
    const own = grams[field];
    return named(nameOf(field), {
      left: values.left,
      ...(isOneTable ? undefined : { right: values.right }),
      ...keptLists("texts", set.texts.starts, set.texts.bytes),
      ...keptLists("words", set.words.starts, set.words.items),
      ...{ counts: set.counts, mainWords: set.mainWords, rarity: set.rarity, numbers: set.numbers },
      ...(own && keptLists("grams", own.grams.starts, own.grams.steps)),
      ...(own && { gramWeights: own.weights, gramLengths: own.lengths }),
    });
  });
  return {
    [headName]: new TextEncoder().encode(JSON.stringify(head)),
    ...{ left, right, isCode: rowWords.isCode, rarity: rowWords.rarity },
    ...keptLists("words", words.starts, words.bytes),
    ...keptLists("left words", rowWords.left.starts, rowWords.left.items),
    "left order": order[0],
    ...(isOneTable
      ? undefined
      : {
          ...keptLists("right words", rowWords.right.starts, rowWords.right.items),
          "right order": order[1],
        }),
    ...(vectors && { vectors: vectors.data }),
    ...Object.assign({}, ...ofFields),
  };
}

export async function readHead(kept: KeptReader): Promise<Head> {
  const text = new TextDecoder().decode((await kept.read<Uint8Array>(headName)).slice());
  return JSON.parse(text) as Head;
}

/** Whether shards have ranges of the right rows, not of the left ones: of the larger table, so that each holds a part of it. */
export const isByRight = ({ rows }: Pick<Head, "rows">): boolean => rows[1] > rows[0];

/** What a shard compares, before it is read. */
export async function sizeOfShard(kept: KeptReader, shard: Shard): Promise<ShardSize> {
  const { rows, fields, dimension, naming } = await readHead(kept);
  const pairs = Math.ceil(kept.lengthOf("left")! / shard.count);
  const [smaller, larger] = [...rows].sort((a, b) => a - b);
  const ofSides = [Math.min(smaller, pairs), Math.ceil(larger / shard.count)];
  return {
    ...{ rows: ofSides, columns: fields.length, pairs, dimension },
    words: kept.lengthOf("isCode")!,
    names: naming < 0 ? 0 : Math.min(kept.lengthOf(`${nameOf(naming)} counts`)!, ofSides[0] + ofSides[1]),
  };
}
