/** The slow tests beside chunker.test.ts. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { chunkSentence, joinCompounds } from "../../../src/corpus/text/chunker.js";
import { createTagger } from "../../../src/corpus/text/tagger.js";

const tagger = createTagger();
const chunksOf = (text: string): string[] =>
  tagger.sentences(text).flatMap((sentence) => {
    const words = joinCompounds(sentence);
    return chunkSentence(words).map(
      ({ lexicalClass, first, last }) => `${lexicalClass} ${text.slice(words[first].start, words[last].end)}`,
    );
  });

describe("the tagger", () => {
  it("gives lemmas in lower case on request", () => {
    const text = "The children Came home.";
    const [words] = createTagger({ lemmas: true }).sentences(text);
    expect(words.map(({ lemma }) => lemma)).toEqual(["the", "child", "come", "home", "."]);
    expect(words.map(({ start, end }) => text.slice(start, end))).toEqual([
      "The",
      "children",
      "Came",
      "home",
      ".",
    ]);
    expect(tagger.sentences(text)[0].every((word) => !("lemma" in word))).toBe(true);
  });
});

describe("the chunker", () => {
  const gold = join(import.meta.dirname, "../../../../shared/data/train/chunks.tsv.gz");
  it.skipIf(!existsSync(gold))("finds nine of ten CoNLL-2000 chunks of a sample (needs ../shared)", () => {
    const rows = gunzipSync(readFileSync(gold)).toString().trim().split("\n");
    const sample = rows
      .map((row) => row.split("\t"))
      .filter(([, , , source], index) => source === "conll2000" && index % 40 === 0);
    let right = 0;
    let all = 0;
    for (const [phrase, lexicalClass, count] of sample) {
      all += Number(count);
      const chunks = chunksOf(phrase);
      if (chunks.length === 1 && chunks[0] === `${lexicalClass} ${phrase}`) right += Number(count);
    }
    expect(sample.length).toBeGreaterThan(1000);
    expect(right / all).toBeGreaterThan(0.88);
  });
});

describe("phrases of a text", () => {
  it("are the same from the fourteenth tagger as from the first", () => {
    const text = "Anna Müller quickly signed the xylographic contract in Trieste.";
    const first = JSON.stringify(createTagger().sentences(text));
    for (let count = 0; count < 12; count++) createTagger();
    expect(JSON.stringify(createTagger().sentences(text))).toBe(first);
  });
});
