/** Phrases of pearl-mini: names with entity types, and chunks of the five lexical classes. */
import { join } from "node:path";
import { createRandom, sampleWithout } from "../../../dist/random.js";
import { folded } from "../../leaks.mjs";
import { clean, readRows } from "../../training-tables.mjs";
import { impliedNames, plurals, typeByHead } from "./implied-types.mjs";
import { fineType } from "./other-kinds.mjs";
import { inCapitals, kindsOfRareSenses, ontologyNames, surnames, wordnetNames } from "./typed-names.mjs";

/**
 * @typedef {{ phrase: string, lexical: string, type: string, count: number, best: number }} Phrase
 * @typedef {{ longest: number, leaveOut: readonly string[], titles: ReadonlySet<string> }} PhraseSettings
 * @typedef {import("./tally.mjs").Tally} Tally
 */

const lexicalClasses = new Set(["NP", "VP", "PP", "ADVP", "ADJP"]);
/** Weight of a row's vote on the type of its phrase, by quality. @type {Record<string, number>} */
const trust = { gold: 3, list: 2, silver: 1 };
/**
 * Weight of WordNet, which knows the most common bearer of a name: London is a city, although writers have
 * that name.
 */
const trustInWordnet = 40;

/**
 * The prefix in `starts` that a source begins with, or undefined.
 * @param {string} source
 * @param {readonly string[]} starts
 */
export const startsWithAny = (source, starts) => starts.find((start) => source.startsWith(start));

/**
 * Reads distinct typed phrases, each with the type, or the kind of OTHER, that gets most votes of its rows.
 * Titles of the evaluation are left out, since training makes twins of phrases.
 * @param {string} data
 * @param {import("./wordnet-pairs.mjs").Wordnet} wordnet
 * @param {PhraseSettings} settings
 * @param {Tally} tally
 * @returns {Promise<Map<string, Phrase>>}
 */
export async function readTyped(data, wordnet, { longest, leaveOut, titles }, tally) {
  /** @type {Map<string, { types: Map<string, number>, count: number, best: number }>} */
  const entries = new Map();
  /** @param {string} table @param {string} text @param {string} type */
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
  for (const [text, , type, source, quality, count] of readRows(join(data, "types.tsv.gz"))) {
    const start = startsWithAny(source, leaveOut);
    if (start !== undefined) tally.leftOut("types.tsv.gz", start);
    else
      add(
        "types.tsv.gz",
        text,
        type === "OTHER" ? fineType(source) : type,
        Number(count) || 1,
        trust[quality],
      );
  }
  for (const [name, type] of ontologyNames(data)) add("names of ontologies", name, type);
  for await (const [name, type] of wordnetNames(wordnet))
    add("names of WordNet", name, type, 1, trustInWordnet);
  /** @returns {[string, string][]} */
  const known = () => [...entries].map(([phrase, entry]) => [phrase, mainType(entry)]);
  const persons = known().flatMap(([phrase, type]) => (type === "PERSON" ? [phrase] : []));
  for (const [surname, bearers] of surnames(persons)) add("surnames", surname, "PERSON", bearers);
  for (const [name, type] of impliedNames(data, typeByHead(known()), kindsOfRareSenses(wordnet)))
    add("implied names", name, type);
  for (const [word, type] of plurals(data, typeByHead(known()))) add("plurals", word, type);
  return new Map(
    [...entries].map(([phrase, entry]) => {
      const { count, best } = entry;
      return [phrase, { phrase, lexical: "NP", type: mainType(entry), count, best }];
    }),
  );
}

/** @param {{ types: Map<string, number> }} entry @returns {string} */
const mainType = ({ types }) => [...types].sort((a, b) => b[1] - a[1])[0][0];

/**
 * Reads distinct chunks. Only noun phrases name entities: their type is unknown, other chunks have type
 * OTHER.
 * @param {string} data @param {PhraseSettings} settings @param {Tally} tally
 * @returns {Phrase[]}
 */
export function readChunks(data, { longest, leaveOut, titles }, tally) {
  /** @type {Map<string, Phrase>} */
  const chunks = new Map();
  for (const [text, lexical, times, source] of readRows(join(data, "chunks.tsv.gz"))) {
    const phrase = clean(text);
    const count = Number(times) || 1;
    const start = startsWithAny(source, leaveOut);
    if (start !== undefined) tally.leftOut("chunks.tsv.gz", start);
    else if (phrase === "" || phrase.length > longest || !lexicalClasses.has(lexical))
      tally.leftOut("chunks.tsv.gz", "too long or of no class");
    else if (titles.has(folded(phrase))) tally.leftOut("chunks.tsv.gz", "title of the evaluation");
    else if (count > (chunks.get(phrase)?.count ?? 0))
      chunks.set(phrase, { phrase, lexical, type: lexical === "NP" ? "" : "OTHER", count, best: 0 });
  }
  return [...chunks.values()];
}

/**
 * Returns the phrases that training samples uniformly: at most `perType` names of a type, names annotated by
 * people first, and `chunks` chunks, divided equally among the classes; small classes keep all their chunks.
 * @param {ReadonlyMap<string, Phrase>} typed @param {readonly Phrase[]} chunks
 * @param {object} settings
 * @param {number} settings.perType
 * @param {Record<string, number>} [settings.oneWord] by type, the fraction of names with one word, as far as
 *   there are enough
 * @param {number} settings.capitals the fraction of names that are added again in capitals
 * @param {number} settings.chunks
 * @param {number} settings.seed
 * @returns {Phrase[]}
 */
export function mixPhrases(typed, chunks, { perType, oneWord = {}, capitals, chunks: most, seed }) {
  const random = createRandom(seed);
  const names = [...groupBy([...typed.values()], ({ type }) => type).values()].flatMap((group) => {
    const marked = group.filter(({ best }) => best >= trust.gold);
    const others = group.filter(({ best }) => best < trust.gold);
    const kept = sampleWithout(marked, perType, random);
    const single = oneWord[group[0].type];
    const more = perType - kept.length;
    return [
      ...kept,
      ...(single === undefined
        ? sampleWithout(others, more, random)
        : sampleByLength(others, more, single, random)),
    ];
  });
  const untyped = chunks.filter(({ phrase }) => !typed.has(phrase));
  const classes = [...groupBy(untyped, ({ lexical }) => lexical).values()].sort(
    (a, b) => a.length - b.length,
  );
  let left = most;
  const kept = classes.flatMap((group, at) => {
    const sample = sampleWithout(group, Math.floor(left / (classes.length - at)), random);
    left -= sample.length;
    return sample;
  });
  return [...names, ...inCapitals(names, capitals, random), ...kept];
}

/**
 * Samples names of which a fraction `oneWord` has one word, or more if there are not enough longer ones.
 * @param {readonly Phrase[]} names @param {number} most @param {number} oneWord @param {() => number} random
 * @returns {Phrase[]}
 */
function sampleByLength(names, most, oneWord, random) {
  const single = names.filter(({ phrase }) => !phrase.includes(" "));
  const longer = names.filter(({ phrase }) => phrase.includes(" "));
  const kept = sampleWithout(single, Math.max(Math.floor(most * oneWord), most - longer.length), random);
  return [...kept, ...sampleWithout(longer, most - kept.length, random)];
}

/**
 * @template Item
 * @param {readonly Item[]} items
 * @param {(item: Item) => string} key
 * @returns {Map<string, Item[]>}
 */
function groupBy(items, key) {
  const groups = new Map();
  for (const item of items) {
    const group = groups.get(key(item));
    if (group === undefined) groups.set(key(item), [item]);
    else group.push(item);
  }
  return groups;
}
