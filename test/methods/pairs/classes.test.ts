import { describe, expect, it } from "vitest";
import { readModelFolder } from "../../../src/architectures/model-folder.js";
import { classesOf, createPairData } from "../../../src/methods/pairs/pair-data.js";
import type { Pair } from "../../../src/methods/pairs/pairs.js";
import { pairInputs } from "../../../src/methods/pairs/views.js";
import { readModel } from "../../../src/onnx/io/file.js";
import { openReader } from "../../../src/pearl/contrastive-batch.js";

const pair = (text: string, positive: string, label?: string): Pair => ({
  ...{ text, positive, negative: "", type: "" },
  ...(label !== undefined && { label }),
});
const numbered = (
  pairs: readonly Pair[],
  { further = [], positives = "column" }: { further?: string[]; positives?: "column" | "made" } = {},
) => {
  const phrases = [...new Set([...pairs.flatMap(({ text, positive }) => [text, positive]), ...further])];
  return classesOf([{ pairs, positives }], {
    groupOf: (phrase) => phrases.indexOf(phrase),
    count: phrases.length,
  });
};

const reader = async () => {
  const folder = await readModelFolder("models/pearl-strings");
  return openReader(folder, { model: readModel(folder.graph), features: folder.features });
};

describe("classes of pairs", () => {
  it("join pairs that share a phrase, in any order and over several steps", () => {
    const pairs = [
      pair("a", "b"),
      pair("c", "d"),
      pair("e", "f"),
      pair("d", "b"),
      pair("f", "a"),
      pair("x", "y"),
    ];
    const { ofPair, ofPhrase } = numbered(pairs, { further: ["new"] });
    const classes = pairs.map(ofPair);
    expect(new Set(classes.slice(0, 5)).size).toBe(1);
    expect(classes[5]).not.toBe(classes[0]);
    expect(ofPhrase("f")).toBe(classes[0]);
    expect([...classes, ofPhrase("new")].filter((number) => number === ofPhrase("new"))).toHaveLength(1);
  });

  it("are the labels where there are labels, also for a phrase with two", () => {
    const pairs = [
      pair("paris", "lutetia", "city"),
      pair("rome", "roma", "city"),
      pair("paris", "paris h.", "person"),
    ];
    const { ofPair, ofPhrase } = numbered(pairs);
    const [city, other, person] = pairs.map(ofPair);
    expect(other).toBe(city);
    expect(person).not.toBe(city);
    expect(ofPhrase("paris")).toBe(city);
  });

  it("of pairs without a label are those of labelled phrases that they are joined to, over several steps", () => {
    const pairs = [pair("a", "b", "x"), pair("a", "c", ""), pair("d", "c", ""), pair("e", "f", "")];
    const { ofPair, ofPhrase } = numbered(pairs);
    const [labelled, one, two, far] = pairs.map(ofPair);
    expect([one, two, ofPhrase("c")]).toEqual([labelled, labelled, labelled]);
    expect(far).not.toBe(labelled);
  });

  it("of phrases with two labels join what pairs name, and nothing where the label made the pairs", () => {
    const pairs = [pair("paris", "lutetia", "city"), pair("paris", "paris h.", "person")];
    const numbers = (positives: "column" | "made") =>
      ["paris", "lutetia", "paris h."].map(numbered(pairs, { positives }).joined);
    expect(new Set(numbers("column")).size).toBe(1);
    expect(new Set(numbers("made")).size).toBe(3);
  });

  it("join pairs by their whole positives, also where the view cuts words of them", async () => {
    const whole = "International Business Machines";
    const pairs = [pair("Big Blue", whole), pair("IBM", whole), pair("Big Apple", "New York City")];
    const data = await createPairData([{ pairs, positives: "column", weight: 1 }], await reader(), {
      ...{ negatives: "none", view: "cutoff", batchSize: 3, seed: 1, types: [], fingerprint: "" },
      inputNames: [pairInputs.classes],
    });
    const { feeds } = await data.batch(0);
    const texts = (data.describe!(0) as readonly Pair[]).map(({ text }) => text);
    const classOf = (text: string) => Number(feeds[pairInputs.classes].data[texts.indexOf(text)]);
    expect(classOf("IBM")).toBe(classOf("Big Blue"));
    expect(classOf("Big Apple")).not.toBe(classOf("IBM"));
  });
});

describe("batches of pairs", () => {
  const pairs = Array.from({ length: 20 }, (_, i) => pair(i % 4 === 0 ? "hub" : `name ${i}`, `alias ${i}`));
  const batchesOf = async (own: readonly Pair[]) => {
    const data = await createPairData([{ pairs: own, positives: "column", weight: 1 }], await reader(), {
      ...{ negatives: "none", batchSize: 4, seed: 1, types: [], fingerprint: "", inputNames: [] },
    });
    return Array.from({ length: 40 }, (_, index) => data.describe!(index) as readonly Pair[]);
  };
  const hubs = (rows: readonly Pair[]) => rows.filter(({ text }) => text === "hub").length;

  it("hold no two pairs that share a phrase where there are enough batches, and each pair once an epoch", async () => {
    const batches = await batchesOf(pairs);
    expect(batches.map(hubs)).toEqual(batches.map(() => 1));
    for (let epoch = 0; epoch < 8; epoch++)
      expect(new Set(batches.slice(5 * epoch, 5 * epoch + 5).flat()).size).toBe(20);
    expect(batches[0]).not.toEqual(batches[5]);
  });

  it("have phrases of one label beside each other", async () => {
    const batches = await batchesOf(pairs.map((own) => ({ ...own, label: own.text })));
    expect(Math.max(...batches.map(hubs))).toBeGreaterThan(1);
  });
});
