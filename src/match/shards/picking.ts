/** Takes some numbers and lists out of kept arrays, which need not have room in memory, and numbers them anew in their order. */
import type { KeptArray, KeptReader } from "../../files/shards/shard.js";
import { shared } from "../../runtime/shared-array.js";
import type { Lists } from "../columns/lists.js";

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
