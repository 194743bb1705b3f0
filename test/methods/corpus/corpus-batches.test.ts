import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readModelFolder } from "../../../src/architectures/model-folder.js";
import { readCorpus, writeCorpus } from "../../../src/corpus/corpus-folder.js";
import { FINE_PHRASE_TYPES } from "../../../src/corpus/typing/fine-types.js";
import {
  type CorpusBatches,
  type CorpusBatchSettings,
  neighbourRuns,
  openCorpusBatches as openBatches,
} from "../../../src/methods/corpus/corpus-batches.js";
import { readModel } from "../../../src/onnx/io/file.js";
import { openReader } from "../../../src/pearl/contrastive-batch.js";
import { PHRASE_TYPES } from "../../../src/pearl/phrase-types.js";
import { smallCorpus } from "../../training/small-corpus.js";

type Settings = CorpusBatchSettings & { corpus: string };
const settings = async (changes: Partial<Settings> = {}): Promise<Settings> => ({
  corpus: await smallCorpus(),
  inputNames: [
    "character_ids",
    "character_capitals",
    "phrase_words",
    "sizes",
    "groups",
    "typed_rows",
    "type_labels",
    "type_weight",
  ],
  ...{ anchors: 20, hardNegatives: 2, synonyms: 4, run: 2, augmentPairs: 0, seed: 5 },
  types: PHRASE_TYPES,
  augmentation: { preset: "house", wordNet: "off" },
  ...changes,
});
async function openCorpusBatches({ corpus, ...own }: Settings): Promise<CorpusBatches> {
  const folder = await readModelFolder("models/pearl-strings");
  const { features } = folder;
  return openBatches(
    await readCorpus(corpus),
    own,
    await openReader(folder, { model: readModel(folder.graph), features }),
  );
}
const numbers = (data: unknown) => Array.from(data as ArrayLike<number | bigint>, Number);

