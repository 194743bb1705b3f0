import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { chunkSentence, joinCompounds } from "../../../src/corpus/text/chunker.js";
import { createTagger } from "../../../src/corpus/text/tagger.js";
import { countPhrases, phrasesOfText } from "../../../src/corpus/text/text-phrases.js";

const tagger = createTagger();
const chunksOf = (text: string): string[] =>
  tagger.sentences(text).flatMap((sentence) => {
    const words = joinCompounds(sentence);
    return chunkSentence(words).map(
      ({ lexicalClass, first, last }) => `${lexicalClass} ${text.slice(words[first].start, words[last].end)}`,
    );
  });
const phrasesIn = (text: string): string[] =>
  [...phrasesOfText(tagger, text, { words: 0, foreign: 0 })].map(
    ({ phrase, lexicalClass }) => `${lexicalClass} ${phrase}`,
  );

describe("the chunker", () => {
  it("cuts the example sentence of the CoNLL-2000 shared task as its annotators did", () => {
    // Tjong Kim Sang & Buchholz 2000, section 2
    const text = "He reckons the current account deficit will narrow to only £ 1.8 billion in September .";
    expect(chunksOf(text)).toEqual([
      "NP He",
      "VP reckons",
      "NP the current account deficit",
      "VP will narrow",
      "PP to",
      "NP only £ 1.8 billion",
      "PP in",
      "NP September",
    ]);
  });

  it("keeps a verb with its auxiliaries, adverbs and infinitives together", () => {
    expect(chunksOf("The pound is widely expected to take another sharp dive.")).toEqual([
      "NP The pound",
      "VP is widely expected to take",
      "NP another sharp dive",
    ]);
    expect(chunksOf("They could not have known.")).toContain("VP could not have known");
  });

  it("begins a new noun phrase at a possessive, and takes hyphens as part of a word", () => {
    expect(chunksOf("He met Japan's well-known minister.")).toEqual([
      "NP He",
      "VP met",
      "NP Japan",
      "NP 's well-known minister",
    ]);
  });

  it("never makes chunks that overlap or cross the sentence's end", () => {
    const text = readFileSync(join(import.meta.dirname, "../../../README.md"), "utf8").slice(0, 6000);
    for (const sentence of tagger.sentences(text)) {
      let end = -1;
      const words = joinCompounds(sentence);
      const isOrdered = chunkSentence(words).every(({ first, last }) => {
        const fits = first > end && last >= first && last < words.length;
        end = last;
        return fits;
      });
      expect(isOrdered).toBe(true);
      expect(words.every(({ text: word, start, end: stop }) => text.slice(start, stop) === word)).toBe(true);
    }
  });
});

describe("phrases of a text", () => {
  it("are written as in the text, joined with possessives and objects, without mere function words", () => {
    expect(phrasesIn("The company signed Japan's  new\ncontract in the morning because of it.")).toEqual([
      "NP the company",
      "VP signed",
      "VP signed Japan's new contract",
      "NP Japan's new contract",
      "PP in the morning",
      "NP the morning",
      "PP because of",
    ]);
  });

  it("leave out other scripts, and count their words", () => {
    const read = { words: 0, foreign: 0 };
    const found = [
      ...phrasesOfText(tagger, "Москва — столица. 東京は日本の首都です。 Moscow is large.", read),
    ];
    expect(found.map(({ phrase }) => phrase)).toEqual(["Moscow", "large"]);
    expect(read.foreign).toBe(3);
  });

  it("handle words that are names in JavaScript, and words of a million letters", () => {
    const text = `The constructor and the __proto__ met. ${"x".repeat(1_000_000)} The constructor left.`;
    const { counts } = countPhrases(tagger, [text]);
    expect(counts.get("the constructor")).toEqual([2, 0, 0, 0, 0]);
  });
});
