/** Gives phrases their entity type: from patterns, WordNet, wink-nlp's entities and the shapes of names. */
import type { EntityType, LexicalClass } from "../../pearl/phrase-types.js";
import { wordSet } from "../../text/word-lists.js";
import { readSynsets, readTagCounts, type Synset } from "../../text/wordnet.js";
import { createEntityFinder } from "../text/tagger.js";
import { type FineType, fineTypeOf } from "./fine-types.js";
import { typeOfAmount, typeOfNamePattern } from "./patterns.js";

/**
 * Where a type comes from: a pattern (amounts, words that show a type), wink-nlp's entities, WordNet, the shape of a person's
 * name, or "plain": no capital and no digit, so no name.
 */
export type TypeSource = "pattern" | "entity" | "gazetteer" | "shape" | "plain";

export interface TypeLabel {
  readonly type: FineType;
  readonly source: TypeSource;
}

/** Labels one phrase; undefined where nothing is known about it. */
type PhraseTyper = (phrase: string, lexicalClass: LexicalClass) => TypeLabel | undefined;

/** WordNet's, read once. */
let gazetteer: Promise<Gazetteer> | undefined;

export async function createPhraseTyper(): Promise<PhraseTyper> {
  gazetteer ??= readGazetteer();
  const names = await gazetteer;
  const findEntities = createEntityFinder();
  const steps: readonly (readonly [TypeSource, (phrase: string) => FineType | undefined])[] = [
    ["pattern", typeOfAmount],
    ["gazetteer", (phrase) => lookUp(names, phrase)],
    ["pattern", typeOfNamePattern],
    ["entity", (phrase) => wholeEntity(findEntities, phrase)],
    ["shape", (phrase) => personShape(names, phrase)],
    ["plain", (phrase) => (/[\p{Lu}\d]/u.test(phrase) ? undefined : "OTHER")],
  ];
  return (phrase, lexicalClass) => {
    // A verb phrase never names an entity, only its object may.
    if (lexicalClass === "VP") return { type: "OTHER", source: "plain" };
    const name = lexicalClass === "PP" ? withoutPreposition(phrase) : phrase;
    for (const [source, typeOf] of steps) {
      const type = typeOf(name);
      if (type !== undefined) return { type, source };
    }
    return undefined;
  };
}

/** "in the third quarter" is typed as "the third quarter". */
function withoutPreposition(phrase: string): string {
  return phrase.replace(/^\p{L}+(?: (?:of|to|than|for|from|with))? (?=.)/u, "");
}

