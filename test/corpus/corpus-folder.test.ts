import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  type CorpusPhrase,
  readCorpus,
  readHardNegatives,
  readManifest,
  readSynonyms,
  streamPhrases,
  synonymIndex,
  UNKNOWN_TYPE,
  writeCorpus,
  writeHardNegatives,
} from "../../src/corpus/corpus-folder.js";
import { testFolder } from "../table/folder.js";

const { path } = testFolder();
let folders = 0;
const newFolder = (): string => {
  const folder = join(path, `corpus-${folders++}`);
  mkdirSync(folder);
  return folder;
};
const phrases: CorpusPhrase[] = [
  { phrase: "The New York Times", lexicalClass: "NP", type: "ORG", count: 7 },
  { phrase: "naïve “Café”", lexicalClass: "ADJP", count: 3 },
  { phrase: "in 1999", lexicalClass: "PP", type: "DATE", count: 2 },
  { phrase: "aspirin", lexicalClass: "NP", type: "OTHER/chemical", count: 1 },
];

describe("a corpus folder", () => {
  it("returns what was written, in the same order", async () => {
    const folder = newFolder();
    const written = await writeCorpus(folder, {
      phrases,
      synonyms: [{ phrase: "NYT", synonym: "The New York Times", source: "aliases" }],
      sources: [{ name: "a.txt", kind: "text", fingerprint: "00" }],
      settings: { "minimum count": 2 },
    });
    expect(await readManifest(folder)).toEqual(written);
    expect(written.counts).toMatchObject({ phrases: 4, occurrences: 13, synonymPairs: 1 });
    expect(written.counts.byClass).toEqual({ NP: 2, VP: 0, PP: 1, ADVP: 0, ADJP: 1 });
    expect(written.counts.byType).toMatchObject({ ORG: 1, DATE: 1, OTHER: 1, unknown: 1, PERSON: 0 });
    const corpus = await readCorpus(folder);
    expect(corpus.phrases).toEqual(phrases.map(({ phrase }) => phrase));
    expect([...corpus.classes]).toEqual([0, 4, 2, 0]);
    expect([...corpus.types]).toEqual([3, UNKNOWN_TYPE, 11, 20]);
    expect([...corpus.counts]).toEqual([7, 3, 2, 1]);
    const streamed: CorpusPhrase[] = [];
    for await (const block of streamPhrases(folder)) streamed.push(...block);
    expect(streamed).toEqual(phrases);
    expect(await readSynonyms(folder)).toEqual([
      { phrase: "NYT", synonym: "The New York Times", source: "aliases" },
    ]);
    expect(await readHardNegatives(folder)).toEqual(new Map());
  });

  it("changes its fingerprint with its phrases", async () => {
    const [first, second] = [
      await writeCorpus(newFolder(), { phrases }),
      await writeCorpus(newFolder(), { phrases: phrases.slice(1) }),
    ];
    expect(first.fingerprint).not.toBe(second.fingerprint);
  });

  it("reads phrases across the blocks of a long file", async () => {
    const folder = newFolder();
    const many = Array.from({ length: 120_000 }, (_, row) => ({
      phrase: `phrase ünd ${row}`,
      lexicalClass: "NP" as const,
      count: 200_000 - row,
    }));
    await writeCorpus(folder, { phrases: many });
    const corpus = await readCorpus(folder);
    expect(corpus.phrases).toEqual(many.map(({ phrase }) => phrase));
    expect(corpus.counts[119_999]).toBe(80_001);
  });

  it("refuses a folder that is not a corpus, and names file and line of damage", async () => {
    await expect(readCorpus(path)).rejects.toThrow(/is not a corpus folder.*pearl corpus build/);
    const folder = newFolder();
    await writeCorpus(folder, { phrases });
    const file = join(folder, "phrases.tsv");
    const good = readFileSync(file, "utf8");
    const broken: [string, RegExp][] = [
      [good.replace("\tPP\t", "\tQP\t"), /phrases\.tsv, line 4: unknown class "QP". Use NP, VP/],
      [good.replace("\tORG\t", "\tFIRM\t"), /line 2: unknown type "FIRM"\. Known types: .*PERSON/],
      [good.replace("\t3\n", "\tthree\n"), /line 3: the count "three"/],
      [good.replace("\t3\n", "\n"), /line 3: 3 columns, expected 4/],
      [good.replace("phrase\tclass", "class\tphrase"), /line 1: expected the header phrase, class/],
      [good.slice(0, good.indexOf("in 1999")), /2 phrases, but corpus.json states 4/],
      [`${good}x\tNP\t\t1\n`, /5 phrases, but corpus.json states 4/],
      ["", /is empty/],
    ];
    for (const [text, message] of broken) {
      writeFileSync(file, text);
      await expect(readCorpus(folder)).rejects.toThrow(message);
    }
  });

  it("leaves nothing behind where a phrase cannot be written", async () => {
    const folder = newFolder();
    const bad = [{ phrase: "a\tb", lexicalClass: "NP" as const, count: 1 }];
    await expect(writeCorpus(folder, { phrases: bad })).rejects.toThrow(/has a tab or a line break/);
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe("synonyms and hard negatives", () => {
  it("holds synonyms both ways without chaining them, circles included", () => {
    const pair = (phrase: string, synonym: string) => ({ phrase, synonym, source: "test" });
    const index = synonymIndex([
      pair("a", "b"),
      pair("b", "c"),
      pair("c", "a"),
      pair("d", "a"),
      pair("e", "e"),
    ]);
    expect(index.get("a")).toEqual(["b", "c", "d"]);
    expect(index.get("d")).toEqual(["a"]);
    expect(index.has("e")).toBe(false);
  });

  it("reads hard negatives as written", async () => {
    const folder = newFolder();
    const negatives = [
      { phrase: "Austria", negative: "Australia", ratio: 0.875, cosine: 0.5 },
      { phrase: "Austria", negative: "Astoria", ratio: 0.7143, cosine: 0.25 },
    ];
    await writeHardNegatives(folder, negatives);
    expect((await readHardNegatives(folder)).get("Austria")).toEqual(
      negatives.map(({ phrase: _, ...rest }) => rest),
    );
  });
});
