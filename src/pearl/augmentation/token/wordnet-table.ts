/** WordNet in memory: the senses of each lemma with their synonyms, and the given names of its persons. */
import { readSynsets, readTagCounts, type Synset } from "../../../text/wordnet.js";

/** One sense of a lemma. */
export interface Sense {
  /** All lemmas of the synset, this one included, in their own letter case. */
  readonly lemmas: readonly string[];
  /** How often the lemma was met in this sense in WordNet's tagged text. */
  readonly count: number;
  readonly partOfSpeech: Synset["partOfSpeech"];
}

/** What augmentation needs of WordNet. */
export interface WordnetTable {
  /** Senses by lemma in lower case; all of them, those without synonyms too. */
  readonly senses: ReadonlyMap<string, readonly Sense[]>;
  /** First names of persons with an entry of their own, such as "Albert". */
  readonly givenNames: ReadonlySet<string>;
}

let shared: Promise<WordnetTable> | undefined;

/** Reads WordNet once for all augmenters of this thread (about a second). @throws MissingDataError */
export function wordnetTable(): Promise<WordnetTable> {
  shared ??= readTable().catch((error) => {
    shared = undefined;
    throw error;
  });
  return shared;
}

async function readTable(): Promise<WordnetTable> {
  const tagCounts = await readTagCounts();
  const senses = new Map<string, Sense[]>();
  const firstNames = new Map<string, number>();
  for await (const synset of readSynsets()) {
    const { lemmas, partOfSpeech } = synset;
    for (const lemma of lemmas) {
      const key = lemma.toLowerCase();
      const count = tagCounts.get(`${synset.id}\t${key}`) ?? 0;
      const known = senses.get(key);
      const sense = { lemmas, count, partOfSpeech };
      if (known === undefined) senses.set(key, [sense]);
      else known.push(sense);
    }
    if (synset.lexicographerFile === "noun.person" && synset.instanceHypernyms.length > 0) {
      for (const name of new Set(lemmas.flatMap(firstName))) {
        firstNames.set(name, (firstNames.get(name) ?? 0) + 1);
      }
    }
  }
  return { senses, givenNames: new Set(givenNamesAmong(firstNames, senses)) };
}

/** "Albert" of "Albert Einstein"; none of "Einstein", "T. E. Lawrence" or "Alexander the Great". */
function firstName(lemma: string): string[] {
  return /^(?:\p{Lu}\p{Ll}+ )+\p{Lu}[\p{L}'-]+$/u.test(lemma) ? [lemma.slice(0, lemma.indexOf(" "))] : [];
}

/** A first name that is also a word ("Rose") has to be met in three persons, and the word must not be a usual one. */
function* givenNamesAmong(
  firstNames: ReadonlyMap<string, number>,
  senses: ReadonlyMap<string, readonly Sense[]>,
): Generator<string> {
  for (const [name, persons] of firstNames) {
    if (noGivenNames.has(name)) continue;
    const word = name.toLowerCase();
    const asWord = (senses.get(word) ?? []).filter((sense) => sense.lemmas.includes(word));
    const count = asWord.reduce((sum, sense) => sum + sense.count, 0);
    if (asWord.length === 0 || (persons >= 3 && count < usualWord)) yield name;
  }
}

/** "Mark" is met 24 times as a word, "Little" and "Old" hundreds of times. */
const usualWord = 30;

/** Titles and articles, and names that are places more often than persons ("Springfield, Virginia"). */
const noGivenNames = new Set(
  (
    "Baron Baroness Bishop Brother Captain Chief Commissaire Count Countess Dame Doctor Duchess Duke Earl Emperor " +
    "Empress Father General King Lady Lord Madame Marquis Marquise Mother Pope President Prince Princess Queen Saint " +
    "San Santa Sir Sister Sultan The Tsar Uncle Viscount El La Las Le Les Los " +
    "Carolina Chad Georgia Israel Jordan Lincoln Victoria Virginia Washington"
  ).split(" "),
);
