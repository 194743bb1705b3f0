/**
 * Phrases of pearl-mini, as { phrase, lexical, type, count, best }: names with entity types, and chunks of the
 * five lexical classes. `best` is the highest trust in a row of the phrase.
 */
import { join } from "node:path";
import { groupBy } from "../../../dist/by-key.js";
import { createRandom, sampleWithout } from "../../../dist/random.js";
import { folded } from "../../leaks.mjs";
import { clean, readRows } from "../../training-tables.mjs";
import {
  FREQUENT,
  fineType,
  impliedNames,
  inCapitals,
  ontologyNames,
  plurals,
  surnames,
  typeByHead,
  wordnetNames,
} from "./typed-names.mjs";
import { kindsOfRareSenses } from "./wordnet.mjs";

const lexicalClasses = new Set(["NP", "VP", "PP", "ADVP", "ADJP"]);
/** Weight of a row's vote on the type of its phrase, by quality. */
const trust = { gold: 3, list: 2, silver: 1 };
/**
 * Weight of WordNet, which knows the most common bearer of a name: London is a city, although writers have
 * that name.
 */
const trustInWordnet = 40;

/** The prefix in `starts` that a source begins with, or undefined. */
export const startsWithAny = (source, starts) => starts.find((start) => source.startsWith(start));

/**
 * Distinct typed phrases by text, each with the type, or the kind of OTHER, that gets most votes of its rows.
 * Titles of the evaluation are left out, since training makes twins of phrases.
 * @param data folder of the training data
 * @param settings maximum characters, prefixes of sources to leave out, folded titles of the evaluation
 */
export async function readTyped(data, wordnet, { longest, leaveOut, titles }, tally) {
  const entries = new Map();
  const add = (table, text, type, count = 1, trusted = 1) => {
    const phrase = clean(text);
    if (phrase === "" || phrase.length > longest) tally.leftOut(table, "too long");
    else if (titles.has(folded(phrase))) tally.leftOut(table, "title of the evaluation");
    else {
      const entry = entries.get(phrase) ?? { types: new Map(), count: 0, best: 0 };
      entries.set(phrase, entry);
      entry.types.set(type, (entry.types.get(type) ?? 0) + count * trusted);
      entry.count += count;
      entry.best = Math.max(entry.best, trusted);
    }
  };
  const known = () => [...entries].map(([phrase, entry]) => [phrase, mainType(entry)]);
  const table = "types.tsv.gz";
  for (const [text, , type, source, quality, count] of readRows(join(data, table))) {
    const start = startsWithAny(source, leaveOut);
    if (start !== undefined) tally.leftOut(table, start);
    else add(table, text, type === "OTHER" ? fineType(source) : type, Number(count) || 1, trust[quality]);
  }
  for (const [name, type] of ontologyNames(data)) add("names of ontologies", name, type);
  for await (const [name, type] of wordnetNames(wordnet))
    add("names of WordNet", name, type, 1, trustInWordnet);
  const persons = known().flatMap(([phrase, type]) => (type === "PERSON" ? [phrase] : []));
  for (const [surname, bearers] of surnames(persons)) add("surnames", surname, "PERSON", bearers);
  for (const [name, type] of impliedNames(data, typeByHead(known()), kindsOfRareSenses(wordnet)))
    add("implied names", name, type);
  for (const [word, type] of plurals(data, typeByHead(known()))) add("plurals", word, type);
  const phraseOf = ([phrase, entry]) => {
    const { count, best } = entry;
    return [phrase, { phrase, lexical: "NP", type: mainType(entry), count, best }];
  };
  return new Map([...entries].map(phraseOf));
}

const mainType = ({ types }) => [...types].sort((a, b) => b[1] - a[1])[0][0];

/** Distinct chunks. Only noun phrases name entities: their type is unknown, other chunks have type OTHER. */
export function readChunks(data, { longest, leaveOut, titles }, tally) {
  const chunks = new Map();
  const table = "chunks.tsv.gz";
  for (const [text, lexical, times, source] of readRows(join(data, table))) {
    const phrase = clean(text);
    const count = Number(times) || 1;
    const start = startsWithAny(source, leaveOut);
    if (start !== undefined) tally.leftOut(table, start);
    else if (phrase === "" || phrase.length > longest || !lexicalClasses.has(lexical))
      tally.leftOut(table, "too long or of no class");
    else if (titles.has(folded(phrase))) tally.leftOut(table, "title of the evaluation");
    else if (count > (chunks.get(phrase)?.count ?? 0))
      chunks.set(phrase, { phrase, lexical, type: lexical === "NP" ? "" : "OTHER", count, best: 0 });
  }
  return [...chunks.values()];
}

/**
 * The phrases of training: at most `perType` names of a type, first those that people annotated or that are frequent
 * in texts; frequent ones and the fraction `capitals` of the others again in capitals; and `chunks` chunks, divided
 * equally among the classes; small classes keep all their chunks. `oneWord` holds by type the fraction of names with
 * one word, as far as there are enough. A name's count is that of the texts.
 * @param settings `counts` maps names to their counts
 */
export function mixPhrases(
  typed,
  chunks,
  { perType, oneWord = {}, capitals, chunks: most, counts = new Map(), seed },
) {
  const random = createRandom(seed);
  const counted = [...typed.values()].map((name) => ({ ...name, count: counts.get(name.phrase) ?? 1 }));
  const names = [...groupBy(counted, ({ type }) => type)].flatMap(([type, group]) => {
    const isFirst = ({ best, count }) => best >= trust.gold || count >= FREQUENT;
    const marked = group.filter(isFirst);
    const others = group.filter((name) => !isFirst(name));
    const kept = sampleWithout(marked, perType, random);
    return [...kept, ...sampleByLength(others, perType - kept.length, oneWord[type], random)];
  });
  const untyped = chunks.filter(({ phrase }) => !typed.has(phrase));
  const classes = [...groupBy(untyped, ({ lexical }) => lexical).values()].sort(
    (a, b) => a.length - b.length,
  );
  let left = most;
  const kept = classes.flatMap((group, at) => {
    const sample = sampleWithout(group, Math.floor(left / (classes.length - at)), random);
    left -= sample.length;
    return sample.map((chunk) => ({ ...chunk, count: 1 }));
  });
  return [...names, ...inCapitals(names, capitals, random), ...kept];
}

/** Samples names of which a fraction `oneWord`, if any, has one word, or more if there are not enough longer ones. */
function sampleByLength(names, most, oneWord, random) {
  if (oneWord === undefined) return sampleWithout(names, most, random);
  const single = names.filter(({ phrase }) => !phrase.includes(" "));
  const longer = names.filter(({ phrase }) => phrase.includes(" "));
  const kept = sampleWithout(single, Math.max(Math.floor(most * oneWord), most - longer.length), random);
  return [...kept, ...sampleWithout(longer, most - kept.length, random)];
}