function lookUp({ types }: Gazetteer, phrase: string): EntityType | undefined {
  const bare = phrase.replace(/^(?:[Tt]he|[Aa]n?) /, "");
  return types.get(phrase) ?? types.get(bare) ?? types.get(bare.replace(/['’]s?$/, ""));
}

/** wink-nlp's entities are amounts, dates and the like: other phrases are not worth a call. */
const mayBeEntity =
  /\d|[$€£%@#]|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|hundred|thousand|million|today|week|month|year|day|hour|minute)/i;

/** The type of the wink-nlp entity that covers the whole phrase, except for a leading article, "this" and the like. */
function wholeEntity(
  findEntities: ReturnType<typeof createEntityFinder>,
  phrase: string,
): FineType | undefined {
  if (!mayBeEntity.test(phrase)) return undefined;
  const compact = (text: string): string =>
    text.replace(/^(?:the|an?|this|last|next) /i, "").replace(/\s/g, "");
  const whole = findEntities(phrase).find(({ value }) => compact(value) === compact(phrase));
  return whole === undefined ? undefined : fineTypeOf(whole.type);
}

/** Two to four capitalised words of which the first is a person's first name. */
function personShape({ firstNames }: Gazetteer, phrase: string): EntityType | undefined {
  const words = phrase.split(" ");
  if (words.length < 2 || words.length > 4 || !firstNames.has(words[0])) return undefined;
  const isName = words.every((word) =>
    /^(?:\p{Lu}[\p{L}.'’-]*|de|la|van|von|der|bin|al|el|da|di|du|le)$/u.test(word),
  );
  return isName ? "PERSON" : undefined;
}

/** A gazetteer made from WordNet: named persons, places, peoples and works, and common nouns that name nothing. */
interface Gazetteer {
  /** By lemma, in its letter case, with spaces. */
  readonly types: ReadonlyMap<string, EntityType>;
  /** First words of the names of persons ("Albert"), two letters or more. */
  readonly firstNames: ReadonlySet<string>;
}

/** The type of instances by the class they are one of, or by a class above it; the first that fits. */
const byClass: readonly (readonly [EntityType, readonly string[]])[] = [
  ["GPE", ["country", "municipality", "administrative district", "district", "state", "settlement"]],
  ["NORP", ["religion"]],
  ["LAW", ["treaty", "law"]],
  ["WORK_OF_ART", ["sacred text", "literary composition", "art"]],
  ["EVENT", ["war", "military action"]],
  ["FAC", ["structure"]],
  ["PRODUCT", ["vehicle"]],
];

const byFile: Readonly<Record<string, EntityType>> = {
  "noun.person": "PERSON",
  "noun.group": "ORG",
  "noun.location": "LOC",
  "noun.object": "LOC",
  "noun.artifact": "FAC",
  "noun.event": "EVENT",
  "noun.act": "EVENT",
  "noun.communication": "WORK_OF_ART",
  "noun.time": "DATE",
};

/** Reads WordNet into a gazetteer, in about a second. */
export async function readGazetteer(): Promise<Gazetteer> {
  const synsets = new Map<string, Synset>();
  for await (const synset of readSynsets()) synsets.set(synset.id, synset);
  const tagCounts = await readTagCounts();
  const ancestors = ancestorLemmas(synsets);
  const votes = new Map<string, Map<EntityType, number>>();
  const firstNames = new Set<string>();
  for (const synset of synsets.values()) {
    const type = typeOfSynset(synset, ancestors);
    if (type === undefined) continue;
    for (const lemma of synset.lemmas) {
      // A genius may be called an Einstein, but Einstein is a name.
      if (type === "OTHER" && /^\p{Lu}/u.test(lemma) && !/^\p{Lu}/u.test(synset.lemmas[0])) continue;
      const vote = (tagCounts.get(`${synset.id}\t${lemma.toLowerCase()}`) ?? 0) + 1;
      const votesOfLemma = votes.get(lemma) ?? new Map<EntityType, number>();
      votes.set(lemma, votesOfLemma.set(type, (votesOfLemma.get(type) ?? 0) + vote));
      const first = /^(\p{Lu}\p{Ll}+) .*\p{Lu}/u.exec(lemma);
      if (type === "PERSON" && first !== null && !titles().has(first[1])) firstNames.add(first[1]);
    }
  }
  const types = new Map<string, EntityType>();
  for (const [lemma, byType] of votes) {
    // A country's name also means its government; OntoNotes 5 types both as GPE.
    if (byType.has("GPE")) byType.delete("ORG");
    types.set(lemma, [...byType].sort((left, right) => right[1] - left[1])[0][0]);
  }
  // "Baby", "Black" and "Best" also begin names, but usually mean something else.
  for (const name of firstNames) if (types.get(name.toLowerCase()) === "OTHER") firstNames.delete(name);
  return { types, firstNames };
}

const titles = wordSet("name-titles");

/** The type of what a synset names. Common words are OTHER: they name no entity. */
function typeOfSynset(
  synset: Synset,
  ancestors: (synset: Synset) => ReadonlySet<string>,
): EntityType | undefined {
  const { partOfSpeech, lexicographerFile, instanceHypernyms, lemmas, definition } = synset;
  const isCapital = /^\p{Lu}/u.test(lemmas[0]);
  const isPertainym = lexicographerFile === "adj.pert" && /^of|relating|characteristic/.test(definition);
  if (isPertainym && isCapital) return "NORP";
  if (partOfSpeech !== "noun") return isCapital ? undefined : "OTHER";
  if (instanceHypernyms.length === 0 && !isCapital) return "OTHER";
  const above = ancestors(synset);
  if (instanceHypernyms.length > 0) {
    // The class of a thing is more precise than its file, except for persons: a saint is not a sacred text.
    if (lexicographerFile === "noun.person") return "PERSON";
    const fitting = byClass.find(([, names]) => names.some((name) => above.has(name)));
    return fitting?.[0] ?? byFile[lexicographerFile];
  }
  if (above.has("natural language")) return "LANGUAGE";
  if (above.has("calendar month") || above.has("day of the week") || above.has("holiday")) return "DATE";
  if (lexicographerFile === "noun.person")
    return above.has("inhabitant") || above.has("religious person") ? "NORP" : undefined;
  if (lexicographerFile === "noun.animal" || lexicographerFile === "noun.plant") return "OTHER";
  return lexicographerFile === "noun.group" && above.has("organization") ? "ORG" : undefined;
}

/** For a synset the lemmas of all synsets above it. */
function ancestorLemmas(synsets: ReadonlyMap<string, Synset>): (synset: Synset) => ReadonlySet<string> {
  const known = new Map<string, ReadonlySet<string>>();
  const withAncestors = (id: string): ReadonlySet<string> => {
    const synset = synsets.get(id)!;
    const lemmas = known.get(id) ?? new Set([...synset.lemmas, ...ancestors(synset)]);
    known.set(id, lemmas);
    return lemmas;
  };
  const ancestors = ({ hypernyms, instanceHypernyms }: Synset): ReadonlySet<string> =>
    new Set([...hypernyms, ...instanceHypernyms].flatMap((parent) => [...withAncestors(parent)]));
  return ancestors;
}
