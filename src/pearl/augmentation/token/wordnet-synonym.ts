/** The paper's rule: synonyms from WordNet, of the whole phrase, of the longest lemmas in it, and of its words in the form they have. */

import { likeCaseOf, startsCapital } from "../phrase/letter-case.js";
import { type ListedRule, othersThan, type PhraseContext } from "../rule.js";
import { type Analysis, analyses, inflect } from "./inflection.js";
import type { Sense, WordnetTable } from "./wordnet-table.js";

/** The longest run of words that is looked up; WordNet has few longer lemmas. */
const longestSpan = 4;
/** A sense counts where the lemma is met in it at least this often, compared with its most frequent sense. */
const leastShare = 0.5;
/** Of lemmas never met in tagged text, so many senses at most are trusted. */
const untaggedSenses = 2;
const cacheEntries = 100_000;

/** The rule over a table of WordNet. Looked-up words are remembered. */
export function wordnetSynonymRule(table: WordnetTable): ListedRule {
  const synonyms = new Map<string, readonly string[]>();
  const lemmas = new Map<string, boolean>();
  const names = new Map<string, boolean>();
  const lookup: Lookup = Object.assign(
    (span: string, scope: Scope) => remembered(synonyms, scope + span, () => synonymsOf(span, scope, table)),
    {
      isName: (span: string) => remembered(names, span, () => isName(span, table)),
      isLemma: (span: string) => remembered(lemmas, span, () => isOneLemma(span, table)),
    },
  );
  return {
    name: "wordnet-synonym",
    granularity: "token",
    list: (phrase, context) => listSynonyms(phrase, context, lookup),
  };
}

/** Whether a span is the phrase itself ("=") or a part of it ("<"), where names are left alone. */
type Scope = "=" | "<";

interface Lookup {
  (span: string, scope: Scope): readonly string[];
  /** Whether several words are one lemma: "attack" in "heart attack" has no synonym of its own. */
  isLemma(span: string): boolean;
  /** "Clips" is no "Times" where "New York" stands before it: capitalised words beside a name are parts of a name. */
  isName(span: string): boolean;
}

/** A value computed once; the memory is emptied when it is full. */
function remembered<Value>(memory: Map<string, Value>, key: string, compute: () => Value): Value {
  let value = memory.get(key);
  if (value === undefined) {
    if (memory.size >= cacheEntries) memory.clear();
    value = compute();
    memory.set(key, value);
  }
  return value;
}

/** A run of words with an entry of its own; "a lot" and "as such" are idioms, not names of things. */
function isOneLemma(span: string, table: WordnetTable): boolean {
  const lower = span.toLowerCase();
  return !functionWords.has(lower.slice(0, lower.indexOf(" "))) && bestReading(lower, table) !== undefined;
}

function listSynonyms(phrase: string, { type }: PhraseContext, look: Lookup): string[] {
  const whole = look(phrase, "=");
  // A part of a name has no synonym: "Times" in "The New York Times".
  if (whole.length > 0 || (type !== undefined && type !== "OTHER")) return othersThan(phrase, whole);
  const spans = spansOf(phrase.split(" "), look);
  const hasName = spans.some((span) => look.isName(span));
  const texts: string[] = [];
  spans.forEach((span, index) => {
    if (hasName && startsCapital(span) && !look.isName(span)) return;
    for (const synonym of look(span, "<")) {
      texts.push([...spans.slice(0, index), synonym, ...spans.slice(index + 1)].join(" "));
    }
  });
  return othersThan(phrase, texts);
}

/** The phrase as lemmas of several words, the longest that start first, and single words. */
function spansOf(words: readonly string[], look: Lookup): string[] {
  const spans: string[] = [];
  for (let start = 0; start < words.length; ) {
    let length = Math.min(longestSpan, words.length - start);
    while (length > 1 && !look.isLemma(words.slice(start, start + length).join(" "))) length--;
    spans.push(words.slice(start, start + length).join(" "));
    start += length;
  }
  return spans;
}

