/** Synonym pairs for pearl-mini, by source, without evaluation data. */
import { join } from "node:path";
import { asksMisspelling, folded, lemmaPairs, pairKey, setOfPair } from "../../leaks.mjs";
import { clean, readRows } from "../../training-tables.mjs";
import {
  dictionaryPairs,
  readCedict,
  readDing,
  readEdict,
  readThesaurus,
  readWikdict,
  thesaurusPairs,
  wikdictGlosses,
} from "./dictionaries.mjs";
import { kindPairs, rewrites } from "./made-pairs.mjs";
import { startsWithAny } from "./phrases.mjs";
import { definitionPairs, hypernymPairs, synonymPairs } from "./wordnet.mjs";

/** Readers of the dictionaries that the recipe may name. */
const dictionaries = { edict: readEdict, cedict: readCedict, wikdict: readWikdict, ding: readDing };

/** Sources of pairs that rewrites take their synonyms from. */
const ofRewrites = new Set(["lexical", "wordnet"]);

/**
 * Yields the table's header and rows, each pair once and in one direction. A row with the same phrase twice makes
 * training pair the phrase with a twin.
 * @param inputs what prepare.mjs read @param settings data.synonyms of the recipe, what to leave out, and a seed
 */
export function* synonymRows(inputs, settings, tally) {
  const admit = admission(inputs, settings, tally);
  const words = [];
  yield ["phrase", "synonym", "source"];
  for (const [source, pairs] of pairsBySource(inputs, settings, tally))
    for (const [a, b] of pairs)
      if (admit(a, b, source)) {
        const row = [clean(a), clean(b), source];
        if (ofRewrites.has(source)) words.push(row);
        yield row;
      }
  for (const [a, b] of rewrites(inputs.chunks, words, settings))
    if (admit(a, b, "rewrite")) yield [clean(a), clean(b), "rewrite"];
  const admitTwin = twinAdmission(inputs.evaluation, settings, tally);
  const titles = [...readRows(join(inputs.data, "gloss_wiki.tsv.gz"))].map(([title]) => title);
  // annotated mentions in running text are often not names: "the company"
  const names = [...inputs.typed.values()].filter(({ phrase, best }) => phrase.includes(" ") && best < 3);
  for (const [source, texts] of Object.entries({ titles, typed: names.map(({ phrase }) => phrase) }))
    for (const phrase of texts.map(clean))
      if (admitTwin(phrase, phrase, source)) yield [phrase, phrase, source];
}

/** Yields sources with their pairs, in the order of the table; a pair belongs to the first source that has it. */
function* pairsBySource({ data, wordnet, typed, typos, forms }, settings, tally) {
  const { thesaurus, dictionaries: translations = { from: [] }, kinds, leaveOut, seed } = settings;
  for (const [source, tables] of Object.entries(settings.pairs))
    yield [source, rowsOf(data, tables, { source, leaveOut, tally })];
  yield ["wordnet", synonymPairs(wordnet)];
  yield ["wordnet-hypernym", hypernymPairs(wordnet)];
  yield ["wordnet-gloss", definitionPairs(wordnet)];
  if (thesaurus !== undefined) yield ["thesaurus", thesaurusPairs(readThesaurus(), thesaurus)];
  for (const source of translations.from)
    yield [source, dictionaryPairs(dictionaries[source](), translations)];
  if (translations.from.includes("wikdict")) yield ["wikdict-gloss", wikdictGlosses(translations)];
  yield ["kinds", kindPairs(data, typed, { ...kinds, leaveOut, seed })];
  yield ["words", typos];
  yield ["forms", forms];
  yield ["gloss", readRows(join(data, "gloss_wiki.tsv.gz"))];
}

/** The rows of tables below train/, or only those of some origins (third column), without what is left out. */
function* rowsOf(data, tables, { source, leaveOut, tally }) {
  for (const { table, origins } of tables)
    for (const row of readRows(join(data, `${table}.tsv.gz`))) {
      if (origins !== undefined && !origins.includes(row[2])) continue;
      const start = startsWithAny(row[2], leaveOut);
      if (start === undefined) yield row;
      else tally.leftOut(source, start);
    }
}

/** Returns a function that tells whether a pair becomes a row, and counts it. */
function admission({ evaluation, wordnet }, { longest }, tally) {
  const turneyPairs = lemmaPairs(wordnet.turney);
  const seen = new Set();
  return counted(tally, (a, b, source) => {
    const [phrase, synonym] = [clean(a), clean(b ?? "")];
    if (phrase === "" || synonym === "" || phrase === synonym) return "empty or the same";
    if (phrase.length > longest || synonym.length > longest) return "too long";
    const exactKey = phrase < synonym ? `${phrase}\t${synonym}` : `${synonym}\t${phrase}`;
    if (seen.has(exactKey)) return "met before";
    if (asksMisspelling(evaluation, [phrase, synonym, source])) return "misspelling of the evaluation";
    const key = pairKey(phrase, synonym);
    const set = setOfPair(evaluation, key) ?? (turneyPairs.has(key) ? "turney's synsets" : undefined);
    if (set === undefined) seen.add(exactKey);
    return set;
  });
}

/** Returns a function that tells whether a name becomes a row with its twin: titles of the evaluation do not. */
function twinAdmission({ titles }, { longest }, tally) {
  const seen = new Set();
  return counted(tally, (phrase) => {
    if (phrase.length < 5 || phrase.length > longest) return "too short or too long";
    if (seen.has(phrase)) return "met before";
    if (titles.has(folded(phrase))) return "title of the evaluation";
    seen.add(phrase);
  });
}

const counted = (tally, reasonAgainst) => (a, b, source) => {
  const why = reasonAgainst(a, b, source);
  if (why === undefined) tally.kept("synonyms.tsv", source);
  else tally.leftOut(source, why);
  return why === undefined;
};
