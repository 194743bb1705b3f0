/**
 * All that pairs of rows are compared by, as arrays of a file: a first pass writes it. A shard reads its pairs, and no more of
 * rows, values and words than occurs in them, which are numbered anew in their order; a merge reads all.
 */
import {
  type Kept,
  type KeptArray,
  type KeptReader,
  type Shard,
  shardRange,
} from "../../files/shards/shard.js";
import { shared } from "../../runtime/shared-array.js";
import type { Pairs } from "../candidates/pair-set.js";
import type { Field, PreparedTables } from "../columns/fields.js";
import { Growing, type Lists } from "../columns/lists.js";
import { importComparisons } from "../evidence/own-comparison.js";
import type { ComparisonSettings } from "../evidence/pair-evidence.js";

/** What is no array. */
interface Head extends Pick<PreparedTables, "naming" | "isOneTable" | "rows" | "dropped"> {
  /** Of the embeddings; 0 without any. */
  readonly dimension: number;
  readonly fields: readonly (Pick<Field, "name" | "other" | "kind" | "profile" | "siblings" | "own"> & {
    readonly filled: number;
    readonly hasGrams: boolean;
    readonly isNumbered: boolean;
  })[];
}

const headName = "comparison";

export const isComparison = (kept: Pick<KeptReader, "lengthOf">): boolean =>
  kept.lengthOf(headName) !== undefined;

/** Numbers and lists with a prefix to their names. */
const named = (prefix: string, arrays: Kept): Kept =>
  Object.fromEntries(Object.entries(arrays).map(([name, numbers]) => [`${prefix} ${name}`, numbers]));

export const nameOf = (field: number): string => `column ${field}`;

const keptLists = (name: string, { starts, items }: Lists<KeptArray>): Kept => ({
  [`${name} starts`]: starts,
  [`${name} items`]: items,
});

/** @param pairs the candidates */
export function keptComparison(
  { rows, dropped, order }: PreparedTables,
  { fields, naming, isOneTable, words, rowWords, vectors, grams, areNumbered }: ComparisonSettings,
  { left, right }: Pairs,
): Kept {
  const head: Head = {
    ...{ naming, isOneTable, rows, dropped, dimension: vectors?.dimension ?? 0 },
    fields: fields.map(({ name, other, kind, role, profile, siblings, own, set: { filled } }, field) => {
      const isNumbered = areNumbered[field];
      const hasGrams = grams[field] !== undefined;
      return { name, other, kind, role, profile, siblings, own, filled, isNumbered, hasGrams };
    }),
  };
  const ofFields = fields.map(({ set, ...values }, field) => {
    const own = grams[field];
    return named(nameOf(field), {
      left: values.left,
      ...(isOneTable ? undefined : { right: values.right }),
      ...keptLists("texts", set.texts),
      ...keptLists("words", set.words),
      ...(set.written && keptLists("written", set.written)),
      ...{ counts: set.counts, mainWords: set.mainWords, rarity: set.rarity, numbers: set.numbers },
      ...(own && {
        ...keptLists("grams", own.grams),
        ...{ gramWeights: own.weights, gramLengths: own.lengths },
      }),
    });
  });
  return {
    [headName]: new TextEncoder().encode(JSON.stringify(head)),
    ...{ left, right, isCode: rowWords.isCode, rarity: rowWords.rarity },
    ...keptLists("words", words),
    ...keptLists("left words", rowWords.left),
    "left order": order[0],
    ...(isOneTable ? undefined : { ...keptLists("right words", rowWords.right), "right order": order[1] }),
    ...(vectors && { vectors: vectors.data }),
    ...Object.assign({}, ...ofFields),
  };
}

export async function readHead(kept: KeptReader): Promise<Head> {
  const text = new TextDecoder().decode((await kept.read<Uint8Array>(headName)).slice());
  return JSON.parse(text) as Head;
}

/** Whether shards have ranges of the right rows, not of the left ones: of the larger table, so that each holds a part of it. */
const isByRight = ({ rows }: Pick<Head, "rows">): boolean => rows[1] > rows[0];

/**
 * A shard's pairs, and what they are compared by.
 * @returns rows: those of the shard among all, ascending, of both sides; pairs count rows among these
 */
export async function readComparison(kept: KeptReader, shard: Shard) {
  const head = await readHead(kept);
  const { pairs, rows } = await readPairs(kept, shard, head);
  return { settings: await readSettings(kept, head, rows), pairs, rows };
}