function synonymsOf(span: string, scope: Scope, table: WordnetTable): string[] {
  const lower = span.toLowerCase();
  if (functionWords.has(lower) || !/^\p{L}[\p{L}' .-]+$/u.test(span) || lower.length < 3) return [];
  const isCapitalised = span !== lower;
  // "John", "Apple": a capitalised word in a longer phrase may be a name, and names have no synonyms there.
  if (scope === "<" && isName(span, table) && !span.includes(" ")) return [];
  const reading = bestReading(lower, table);
  if (reading === undefined) return [];
  const found: string[] = [];
  for (const sense of chosenSenses(reading.senses)) {
    const own = sense.lemmas.find((lemma) => lemma.toLowerCase() === reading.lemma) ?? reading.lemma;
    const ownIsName = own !== own.toLowerCase();
    // "turkey" is not "Turkey"; "New York" in a longer phrase may be the city or the state.
    if (ownIsName && !isCapitalised && !own.includes(" ")) continue;
    if (ownIsName && scope === "<" && reading.senses.length > 1) continue;
    for (const lemma of sense.lemmas) {
      if (lemma === own || !isTypical(lemma, sense, table)) continue;
      // "holding fast protein" is no "binding protein": inside a phrase a word is replaced by a word.
      if (scope === "<" && !own.includes(" ") && lemma.includes(" ")) continue;
      const inflected = inflect(lemma, reading.form);
      if (inflected !== undefined) found.push(likeCaseOf(span, inflected, ownIsName ? own : undefined));
    }
  }
  return othersThan(span, found);
}

/** Whether the lemma is commonly used in this sense: "machine" is, but not for "car". */
function isTypical(lemma: string, { lemmas }: Sense, { senses }: WordnetTable): boolean {
  if (lemma.length < 2 || functionWords.has(lemma) || lemma.startsWith("be ")) return false;
  const all = senses.get(lemma.toLowerCase()) ?? [];
  const most = all.reduce((count, sense) => Math.max(count, sense.count), 0);
  if (most === 0) return all.length <= untaggedSenses;
  const here = all.find((sense) => sense.lemmas === lemmas);
  return here !== undefined && here.count >= leastShare * most;
}

/** Whether a span with a capital is a name, or a word that WordNet does not know, which may be one. */
function isName(span: string, { senses, givenNames }: WordnetTable): boolean {
  if (!startsCapital(span) || isFunctionWord(span.toLowerCase())) return false;
  if (givenNames.has(span)) return true;
  const lower = span.toLowerCase();
  const known = analyses(lower).flatMap(({ lemma }) => senses.get(lemma) ?? []);
  if (known.length === 0) return /^\p{L}+$/u.test(span);
  return senses.get(lower)?.some((sense) => !sense.lemmas.includes(lower)) ?? false;
}

/** A lemma with the senses that fit the word's form. */
interface Reading extends Analysis {
  readonly senses: readonly Sense[];
}

/** The analysis whose senses are met most often; the word as it stands wins a tie. */
function bestReading(span: string, { senses }: WordnetTable): Reading | undefined {
  let best: Reading | undefined;
  let bestCount = -1;
  for (const { lemma, form } of analyses(span)) {
    const fitting = (senses.get(lemma) ?? []).filter(({ partOfSpeech }) => fits(partOfSpeech, form));
    const count = fitting.reduce((most, sense) => Math.max(most, sense.count), 0);
    if (fitting.length > 0 && count > bestCount) {
      best = { lemma, form, senses: fitting };
      bestCount = count;
    }
  }
  return best;
}

function fits(partOfSpeech: Sense["partOfSpeech"], form: Analysis["form"]): boolean {
  if (form === "base") return true;
  return form === "plural" ? partOfSpeech === "noun" : partOfSpeech === "verb";
}

function chosenSenses(senses: readonly Sense[]): readonly Sense[] {
  const most = senses.reduce((count, sense) => Math.max(count, sense.count), 0);
  if (most === 0) return senses.slice(0, untaggedSenses);
  return senses.filter((sense) => sense.count >= leastShare * most);
}

/** Words whose entries in WordNet are other things: "a" the ångström, "in" the inch, "who" the organisation. */
const functionWords = new Set(
  (
    "a about above after against all am an and any are as at be been before being below between both but by can " +
    "could did do does doing down during each few for from further had has have having he her here hers him his how " +
    "i if in into is it its just like many may me might mine more most must my no nor not now of off on once one only " +
    "or other our ours out over own same shall she should so some somebody someone such than that the their theirs them then there " +
    "these they this those through to too two under until up upon us very was we well were what when where which " +
    "while who whom whose why will with within without would yet you your yours"
  ).split(" "),
);

/** Articles, pronouns, prepositions and the like, which no rule replaces. @param word in lower case */
export function isFunctionWord(word: string): boolean {
  return functionWords.has(word);
}
