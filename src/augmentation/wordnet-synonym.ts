/** The paper's rule: synonyms from WordNet of the whole phrase, the longest lemmas in it, and its words, inflected alike. */
import { highest } from "../statistics.js";
import { wordSet } from "../text/word-lists.js";
import { readSynsets, readTagCounts, type Synset } from "../text/wordnet.js";
import { type Analysis, analyses, inflect } from "./inflection.js";
import { type List, likeCaseOf, oneReplaced, othersThan, startsCapital } from "./rule.js";

/** One sense of a lemma: its synset, with all lemmas in their own letter case. */
export interface Sense extends Pick<Synset, "lemmas" | "partOfSpeech"> {
  /** How often the lemma has this sense in WordNet's tagged text. */
  readonly count: number;
}

export interface WordnetTable {
  readonly senses: ReadonlyMap<string, readonly Sense[]>;
  /** First names of persons with an entry of their own, such as "Albert". */
  readonly givenNames: ReadonlySet<string>;
}

let shared: Promise<WordnetTable> | undefined;

/** Reads WordNet once for all augmenters of this thread (about a second). @throws MissingDataError */
export function wordnetTable(): Promise<WordnetTable> {
  shared ??= readTable();
  return shared;
}

async function readTable(): Promise<WordnetTable> {
  const tagCounts = await readTagCounts();
  const senses = new Map<string, Sense[]>();
  const firstNames = new Map<string, number>();
  for await (const { id, lemmas, partOfSpeech, lexicographerFile, instanceHypernyms } of readSynsets()) {
    for (const lemma of lemmas) {
      const key = lemma.toLowerCase();
      const sense = { lemmas, count: tagCounts.get(`${id}\t${key}`) ?? 0, partOfSpeech };
      const known = senses.get(key);
      if (known === undefined) senses.set(key, [sense]);
      else known.push(sense);
    }
    if (lexicographerFile !== "noun.person" || instanceHypernyms.length === 0) continue;
    for (const name of new Set(lemmas.flatMap(firstName)))
      firstNames.set(name, (firstNames.get(name) ?? 0) + 1);
  }
  return { senses, givenNames: new Set(givenNamesAmong(firstNames, senses)) };
}