/** The tables as the first pass prepared them. */
export async function readPrepared(kept: KeptReader) {
  const head = await readHead(kept);
  const settings = await readSettings(kept, head, ["all", "all"]);
  const left = await kept.read<Uint32Array>("left order");
  const right = head.isOneTable ? left : await kept.read<Uint32Array>("right order");
  const { fields, naming, isOneTable, words } = settings;
  const tables: PreparedTables = {
    ...{ isOneTable, fields, naming, vocabulary: words, rows: head.rows, dropped: head.dropped },
    // Their words are among those of rows already.
    alone: [[], []],
    order: [left, right],
  };
  return { tables, settings };
}

async function readSettings(
  kept: KeptReader,
  head: Head,
  rows: readonly [Places, Places],
): Promise<ComparisonSettings> {
  const { naming, isOneTable, dimension } = head;
  const isSame = isOneTable && rows[0] === "all";
  const rightSide = isOneTable ? "left" : "right";
  const left = await pickLists(kept, "left words", Uint32Array, rows[0]);
  const right = isSame ? left : await pickLists(kept, `${rightSide} words`, Uint32Array, rows[1]);
  const columns: Column[] = [];
  for (const [field, { hasGrams }] of head.fields.entries())
    columns.push(await readColumn(kept, nameOf(field), { rows, rightSide, isSame, hasGrams }));
  const lists = [left, right, ...columns.map(({ set }) => set.words)].map(({ items }) => items);
  const words: Places = rows[0] === "all" ? "all" : numberedAnew(lists, kept.lengthOf("isCode")!);
  const fields: Field[] = [];
  for (const [field, { filled, hasGrams: _, isNumbered: _n, ...named }] of head.fields.entries()) {
    const rarity = await pickNumbers(kept, `${nameOf(field)} rarity`, Float32Array, words);
    const { set, ofLeft, ofRight } = columns[field];
    fields.push({ ...named, left: ofLeft, right: ofRight, set: { ...set, filled, rarity } });
  }
  await importComparisons(fields);
  return {
    ...{ fields, naming, isOneTable },
    words: await pickLists(kept, "words", Uint8Array, words),
    rowWords: {
      ...{ left, right },
      isCode: await pickNumbers(kept, "isCode", Uint8Array, words),
      rarity: await pickNumbers(kept, "rarity", Float32Array, words),
    },
    grams: columns.map(({ grams }) => grams),
    areNumbered: head.fields.map(({ isNumbered }) => isNumbered),
    ...(dimension > 0 && {
      vectors: {
        data: await pickNumbers(kept, "vectors", Float32Array, columns[naming].values, dimension),
        dimension,
      },
    }),
  };
}

/** Numbers what occurs in some lists anew. @returns what that is, ascending */
function numberedAnew(lists: readonly (Int32Array | Uint32Array)[], count: number): Uint32Array {
  const found = numbersIn(lists, count);
  for (const numbers of lists) renumber(numbers, found, count);
  return found;
}

