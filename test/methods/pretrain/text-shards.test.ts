/** Text as numbers on disk. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  openTexts,
  prepareShards,
  readShard,
  shardReader,
} from "../../../src/methods/pretrain/text-shards.js";

async function* texts(...parts: string[]): AsyncGenerator<string> {
  yield* parts;
}

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pearl-shards-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("shards of text", () => {
  it("number words by falling frequency, punctuation below zero, and 0 after each text", async () => {
    const shards = await prepareShards(texts("The cat, the dog.", "A dog: the end."), join(folder, "s"), "x");
    expect(shards.words).toEqual(["the", "dog", "a", "cat", "end"]);
    expect([...shards.counts]).toEqual([3, 2, 1, 1, 1]);
    expect(shards.tokens).toBe(14);
    const numbers = [...(await readShard(shards, 0))];
    // , . : in the order in which they first occur
    expect(numbers).toEqual([1, 4, -1, 1, 2, -2, 0, 3, 2, -3, 1, 5, -2, 0]);
  });

  it("are taken as they are for the same source, and made again for another", async () => {
    const place = join(folder, "s");
    const first = await prepareShards(texts("one two"), place, "x");
    expect(await prepareShards(texts("never read"), place, "x")).toEqual(first);
    expect((await prepareShards(texts("three"), place, "y")).words).toEqual(["three"]);
  });

  it("that are damaged are read again after the folder is removed, as the message says", async () => {
    const place = join(folder, "s");
    const first = await prepareShards(texts("one two"), place, "x");
    writeFileSync(join(place, "shards.json"), "{");
    const again = () => prepareShards(texts("one two"), place, "x");
    await expect(again()).rejects.toThrow("Remove this folder to read the texts again.");
    rmSync(place, { recursive: true });
    expect(await again()).toEqual(first);
    await expect(openTexts({ texts: [] }, place)).rejects.toThrow("name at least one text to read");
  });

  it("are of one size, so that the end of the text is not drawn more often than the rest", async () => {
    const text = Array.from("abcdefghijklmnopqrstuvwx").join(" ");
    // 25 numbers with the end of the text, at most 8 in a shard
    const shards = await prepareShards(texts(text), join(folder, "s"), "x", 8);
    const all = await Promise.all([0, 1, 2, 3].map((index) => readShard(shards, index)));
    expect(all.map(({ length }) => length)).toEqual([7, 7, 7, 4]);
    expect(shards).toMatchObject({ shards: 4, tokens: 25 });
    const whole = await prepareShards(texts(text), join(folder, "whole"), "x");
    expect([...(await readShard(whole, 0))]).toEqual(all.flatMap((part) => [...part]));
  });

  it("are read in an order of the seed", async () => {
    const text = Array.from("abcdefghijklmnopqrstuvwx").join(" ");
    const shards = await prepareShards(texts(text), join(folder, "s"), "x", 5);
    const order = async (seed: number) => {
      const read = shardReader(shards, seed);
      const firsts: number[] = [];
      for (let batch = 0; batch < 40; batch += 4) firsts.push((await read(batch))[0]);
      return firsts;
    };
    expect(await order(1)).toEqual(await order(1));
    expect(await order(1)).not.toEqual(await order(2));
  });

  it("refuse text without words", async () => {
    await expect(prepareShards(texts("…", "!"), join(folder, "s"), "x")).rejects.toThrow("holds no words");
  });
});
