/** Gives phrases their entity type: from patterns, WordNet, wink-nlp's entities and the shapes of names. */
import type { EntityType, LexicalClass } from "../../pearl/phrase-types.js";
import { createEntityFinder } from "../text/tagger.js";
import type { FineType } from "./fine-types.js";
import { type Gazetteer, readGazetteer } from "./gazetteer.js";
import { fineTypeOf } from "./labels.js";
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
