/** Sentences of texts, and batches of them. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Featurizer } from "../../../src/architectures/architecture.js";
import {
  readSentences,
  sentenceBatches,
  sentenceFeeds,
  splitSentences,
} from "../../../src/methods/pretrain/neighbours.js";

const root = mkdtempSync(join(tmpdir(), "pearl-sentences-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const write = (name: string, text: string): string => {
  writeFileSync(join(root, name), text);
  return join(root, name);
};

/** Hands the phrases on, as numbers that they spell. */
const featurizer: Featurizer = {
  read: (phrases) => ({
    rows: { ids: Int32Array.from(phrases, Number), starts: Int32Array.from([...phrases, ""].keys()) },
    truncated: 0,
  }),
  fill({ ids }, batch, _, feeds) {
    feeds.ids = { type: "int32", dims: [batch.length], data: batch.map((row) => ids[row]) };
  },
};

describe("sentences", () => {
  it.each([
    ["One ends. Another begins.", ["One ends.", "Another begins."]],
    ["Dr. Smith met J. R. Tolkien in the U.S. Army.", ["Dr. Smith met J. R. Tolkien in the U.S. Army."]],
    ['"Is it?" He went at 3 p.m. on foot! 4 came.', ['"Is it?"', "He went at 3 p.m. on foot!", "4 came."]],
    ["It costs $3.50, e.g. here.", ["It costs $3.50, e.g. here."]],
    ["今日は。明日は？", ["今日は。", "明日は？"]],
    ["... ! ?", []],
  ])("of %s", (text, sentences) => expect(splitSentences(text)).toEqual(sentences));

  it("are read in order, with documents between blank lines, and of each row of a table", async () => {
    const text = write("a.txt", "One. Two is long.\nthree begins small\n\n\nFour.\n");
    const table = write("b.tsv", "name\ttext\nx\tFive is longer. Six.\ny\tSeven is longer.\n");
    const { texts, documents } = await readSentences({ texts: [text, table] });
    expect(texts).toEqual([
      "One.",
      "Two is long.",
      "three begins small",
      "Four.",
      "Five is longer.",
      "Six.",
      "Seven is longer.",
    ]);
    const [first, , , second, third, , fourth] = documents;
    expect([...documents]).toEqual([first, first, first, second, third, third, fourth]);
    expect(new Set([first, second, third, fourth]).size).toBe(4);
  });

  it("that never follow one another are refused", async () => {
    const apart = write("apart.txt", "One.\n\nTwo.\n\nThree.\n");
    await expect(readSentences({ texts: [apart] })).rejects.toThrow(
      "no two sentences that follow one another",
    );
  });

  it("have places that are further apart between documents, and blocks as long as a window", () => {
    const documents = Int32Array.of(1, 1, 1, 1, 1, 1, 1, 2, 2, 3);
    const feeds = sentenceFeeds({ texts: [...documents.keys()].map(String), documents }, featurizer, 2);
    expect([...feeds.sentence_places.data]).toEqual([0, 1, 2, 3, 4, 5, 6, 9, 10, 13]);
    expect([...feeds.sentence_blocks.data]).toEqual([0, 0, 0, 0, 0, 1, 1, 2, 2, 3]);
  });

  it("come in batches of consecutive ones that depend on the batch's number alone", async () => {
    const texts = Array.from({ length: 50 }, (_, i) => String(i));
    const sentences = { texts, documents: new Int32Array(50), fingerprint: "" };
    const settings = { contextSize: 1, batchSize: 8, seed: 3 };
    const batches = () => sentenceBatches(sentences, settings, featurizer, ["ids"]);
    const { batch } = batches();
    const read = async (index: number) => [...(await batch(index)).feeds.ids.data].map(Number);
    const epochs = await Promise.all(
      [0, 7].map((from) => Promise.all([0, 1, 2, 3, 4, 5, 6].map((i) => read(from + i)))),
    );
    for (const ids of epochs.flat()) {
      expect(ids).toHaveLength(8);
      expect(ids).toEqual(ids.map((_, i) => (ids[0] + i) % 50));
    }
    const starts = epochs.map((epoch) => epoch.map(([id]) => id));
    expect(starts[0].toSorted((a, b) => a - b)).not.toEqual(starts[1].toSorted((a, b) => a - b));
    for (const epoch of epochs) expect(new Set(epoch.flat()).size).toBe(50);
    expect(await batches().batch(9)).toEqual(await batch(9));
  });

  it("come as often at the ends of the text as in its middle, and the ends are no neighbours", async () => {
    const texts = Array.from({ length: 50 }, (_, i) => String(i));
    const sentences = { texts, documents: new Int32Array(50), fingerprint: "" };
    const settings = { contextSize: 1, batchSize: 8, seed: 3 };
    const { batch } = sentenceBatches(sentences, settings, featurizer, ["ids", "sentence_places"]);
    const counts = new Int32Array(50);
    for (let index = 0; index < 7 * 40; index++) {
      const { feeds } = await batch(index);
      const [ids, places] = [feeds.ids, feeds.sentence_places].map(({ data }) => Array.from(data, Number));
      for (const [i, id] of ids.entries()) {
        counts[id]++;
        if (i > 0) expect(places[i] - places[i - 1]).toBe(id === 0 ? 2 : 1);
      }
    }
    for (const count of counts) expect(Math.abs(count - 45)).toBeLessThan(9);
  });
});
