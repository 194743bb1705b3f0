import { describe, expect, it } from "vitest";
import { numbersIn, pickLists, pickNumbers, renumber } from "../../../src/match/shards/kept-comparison.js";
import { createRandom } from "../../../src/random.js";
import { readerOf } from "../../files/shards/merged.js";

/** More numbers than are read at a time. */
const many = 2 ** 21 + 77;
const random = createRandom(4);
const numbers = Uint32Array.from({ length: many }, (_, place) => (place * 7) % 1_000_003);
/** Ascending numbers below a count, of which so many are kept on average. */
const some = (count: number, share: number): Uint32Array =>
  Uint32Array.from({ length: count }, (_, place) => place).filter(() => random() < share);

const bytesOf = ({ buffer, byteOffset, byteLength }: Uint32Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

describe("numbers at some places", () => {
  it.each([0, 1e-5, 0.3, 1])("are those of the whole array: a share of %f", async (share) => {
    const places = some(many, share);
    const picked = await pickNumbers(readerOf({ numbers }), "numbers", Uint32Array, places);
    expect(picked).toHaveLength(places.length);
    expect(picked.every((number, at) => number === numbers[places[at]])).toBe(true);
  });

  it("are rows of a width, and 0 behind the last; none of an empty array", async () => {
    const kept = readerOf({ pairs: Float32Array.of(1, 2, 3, 4, 5, 6), none: new Uint8Array(0) });
    const places = Uint32Array.of(0, 2, 5);
    expect([...(await pickNumbers(kept, "pairs", Float32Array, places, 2))]).toEqual([1, 2, 5, 6, 0, 0]);
    expect(await pickNumbers(kept, "none", Uint8Array, places)).toHaveLength(0);
  });
});

describe("some lists", () => {
  it("are those of the whole, with empty ones and ones longer than what is read at a time", async () => {
    const starts = Uint32Array.of(0, 3, 3, 2 ** 20 + 9, 2 ** 20 + 9, 2 ** 20 + 10, many);
    const kept = readerOf({ "lists starts": starts, "lists items": numbers });
    for (const lists of [[0, 1, 2, 3, 4, 5], [1], [2, 5], [0, 4], []]) {
      const picked = await pickLists(kept, "lists", Uint32Array, Uint32Array.from(lists));
      lists.forEach((list, place) => {
        const own = picked.items.subarray(picked.starts[place], picked.starts[place + 1]);
        const whole = numbers.subarray(starts[list], starts[list + 1]);
        expect(Buffer.compare(bytesOf(own), bytesOf(whole))).toBe(0);
      });
      expect(picked.starts).toHaveLength(lists.length + 1);
    }
  });
});

describe("numbers that are numbered anew", () => {
  it("keep their order, and -1 stays", () => {
    const [one, other] = [Int32Array.of(7, -1, 3, 7), Int32Array.of(-1, 0)];
    const among = numbersIn([one, other], 9);
    expect([...among]).toEqual([0, 3, 7]);
    renumber(one, among, 9);
    expect([...one]).toEqual([2, -1, 1, 2]);
  });
});