/** "Albert" of "Albert Einstein"; none of "Einstein", "T. E. Lawrence" or "Alexander the Great". */
const firstName = (lemma: string): string[] =>
  /^(?:\p{Lu}\p{Ll}+ )+\p{Lu}[\p{L}'-]+$/u.test(lemma) ? lemma.split(" ", 1) : [];

/** A first name that is also a word ("Rose") must be that of three persons, and the word must be rare. */
function* givenNamesAmong(
  firstNames: ReadonlyMap<string, number>,
  senses: ReadonlyMap<string, readonly Sense[]>,
): Generator<string> {
  for (const [name, persons] of firstNames) {
    if (notGivenNames().has(name)) continue;
    const word = name.toLowerCase();
    const asWord = (senses.get(word) ?? []).filter((sense) => sense.lemmas.includes(word));
    const count = asWord.reduce((sum, sense) => sum + sense.count, 0);
    if (asWord.length === 0 || (persons >= 3 && count < usualWord)) yield name;
  }
}

/** "Mark" occurs 24 times as a word, "Little" and "Old" hundreds of times. */
const usualWord = 30;

/** Titles, articles, and names of places rather than persons ("Springfield, Virginia"). */
const notGivenNames = wordSet("not-given-names");

/** The longest run of words that is looked up; WordNet has few longer lemmas. */
const longestSpan = 4;
/** A sense is used if its count is at least this fraction of that of the lemma's most frequent sense. */
const leastFraction = 0.5;
/** Senses used at most of lemmas that tagged text does not contain. */
const untaggedSenses = 2;
const cacheEntries = 100_000;

export function wordnetSynonyms(table: WordnetTable): List {
  const look = lookups(table);
  return (phrase, { type }) => {
    const whole = look.ofPhrase(phrase);
    // A part of a name has no synonym: "Times" in "The New York Times".
    if (whole.length > 0 || (type !== undefined && type !== "OTHER")) return whole;
    const spans = spansOf(phrase.split(" "), look);
    const hasName = spans.some((span) => look.isName(span));
    // Capitalised words next to a name are parts of it too.
    const isPartOfName = (span: string): boolean => hasName && startsCapital(span) && !look.isName(span);
    return oneReplaced(spans, (span) => (isPartOfName(span) ? [] : look.ofPart(span)));
  };
}

const lookups = (table: WordnetTable) => ({
  ofPhrase: remembered((span) => synonymsOf(span, "phrase", table)),
  /** Synonyms of a span within a phrase, where names keep their words. */
  ofPart: remembered((span) => synonymsOf(span, "part", table)),
  isName: remembered((span) => isName(span, table)),
  /** Whether several words are one lemma: the "attack" of "heart attack" has no synonyms. */
  isLemma: remembered((span) => isLemma(span, table)),
});
type Lookup = ReturnType<typeof lookups>;

/** A function that computes each value once; its memory is emptied when it is full. */
function remembered<Value>(compute: (key: string) => Value): (key: string) => Value {
  const memory = new Map<string, Value>();
  return (key) => {
    let value = memory.get(key);
    if (value === undefined) {
      if (memory.size >= cacheEntries) memory.clear();
      value = compute(key);
      memory.set(key, value);
    }
    return value;
  };
}

/** Whether words have an entry of their own; "a lot" and "as such" are idioms, not names of things. */
function isLemma(span: string, table: WordnetTable): boolean {
  const lower = span.toLowerCase();
  return !isFunctionWord(lower.slice(0, lower.indexOf(" "))) && bestReading(lower, table) !== undefined;
}

/** The phrase split into lemmas of several words, from the start and the longest first, and single words. */
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

function synonymsOf(span: string, scope: "phrase" | "part", table: WordnetTable): string[] {
  const lower = span.toLowerCase();
  if (isFunctionWord(lower) || !/^\p{L}[\p{L}' .-]+$/u.test(span) || lower.length < 3) return [];
  const isPart = scope === "part";
  const isCapitalised = span !== lower;
  // "John", "Apple": a capitalised word in a longer phrase may be a name, and names have no synonyms.
  if (isPart && isName(span, table) && !span.includes(" ")) return [];
  const reading = bestReading(lower, table);
  if (reading === undefined) return [];
  const found: string[] = [];
  for (const sense of chosenSenses(reading.senses)) {
    const own = sense.lemmas.find((lemma) => lemma.toLowerCase() === reading.lemma) ?? reading.lemma;
    const ownIsName = own !== own.toLowerCase();
    // "turkey" is not "Turkey"; "New York" in a longer phrase may be the city or the state.
    if (ownIsName && !isCapitalised && !own.includes(" ")) continue;
    if (ownIsName && isPart && reading.senses.length > 1) continue;
    for (const lemma of sense.lemmas) {
      if (lemma === own || !isTypical(lemma, sense, table)) continue;
      // "holding fast protein" is not "binding protein": within a phrase a word is replaced by one word.
      if (isPart && !own.includes(" ") && lemma.includes(" ")) continue;
      const inflected = inflect(lemma, reading.form);
      if (inflected !== undefined) found.push(likeCaseOf(span, inflected, ownIsName ? own : undefined));
    }
  }
  return othersThan(span, found);
}

/** Whether the lemma is common in this sense: "machine" is not common in the sense of "car". */
function isTypical(lemma: string, { lemmas }: Sense, { senses }: WordnetTable): boolean {
  if (lemma.length < 2 || isFunctionWord(lemma) || lemma.startsWith("be ")) return false;
  const all = senses.get(lemma.toLowerCase()) ?? [];
  const most = highestCount(all);
  if (most === 0) return all.length <= untaggedSenses;
  const here = all.find((sense) => sense.lemmas === lemmas);
  return here !== undefined && here.count >= leastFraction * most;
}

/** Whether a span with a capital is a name, or a word unknown to WordNet, which may be one. */
function isName(span: string, { senses, givenNames }: WordnetTable): boolean {
  const lower = span.toLowerCase();
  if (!startsCapital(span) || isFunctionWord(lower)) return false;
  if (givenNames.has(span)) return true;
  const known = analyses(lower).flatMap(({ lemma }) => senses.get(lemma) ?? []);
  if (known.length === 0) return /^\p{L}+$/u.test(span);
  return senses.get(lower)?.some((sense) => !sense.lemmas.includes(lower)) ?? false;
}

/** The analysis with the most frequent senses that fit its form; the word itself wins a tie. */
function bestReading(
  span: string,
  { senses }: WordnetTable,
): (Analysis & { readonly senses: readonly Sense[] }) | undefined {
  const readings = analyses(span).map(({ lemma, form }) => {
    const inflected = form === "plural" ? "noun" : "verb";
    const isFitting = ({ partOfSpeech }: Sense): boolean => form === "base" || partOfSpeech === inflected;
    return { lemma, form, senses: (senses.get(lemma) ?? []).filter(isFitting) };
  });
  const fitting = readings.filter(({ senses }) => senses.length > 0);
  return fitting.length === 0 ? undefined : highest(fitting, ({ senses }) => highestCount(senses));
}

const highestCount = (senses: readonly Sense[]): number =>
  senses.reduce((most, { count }) => Math.max(most, count), 0);

function chosenSenses(senses: readonly Sense[]): readonly Sense[] {
  const most = highestCount(senses);
  if (most === 0) return senses.slice(0, untaggedSenses);
  return senses.filter((sense) => sense.count >= leastFraction * most);
}

/** Words whose entries in WordNet are other things: "a" the ångström, "in" the inch, "who" the organisation. */
const functionWords = wordSet("function-words");

/** Articles, pronouns, prepositions and the like, which no rule replaces. @param word in lower case */
export const isFunctionWord = (word: string): boolean => functionWords().has(word);
