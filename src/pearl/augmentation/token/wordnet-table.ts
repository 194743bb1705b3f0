/** WordNet in memory: the senses of each lemma with their synonyms, and the given names of its persons. */
import { readSynsets, readTagCounts, type Synset } from "../../../text/wordnet.js";

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
    if (notGivenNames.has(name)) continue;
    const word = name.toLowerCase();
    const asWord = (senses.get(word) ?? []).filter((sense) => sense.lemmas.includes(word));
    const count = asWord.reduce((sum, sense) => sum + sense.count, 0);
    if (asWord.length === 0 || (persons >= 3 && count < usualWord)) yield name;
  }
}

/** "Mark" occurs 24 times as a word, "Little" and "Old" hundreds of times. */
const usualWord = 30;

/** Titles, articles, and names of places rather than persons ("Springfield, Virginia"). */
const notGivenNames = new Set(
  (
    "Baron Baroness Bishop Brother Captain Chief Commissaire Count Countess Dame Doctor Duchess Duke Earl Emperor " +
    "Empress Father General King Lady Lord Madame Marquis Marquise Mother Pope President Prince Princess Queen Saint " +
    "San Santa Sir Sister Sultan The Tsar Uncle Viscount El La Las Le Les Los " +
    "Carolina Chad Georgia Israel Jordan Lincoln Victoria Virginia Washington"
  ).split(" "),
);
