/** Several tables of pairs: weights, mixed batches, and held-out pairs of each. */
import { writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { readModelFolder } from "../../../src/architectures/model-folder.js";
import { splitPairs } from "../../../src/methods/pairs/held-out.js";
import { createPairData } from "../../../src/methods/pairs/pair-data.js";
import {
  mixedOrder,
  type Pair,
  type PairsOfSource,
  readSources,
  sourceOf,
} from "../../../src/methods/pairs/pairs.js";
import { readModel } from "../../../src/onnx/io/file.js";
import { openReader } from "../../../src/pearl/contrastive-batch.js";
import { createRandom, permutation } from "../../../src/random.js";
import { newFolder } from "../../setup/new-folder.js";

const pair = (text: string, positive: string): Pair => ({ text, positive, negative: "", type: "" });
const source = (name: string, count: number, weight = 1): PairsOfSource => ({
  pairs: Array.from({ length: count }, (_, i) => pair(`${name} ${i}`, `${name} alias ${i}`)),
  ...{ positives: "column", weight },
});
const dataOf = async (sources: readonly PairsOfSource[], inputNames: readonly string[] = []) => {
  const folder = await readModelFolder("models/pearl-strings");
  const reader = await openReader(folder, { model: readModel(folder.graph), features: folder.features });
  const options = { negatives: "none", batchSize: 4, seed: 1, types: [], fingerprint: "" } as const;
  return createPairData(sources, reader, { ...options, inputNames });
};
const timesOf = (rows: readonly Pair[]) => {
  const times = new Map<string, number>();
  for (const { text } of rows) times.set(text, (times.get(text) ?? 0) + 1);
  return [...new Set(times.values())];
};

describe("mixedOrder", () => {
  const numbers = (order: Int32Array, from: number, to: number) =>
    [...order].filter((number) => number >= from && number < to);

  it("takes each source as often as its weight says, and continues where the last pass ended", () => {
    const order = mixedOrder([source("a", 6), source("b", 4, 2), source("c", 10, 0.5)], 7);
    expect(order.perPass).toBe(6 + 8 + 5);
    const [first, second] = [order.of(0), order.of(1)];
    for (const pass of [first, second]) {
      expect(numbers(pass, 0, 6).sort()).toEqual([0, 1, 2, 3, 4, 5]);
      expect(numbers(pass, 6, 10).sort()).toEqual([6, 6, 7, 7, 8, 8, 9, 9]);
    }
    const halves = [first, second].flatMap((pass) => numbers(pass, 10, 20));
    expect(halves.sort((a, b) => a - b)).toEqual([10, 11, 12, 13, 14, 15, 16, 17, 18, 19]);
    expect([...first]).not.toEqual([...second]);
  });

  it("takes at least one pair of a source", () => {
    expect(numbers(mixedOrder([source("a", 6), source("b", 4, 0.01)], 7).of(0), 6, 10)).toHaveLength(1);
  });

  it("leaves a single source in the order of its seed", () => {
    const order = mixedOrder([source("a", 6)], 7);
    expect([0, 1, 2].map((pass) => [...order.of(pass)])).toEqual(
      [0, 1, 2].map((pass) => [...permutation(6, 7, pass)]),
    );
  });
});

describe("batches of several sources", () => {
  it("mix them, in proportion to their sizes and weights", async () => {
    const data = await dataOf([source("a", 20), source("b", 8, 2), source("c", 16, 0.5)]);
    expect(data.batchesPerEpoch).toBe((20 + 16 + 8) / 4);
    const passes = [0, 1].map((pass) =>
      Array.from({ length: 11 }, (_, i) => data.describe!(11 * pass + i) as readonly Pair[]),
    );
    const mixed = passes.flat().filter((rows) => new Set(rows.map(({ text }) => text[0])).size > 1);
    expect(mixed.length).toBeGreaterThan(15);
    const rowsOf = (name: string, some: readonly (readonly Pair[])[]) =>
      some.flat().filter(({ text }) => text.startsWith(name));
    for (const pass of passes) {
      expect([rowsOf("a", pass).length, timesOf(rowsOf("a", pass))]).toEqual([20, [1]]);
      expect([rowsOf("b", pass).length, timesOf(rowsOf("b", pass))]).toEqual([16, [2]]);
      expect([rowsOf("c", pass).length, timesOf(rowsOf("c", pass))]).toEqual([8, [1]]);
    }
    // the second pass continues with the other half
    expect(timesOf(rowsOf("c", passes.flat()))).toEqual([1]);
  });

  it("have labels that mean something within their own table", async () => {
    const labelled = (text: string, label: string): PairsOfSource => ({
      pairs: [{ ...pair(text, `${text} too`), label }],
      ...{ positives: "made", weight: 1 },
    });
    const data = await dataOf([labelled("a", "1"), labelled("b", "1")], ["classes"]);
    const { feeds } = await data.batch(0);
    const [one, other, ...twins] = Array.from(feeds.classes.data, Number);
    expect(one).not.toBe(other);
    expect(twins).toEqual([one, other]);
  });

  it("do not take phrases for negatives that another source joins", async () => {
    const ours: PairsOfSource = {
      pairs: [pair("Big Blue", "the Blues"), pair("IBM", "IBM Corp.")],
      ...{ positives: "column", weight: 1 },
    };
    const theirs: PairsOfSource = { ...ours, pairs: [pair("Big Blue", "IBM"), pair("x", "y")] };
    const groupsOf = async (sources: readonly PairsOfSource[]) => {
      const data = await dataOf(sources, ["groups"]);
      const groups = new Map<string, number>();
      for (let index = 0; index < data.batchesPerEpoch; index++) {
        const { feeds } = await data.batch(index);
        const rows = data.describe!(index) as readonly Pair[];
        rows.forEach(({ positive }, row) => groups.set(positive, Number(feeds.groups.data[row])));
      }
      return [groups.get("the Blues"), groups.get("IBM Corp.")];
    };
    const [one, other] = await groupsOf([ours]);
    expect(one).not.toBe(other);
    const [joined, too] = await groupsOf([ours, theirs]);
    expect(joined).toBe(too);
  });
});

describe("held-out pairs of several sources", () => {
  const split = (sources: readonly PairsOfSource[], fraction?: number) =>
    splitPairs(sources, { fraction, random: createRandom(3) });
  const names = (pairs: readonly Pair[]) => pairs.flatMap(({ text, positive }) => [text, positive]);

  it("are a tenth of each that has 200 pairs", () => {
    const { trained, heldOut } = split([source("a", 400), source("b", 250), source("c", 100)]);
    const sizes = [0, 1, 2].map((at) => heldOut.filter((own) => own.source === at).length);
    expect(sizes).toEqual([40, 25, 0]);
    expect(trained.map(({ length }) => length)).toEqual([360, 225, 100]);
  });

  it("share no phrase with any source's training", () => {
    const first = source("a", 300);
    const second: PairsOfSource = {
      ...first,
      pairs: first.pairs.map(({ positive }, i) => pair(i < 150 ? positive : `b ${i}`, `b alias ${i}`)),
    };
    const { trained, heldOut } = split([first, second], 0.2);
    const seen = new Set(names(trained.flat()));
    expect(names(heldOut).filter((name) => seen.has(name))).toEqual([]);
    for (const at of [0, 1]) expect(heldOut.filter((own) => own.source === at).length).toBeGreaterThan(40);
  });
});

describe("sources by their names", () => {
  it("have a weight behind the last =, unless a file has the whole name", async () => {
    const folder = newFolder();
    const odd = join(folder, "a=2");
    writeFileSync(odd, "text,positive\n");
    expect(await sourceOf(odd)).toEqual({ file: odd });
    expect(await sourceOf(`${odd}=0.5`)).toEqual({ file: odd, weight: 0.5 });
    expect(await sourceOf("b.csv=.5")).toEqual({ file: "b.csv", weight: 0.5 });
    expect(await sourceOf("b=c.csv")).toEqual({ file: "b=c.csv" });
    expect(await sourceOf("postgres://h/d?table=2")).toEqual({ file: "postgres://h/d?table=2" });
    expect(await sourceOf("postgres://h/d?table=p=2")).toEqual({ file: "postgres://h/d?table=p", weight: 2 });
  });

  it("are refused without a table, with a weight that is none, and twice", async () => {
    await expect(readSources([], {})).rejects.toThrow("no pairs: give at least one table");
    await expect(readSources([{ file: "x.csv", weight: -1 }], {})).rejects.toThrow(
      "x.csv: the weight of a table must be a number above 0, at most 1000, not -1.",
    );
    for (const text of ["x.csv=0", "x.csv=-1", "x.csv=1e9", "x.csv=2,5", "x.csv=NaN"])
      await expect(readSources([await sourceOf(text)], {})).rejects.toThrow("x.csv: the weight of a table");
    const file = join(newFolder(), "p.csv");
    writeFileSync(file, "text,positive\na,b\nc,d\n");
    await expect(readSources([{ file }, { file, weight: 2 }], {})).rejects.toThrow("is given twice");
    const again = relative(process.cwd(), file);
    await expect(readSources([{ file }, { file: again }], {})).rejects.toThrow("is given twice");
  });

  it("keep two pairs each, however many are held out", () => {
    const sources = [source("a", 3), source("b", 2)];
    const { trained, heldOut } = splitPairs(sources, { fraction: 0.99, random: createRandom(1) });
    expect(trained.map(({ length }) => length)).toEqual([2, 2]);
    expect(heldOut).toHaveLength(1);
  });
});
