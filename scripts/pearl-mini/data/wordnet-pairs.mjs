/** Pairs from WordNet: lemmas of a synset, a lemma and its definition, a lemma and its hypernym. */
import { markedWords } from "../../../dist/architectures/pearl-mini/marked-words.js";
import { readSynsets, readTagCounts } from "../../../dist/text/wordnet.js";
import { turneySynsets } from "../../leaks.mjs";

/** Maximum words of a definition, which is cut at a semicolon or a bracket. */
const DEFINITION_WORDS = 10;

/** @typedef {Awaited<ReturnType<typeof readWordnet>>} Wordnet */

/** Reads all synsets, the counts of senses in tagged text, and the synsets behind Turney's questions. */
export async function readWordnet() {
  /** @type {import("../../../dist/text/wordnet.js").Synset[]} */
  const synsets = [];
  for await (const synset of readSynsets()) synsets.push(synset);
  const turney = turneySynsets(synsets);
  return { synsets, tagCounts: await readTagCounts(), turney, isTurney: new Set(turney.map(({ id }) => id)) };
}

/** Distinct lemmas that are a single word to the encoder. @param {Wordnet} wordnet @returns {string[]} */
export function singleWords({ synsets }) {
  const read = synsets.flatMap(({ lemmas }) => lemmas.map((lemma) => markedWords(lemma)));
  return [...new Set(read.flatMap((words) => (words.length === 1 ? [words[0].text] : [])))];
}

/** Pairs the lemmas of a synset. @param {Wordnet} wordnet @returns {Generator<string[]>} */
export function* synonymPairs({ synsets, isTurney }) {
  for (const { id, lemmas } of synsets)
    if (!isTurney.has(id))
      for (const [at, lemma] of lemmas.entries())
        for (const other of lemmas.slice(at + 1)) yield [lemma, other];
}

/** Pairs lemmas with definitions; in Turney's synsets only one-word lemmas. @param {Wordnet} wordnet */
export function* definitionPairs({ synsets, isTurney }) {
  for (const { id, lemmas, definition } of synsets) {
    const words = definition.split(/[;(]/)[0].trim().split(" ").slice(0, DEFINITION_WORDS);
    if (words.length < 2) continue;
    for (const lemma of lemmas)
      if (!(isTurney.has(id) && lemma.includes(" "))) yield [lemma, words.join(" ")];
  }
}

/**
 * Pairs a phrase with its hypernym: first lemmas of two synsets, neither of them Turney's.
 * @param {Wordnet} wordnet
 */
export function* hypernymPairs({ synsets, isTurney }) {
  const byId = new Map(synsets.map((synset) => [synset.id, synset]));
  for (const { id, lemmas, hypernyms } of synsets) {
    if (isTurney.has(id) || !lemmas[0].includes(" ")) continue;
    for (const above of hypernyms) {
      const general = byId.get(above);
      if (general !== undefined && !isTurney.has(above)) yield [lemmas[0], general.lemmas[0]];
    }
  }
}