async function readPairs(kept: KeptReader, shard: Shard, head: Head) {
  const { left, right } = await (isByRight(head) ? pairsByRight : pairsByPlace)(kept, shard, head);
  const rows = [numberedAnew([left], head.rows[0]), numberedAnew([right], head.rows[1])] as const;
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

interface ColumnOptions {
  readonly rows: readonly [Places, Places];
  readonly rightSide: string;
  /** Both sides are all rows of one table. */
  readonly isSame: boolean;
  readonly hasGrams: boolean;
}

type Column = Awaited<ReturnType<typeof readColumn>>;

/** A column of some rows, but for what belongs to words. */
async function readColumn(
  kept: KeptReader,
  name: string,
  { rows, rightSide, isSame, hasGrams }: ColumnOptions,
) {
  const ofLeft = await pickNumbers(kept, `${name} left`, Int32Array, rows[0]);
  const ofRight = isSame ? ofLeft : await pickNumbers(kept, `${name} ${rightSide}`, Int32Array, rows[1]);
  const count = kept.lengthOf(`${name} counts`)!;
  const values: Places = rows[0] === "all" ? "all" : numberedAnew([ofLeft, ofRight], count);
  const set = {
    words: await pickLists(kept, `${name} words`, Uint32Array, values),
    texts: await pickLists(kept, `${name} texts`, Uint8Array, values),
    ...(kept.lengthOf(`${name} written items`) !== undefined && {
      written: await pickLists(kept, `${name} written`, Uint8Array, values),
    }),
    counts: await pickNumbers(kept, `${name} counts`, Uint32Array, values),
    mainWords: await pickNumbers(kept, `${name} mainWords`, Uint8Array, values),
    numbers: await pickNumbers(kept, `${name} numbers`, Float64Array, values),
  };
  const grams = hasGrams
    ? {
        grams: await pickLists(kept, `${name} grams`, Uint16Array, values),
        weights: await pickNumbers(kept, `${name} gramWeights`, Float32Array, "all"),
        lengths: await pickNumbers(kept, `${name} gramLengths`, Float32Array, values),
      }
    : undefined;
  return { ofLeft, ofRight, values, set, grams };
}

type Kind<Numbers> = {
  new (buffer: SharedArrayBuffer): Numbers;
  readonly BYTES_PER_ELEMENT: number;
};

/** Places in an array, ascending. */
export type Places = Uint32Array | "all";

/** Numbers that are read at a time. */
const piece = 2 ** 20;

/** The numbers at some places, none of an empty array; 0 beyond the last. @param width numbers of a place */
export async function pickNumbers<Numbers extends KeptArray>(
  kept: KeptReader,
  name: string,
  kind: Kind<Numbers>,
  places: Places,
  width = 1,
): Promise<Numbers> {
  if (places === "all") return readAll(kept, name, kind);
  const length = kept.lengthOf(name)! / width;
  const picked = shared(kind, length === 0 ? 0 : places.length * width);
  const most = Math.ceil(piece / width);
  for (let at = 0; at < places.length && places[at] < length; ) {
    const from = places[at];
    const to = Math.min(length, from + most, places[places.length - 1] + 1);
    const numbers = await kept.read<Numbers>(name, from * width, to * width);
    for (; at < places.length && places[at] < to; at++)
      copy(numbers, (places[at] - from) * width, width, picked, at * width);
  }
  return picked;
}

async function readAll<Numbers extends KeptArray>(
  kept: KeptReader,
  name: string,
  kind: Kind<Numbers>,
): Promise<Numbers> {
  const length = kept.lengthOf(name)!;
  const all = shared(kind, length);
  for (let from = 0; from < length; from += piece)
    all.set(await kept.read<Numbers>(name, from, Math.min(length, from + piece)), from);
  return all;
}

/** Some of the lists of a name. */
export async function pickLists<Numbers extends KeptArray>(
  kept: KeptReader,
  name: string,
  kind: Kind<Numbers>,
  lists: Places,
): Promise<Lists<Numbers>> {
  const [ofStarts, ofItems] = [`${name} starts`, `${name} items`];
  if (lists === "all")
    return { starts: await readAll(kept, ofStarts, Uint32Array), items: await readAll(kept, ofItems, kind) };
  const begins = await pickNumbers(kept, ofStarts, Uint32Array, lists);
  const behind = lists.map((list) => list + 1);
  const ends = await pickNumbers(kept, ofStarts, Uint32Array, behind);
  const starts = shared(Uint32Array, lists.length + 1);
  for (let list = 0; list < lists.length; list++) starts[list + 1] = starts[list] + ends[list] - begins[list];
  const items = shared(kind, starts[lists.length]);
  for (let list = 0; list < lists.length; ) {
    const from = begins[list];
    let next = list + 1;
    while (next < lists.length && ends[next] - from <= piece) next++;
    const numbers = await kept.read<Numbers>(ofItems, from, ends[next - 1]);
    for (; list < next; list++)
      copy(numbers, begins[list] - from, ends[list] - begins[list], items, starts[list]);
  }
  return { starts, items };
}

/** Most copies are of a few numbers: a loop is faster than an array over them. */
function copy(from: KeptArray, start: number, count: number, to: KeptArray, place: number): void {
  for (let at = 0; at < count; at++) to[place + at] = from[start + at];
}

/** The different numbers below `count`, ascending; -1 is none. */
export function numbersIn(lists: readonly (Int32Array | Uint32Array)[], count: number): Uint32Array {
  const isIn = new Uint8Array(count);
  let different = 0;
  for (const numbers of lists)
    for (const number of numbers) {
      if (number < 0 || isIn[number] === 1) continue;
      isIn[number] = 1;
      different++;
    }
  const found = new Uint32Array(different);
  let used = 0;
  for (let number = 0; number < count; number++) if (isIn[number] === 1) found[used++] = number;
  return found;
}

/** Puts in the place of each number its place among some of those below `count`; -1 stays. */
export function renumber(numbers: Int32Array | Uint32Array, among: Uint32Array, count: number): void {
  const places = new Int32Array(count);
  among.forEach((number, place) => {
    places[number] = place;
  });
  for (let at = 0; at < numbers.length; at++) if (numbers[at] >= 0) numbers[at] = places[numbers[at]];
}