describe("openCorpusBatches", () => {
  it("makes a batch from its number alone, not from earlier requests", async () => {
    const own = await settings();
    const [first, second] = [await openCorpusBatches(own), await openCorpusBatches(own)];
    for (const index of [0, 1, 2, 9]) await first.batch(index);
    expect(await second.batch(9)).toEqual(await first.batch(9));
    expect(await second.batch(3)).not.toEqual(await second.batch(4));
    expect(second.describe(9)).toEqual(first.describe(9));
  });

  it("are those of the same run where files have moved, and of another where they have changed", async () => {
    const written = (text: string) => {
      const path = join(mkdtempSync(join(tmpdir(), "pearl-moved-")), "table.tsv");
      writeFileSync(path, text);
      return path;
    };
    const printOf = async (changes: Partial<Settings> = {}) =>
      (await openCorpusBatches(await settings(changes))).fingerprint;
    const withPairs = (row: string) =>
      printOf({ pairs: { path: written(`text\tpositive\nLima\tCity of Kings\n${row}`), rows: 2 } });
    expect(await withPairs("Oslo\tChristiania\n")).toBe(await withPairs("Oslo\tChristiania\n"));
    expect(await withPairs("Oslo\tKristiania\n")).not.toBe(await withPairs("Oslo\tChristiania\n"));
    const withParaphrase = (text: string) =>
      printOf({
        augmentation: {
          preset: "house",
          wordNet: "off",
          paraphraseFiles: [written(`phrase\tparaphrase\n${text}`)],
        },
      });
    expect(await withParaphrase("Lima\tthe city of Lima\n")).toBe(
      await withParaphrase("Lima\tthe city of Lima\n"),
    );
    expect(await withParaphrase("Lima\tLima city\n")).not.toBe(
      await withParaphrase("Lima\tthe city of Lima\n"),
    );
    const corpus = await smallCorpus();
    expect(await printOf({ corpus })).toBe(await printOf());
    const mined = join(corpus, "hard-negatives.tsv");
    writeFileSync(mined, readFileSync(mined, "utf8").replace(/.*\n$/, ""));
    expect(await printOf({ corpus })).not.toBe(await printOf());
    expect(await printOf({ corpus, hardNegatives: 0 })).toBe(await printOf({ hardNegatives: 0 }));
  });

  it("has every phrase of the corpus as an anchor once in an epoch", async () => {
    const batches = await openCorpusBatches(await settings({ hardNegatives: 0, synonyms: 0, anchors: 10 }));
    expect(batches.facts.batchesPerEpoch).toBe(7);
    const seen = Array.from({ length: 7 }, (_, i) => batches.describe(i).map(({ text }) => text)).flat();
    expect(new Set(seen).size).toBe(70);
    expect(seen).toHaveLength(70);
  });

  it("repeats phrases by a power of their counts", async () => {
    const corpus = mkdtempSync(join(tmpdir(), "pearl-counts-"));
    const counts = { Paris: 100, Bern: 4, Olten: 1 };
    await writeCorpus(corpus, {
      phrases: Object.entries(counts).map(([phrase, count]) => ({
        ...{ phrase, count, type: "GPE", lexicalClass: "NP" as const },
      })),
    });
    const own = await settings({ corpus, countPower: 0.5, anchors: 13, hardNegatives: 0, synonyms: 0 });
    const batches = await openCorpusBatches(own);
    expect(batches.facts.batchesPerEpoch).toBe(1);
    const texts = batches.describe(0).map(({ text }) => text);
    const times = (name: string) => texts.filter((text) => text === name).length;
    expect(["Paris", "Bern", "Olten"].map(times)).toEqual([10, 2, 1]);
  });

  it("labels kinds of OTHER for a head that distinguishes them, and as OTHER for one that does not", async () => {
    const corpus = mkdtempSync(join(tmpdir(), "pearl-kinds-"));
    const common = { lexicalClass: "NP", count: 1 } as const;
    await writeCorpus(corpus, {
      phrases: [
        { phrase: "aspirin", type: "OTHER/chemical", ...common },
        { phrase: "Paris", type: "GPE", ...common },
      ],
    });
    for (const [types, label] of [
      [PHRASE_TYPES, "NP-OTHER"],
      [FINE_PHRASE_TYPES, "NP-OTHER/chemical"],
    ] as const) {
      const own = await settings({ corpus, types, anchors: 2, hardNegatives: 0, synonyms: 0 });
      const rows = (await openCorpusBatches(own)).describe(0);
      const predicted = new Map(rows.map(({ text, type }) => [text, type]));
      expect(Object.fromEntries(predicted)).toEqual({ aspirin: label, Paris: "NP-GPE" });
    }
  });

  it("puts hard negatives into the batch as anchors with twins of their own", async () => {
    const batches = await openCorpusBatches(await settings({ synonyms: 0, hardNegatives: 1 }));
    const rows = batches.describe(0);
    const anchors = rows.filter(({ text }) => /Water Company|Opera House|Football/.test(text));
    expect(rows.length).toBeGreaterThan(20);
    const following = rows
      .slice(1)
      .filter(({ text }, i) => /Opera House/.test(rows[i].text) && /Opera House/.test(text));
    expect(following.length).toBeGreaterThan(0);
    expect(anchors.length).toBeGreaterThan(0);
  });

  it("never uses a phrase, its twin or a known synonym as its negative", async () => {
    const batches = await openCorpusBatches(await settings({ anchors: 70, hardNegatives: 1, synonyms: 10 }));
    const rows = batches.describe(0);
    const { feeds } = await batches.batch(0);
    const groups = numbers(feeds.groups.data);
    const places = new Map<string, Set<number>>();
    rows.forEach(({ text, positive }, i) => {
      for (const [phrase, row] of [
        [text, i],
        [positive, i + rows.length],
      ] as const)
        places.set(phrase, (places.get(phrase) ?? new Set()).add(groups[row]));
    });
    // a phrase has the same group everywhere, and shares it with its twin
    for (const set of places.values()) expect(set.size).toBe(1);
    rows.forEach((_, i) => {
      expect(groups[i]).toBe(groups[i + rows.length]);
    });
    const synonyms = [...places.keys()].filter((phrase) =>
      places.has(phrase.replace("Chess Society", "Chess Club")),
    );
    const both = synonyms.filter((phrase) => phrase.includes("Society"));
    expect(both.length).toBeGreaterThan(0);
    for (const phrase of both)
      expect(places.get(phrase)).toEqual(places.get(phrase.replace("Chess Society", "Chess Club")));
    // and different organisations repel each other
    expect(places.get("Oslo Water Company")).not.toEqual(places.get("Lima Water Company"));
  });

  it("masks rows without a type out of the type loss", async () => {
    const batches = await openCorpusBatches(await settings({ synonyms: 0, hardNegatives: 0, anchors: 70 }));
    const rows = batches.describe(0);
    const { feeds } = await batches.batch(0);
    const typed = numbers(feeds.typed_rows.data);
    const half = typed.slice(0, typed.length / 2);
    expect(half).toEqual([...rows.keys()].filter((row) => rows[row].type !== undefined));
    expect(typed.slice(half.length)).toEqual(half.map((row) => row + rows.length));
    expect(half.map((row) => rows[row].type)).not.toContain(undefined);
  });

  it("gives a pair the type of its phrases, and none where these have two", async () => {
    const corpus = mkdtempSync(join(tmpdir(), "pearl-typed-pairs-"));
    const types = { aspirin: "OTHER", Bayer: "ORG", "Bayer AG": "ORG", ASA: undefined } as const;
    const synonyms = Object.entries({ "Bayer AG": "Bayer", ASA: "aspirin", aspirin: "Bayer" });
    await writeCorpus(corpus, {
      phrases: Object.entries(types).map(([phrase, type]) => ({
        ...{ phrase, type, count: 1, lexicalClass: "NP" as const },
      })),
      synonyms: synonyms.map(([phrase, synonym]) => ({ phrase, synonym, source: "names" })),
    });
    const own = await settings({ corpus, anchors: 0, hardNegatives: 0, synonyms: 3, run: 1 });
    const found = (await openCorpusBatches(own)).describe(0);
    const typed = found.map(({ text, positive, type }) => [[text, positive].sort().join(), type]);
    expect(Object.fromEntries(typed)).toEqual({
      "Bayer,Bayer AG": "NP-ORG",
      "ASA,aspirin": "NP-OTHER",
      "Bayer,aspirin": undefined,
    });
  });

  it("distributes synonyms over their sources by the given shares, and takes none of a source with 0", async () => {
    const none = await openCorpusBatches(await settings({ synonymShares: { names: 0 } }));
    const some = await openCorpusBatches(await settings({}));
    const count = (batches: CorpusBatches) =>
      batches.describe(0).filter(({ text, positive }) => /Society/.test(text + positive)).length;
    expect(count(none)).toBe(0);
    expect(count(some)).toBe(4);
  });
});

