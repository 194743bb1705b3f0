/** Gives phrases their entity type: from lists, patterns, wink-nlp's entities, the gazetteer, in this order. */
import type { EntityType, LexicalClass } from "../../pearl/phrase-types.js";
import { createEntityFinder } from "../text/tagger.js";
import { type Gazetteer, readGazetteer } from "./gazetteer.js";
import { entityTypeOf } from "./labels.js";
import { typeOfAmount, typeOfNamePattern } from "./patterns.js";

/**
 * Where a type comes from: the user's list, the user's model, a pattern (amounts, telling words), wink-nlp's
 * entities, WordNet, the shape of a person's name, or "plain": no capital and no digit, so no name.
 */
export const TYPE_SOURCES = ["list", "model", "pattern", "entity", "gazetteer", "shape", "plain"] as const;
export type TypeSource = (typeof TYPE_SOURCES)[number];

/** A type and where it comes from. */
export interface TypeLabel {
  readonly type: EntityType;
  readonly source: TypeSource;
}

/** Labels one phrase; undefined where nothing is known about it. */
export type PhraseTyper = (phrase: string, lexicalClass: LexicalClass) => TypeLabel | undefined;

/** What a typer goes by. */
export interface TyperOptions {
  /** Types that the user knows, by phrase; they come before all else. */
  readonly list?: ReadonlyMap<string, EntityType>;
  /** Default WordNet's. */
  readonly gazetteer?: Gazetteer;
  /** Sources that are not to be asked; default none. */
  readonly without?: readonly TypeSource[];
}

let shared: Promise<Gazetteer> | undefined;

/** WordNet's gazetteer, read once. */
function wordnetGazetteer(): Promise<Gazetteer> {
  shared ??= readGazetteer();
  return shared;
}

/** Makes a typer. */
export async function createPhraseTyper(options: TyperOptions = {}): Promise<PhraseTyper> {
  const gazetteer = options.gazetteer ?? (await wordnetGazetteer());
  const findEntities = createEntityFinder();
  const left = new Set(options.without);
  const steps: readonly (readonly [TypeSource, (phrase: string) => EntityType | undefined])[] = [
    ["list", (phrase) => options.list?.get(phrase)],
    ["pattern", (phrase) => typeOfAmount(phrase)],
    ["gazetteer", (phrase) => lookUp(gazetteer, phrase)],
    ["pattern", (phrase) => typeOfNamePattern(phrase)],
    ["entity", (phrase) => wholeEntity(findEntities, phrase)],
    ["shape", (phrase) => personShape(gazetteer, phrase)],
    ["plain", (phrase) => (/[\p{Lu}\d]/u.test(phrase) ? undefined : "OTHER")],
  ];
  const asked = steps.filter(([source]) => !left.has(source));
  return (phrase, lexicalClass) => {
    const listed = options.list?.get(phrase);
    if (listed !== undefined && !left.has("list")) return { type: listed, source: "list" };
    // What is done names no entity, whatever it is done to.
    if (lexicalClass === "VP") return { type: "OTHER", source: "plain" };
    const name = lexicalClass === "PP" ? withoutPreposition(phrase) : phrase;
    for (const [source, typeOf] of asked) {
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

/** Whether it is worth asking: wink-nlp's entities are amounts, dates and the like. */
const mayBeEntity =
  /\d|[$€£%@#]|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|hundred|thousand|million|today|week|month|year|day|hour|minute)/i;

/** The type of wink-nlp's entity that is the whole phrase, but for an article. */
function wholeEntity(
  findEntities: ReturnType<typeof createEntityFinder>,
  phrase: string,
): EntityType | undefined {
  if (!mayBeEntity.test(phrase)) return undefined;
  const compact = (text: string): string =>
    text.replace(/^(?:the|an?|this|last|next) /i, "").replace(/\s/g, "");
  const whole = findEntities(phrase).find(({ text }) => compact(text) === compact(phrase));
  return whole === undefined ? undefined : entityTypeOf(whole.label);
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