describe("neighbourRuns", () => {
  const pairs = ["red car", "red bus", "blue car", "blue bus", "old oak", "old elm"].map((text) => ({
    text,
    positive: `${text}s`,
  }));

  it("keeps pairs that share a word together, and has all of them once in an epoch", () => {
    const runs = neighbourRuns(pairs, { run: 2, seed: 1 });
    for (const epoch of [0, 1]) {
      const texts = runs(3 * epoch, 3 * epoch + 3).map(({ text }) => text);
      expect([...texts].sort()).toEqual(pairs.map(({ text }) => text).sort());
    }
    for (let run = 0; run < 3; run++) {
      const [a, b] = runs(run, run + 1).map(({ text }) => new Set(text.split(" ")));
      expect([...a].some((word) => b.has(word))).toBe(true);
    }
  });

  it("cuts them at other pairs in another epoch, whatever their size", () => {
    const many = Array.from({ length: 21 }, (_, i) => ({ text: `car ${i}`, positive: "" }));
    for (const run of [2, 3, 7, 10]) {
      const runs = neighbourRuns(many, { run, seed: 1 });
      const count = Math.ceil(many.length / run);
      const first = (number: number) => runs(number, number + 1)[0].text;
      const cuts = [0, 1, 2].map((epoch) =>
        Array.from({ length: count }, (_, i) => first(epoch * count + i))
          .toSorted()
          .join(),
      );
      expect(new Set(cuts).size).toBeGreaterThan(1);
    }
  });

  it("or the last words, with any year", () => {
    const titles = [
      "1998 Afghanistan earthquake",
      "Chester Hospital",
      "2012 Hawaii Warriors football team",
      "2002 Afghanistan earthquake",
      "Ealing Hospital",
      "1992 Hawaii Warriors football team",
    ].map((text) => ({ text, positive: text }));
    const runs = neighbourRuns(titles, { run: 2, seed: 1, by: "last" });
    const found = [0, 1, 2].map((run) => runs(run, run + 1).map(({ text }) => text));
    const withoutYears = (text: string) => text.replace(/\d+ /, "");
    expect(found.flat()).toHaveLength(6);
    for (const [a, b] of found)
      expect(withoutYears(a) === withoutYears(b) || (a.endsWith("Hospital") && b.endsWith("Hospital"))).toBe(
        true,
      );
  });

  it("or the first word, with anything after it", () => {
    const phrases = [
      "was seen",
      "to establish",
      "Was established",
      "the use of",
      "to see",
      "the establishment",
    ];
    const runs = neighbourRuns(
      phrases.map((text) => ({ text, positive: text })),
      { run: 2, seed: 1, by: "first" },
    );
    const found = [0, 1, 2].map((run) => runs(run, run + 1).map(({ text }) => text));
    expect(found.flat().sort()).toEqual([...phrases].sort());
    for (const [a, b] of found) expect(a.toLowerCase().split(" ")[0]).toBe(b.toLowerCase().split(" ")[0]);
  });
});
