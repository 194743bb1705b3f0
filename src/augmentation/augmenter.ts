/** The augmenter: all rules by the settings; draws a twin of a phrase by the probabilities, or lists what every rule makes of it. */

import { createRandom, drawWeighted, type Random } from "../random.js";
import {
  type CharacterSettings,
  characterEdit,
  confuseAsScanner,
  dropCharacter,
  type Edit,
  insertCharacter,
  replaceAtRandom,
  replaceByNeighbour,
  respellSound,
  swapCharacters,
} from "./character.js";
import * as words from "./names.js";
import { abbreviate } from "./names.js";
import * as persons from "./persons.js";
import { changeLegalForm, moveQualifier, moveYear, readPairs, spellAcronym, turnOfPhrase } from "./phrase.js";
import { drawn, listed, type PhraseContext, type Rule, type RuleName, type Twin } from "./rule.js";
import { type AugmentationSettings, type ResolvedSettings, resolveSettings, rulesOf } from "./settings.js";
import { addPunctuation, changeLetterCase, spellNumber, swapAnyTokens, swapNeighbours } from "./spelling.js";
import { nearWords, readNearWords } from "./word-vector.js";
import { wordnetSynonyms, wordnetTable } from "./wordnet-synonym.js";

/** The rules whose resources the settings provide, in the order of `pearl augment`. @throws TableError, MissingDataError */
export async function createRules(settings: ResolvedSettings): Promise<Rule[]> {
  const { wordVectors, synonymFiles, paraphraseFiles, acronymFiles } = settings;
  const files = [synonymFiles, paraphraseFiles, acronymFiles];
  const [synonyms, paraphrases, acronyms] = await Promise.all(files.map(readPairs));
  const wordnet = settings.wordNet === "use" ? await wordnetTable() : undefined;
  // Near words need WordNet too: it distinguishes words from names.
  const near = wordVectors !== "off" && (await readNearWords(wordVectors, wordnet ?? (await wordnetTable())));
  const givenNames = wordnet?.givenNames ?? persons.englishGivenNames();
  const rules = [
    ...characterRules(settings),
    drawn("swap-words", "token", settings.wordSwap === "any" ? swapAnyTokens : swapNeighbours),
    wordnet && listed("wordnet-synonym", "token", wordnetSynonyms(wordnet)),
    near && listed("word-vector", "token", nearWords(near)),
    drawn("punctuation", "token", addPunctuation),
    synonyms && listed("known-synonym", "phrase", synonyms),
    paraphrases && listed("paraphrase-file", "phrase", paraphrases),
    listed("acronym", "phrase", spellAcronym(acronyms)),
    listed("initials", "phrase", persons.spellInitials(givenNames)),
    listed("qualifier", "phrase", moveQualifier(givenNames)),
    listed("year", "phrase", moveYear),
    listed("legal-form", "phrase", changeLegalForm),
    listed("of-phrase", "phrase", turnOfPhrase),
    listed("number-word", "phrase", spellNumber),
    drawn("transliteration", "character", respellSound),
    listed("abbreviation", "token", abbreviate),
    drawn("drop-short-word", "token", words.dropShortWord),
    drawn("drop-end-word", "token", words.dropEndWord),
    drawn("shorten-word", "token", words.shortenWord),
    drawn("join-words", "token", words.joinWords),
    drawn("split-word", "token", words.splitWord),
    drawn("shuffle-words", "token", words.shuffleWords),
    drawn("add-suffix", "token", words.addSuffix),
    drawn("insert-word", "token", words.insertWord),
    listed("nickname", "phrase", persons.useNickname(givenNames)),
    drawn("middle-name", "phrase", persons.shortenMiddleName(givenNames)),
    listed("surname", "phrase", persons.surnameAlone(givenNames)),
    listed("first-letters", "phrase", words.firstLetters),
    drawn("add-qualifier", "phrase", words.addQualifier),
    listed("drop-qualifier", "phrase", words.dropQualifier),
    drawn("letter-case", "phrase", changeLetterCase),
    // SimCSE's twin is the phrase itself: the network's dropout makes the difference.
    drawn("dropout", "none", (phrase) => phrase),
    drawn("unchanged", "none", (phrase) => phrase),
  ];
  return rules.filter((rule) => typeof rule === "object");
}

/** After nlpaug: the paper's four, a random character, and scanners' errors. */
export function characterRules(settings: CharacterSettings): Rule[] {
  const edited = (name: RuleName, edit: Edit) => drawn(name, "character", characterEdit(edit, settings));
  return [
    edited("swap-characters", swapCharacters),
    edited("drop-character", dropCharacter),
    edited("insert-character", insertCharacter),
    edited("keyboard-neighbour", replaceByNeighbour),
    edited("random-character", replaceAtRandom),
    edited("ocr-confusion", confuseAsScanner),
  ];
}

/** Makes twins of phrases, synchronously. */
export interface Augmenter {
  readonly settings: ResolvedSettings;
  /** The rules whose resources are available, in order. */
  readonly rules: readonly RuleName[];
  /**
   * One twin, its kind (or kinds, see `AugmentationSettings.combine`) drawn by the probabilities; the phrase itself with
   * rule "unchanged" where nothing applies. The same phrase and state of `random` give the same twin.
   */
  augment(phrase: string, random: Random, context?: PhraseContext): Twin;
  /**
   * The outcomes of every rule, including those with probability 0, without the unchanged phrase.
   * @param options `count`: the most outcomes of each rule, default 3; `random`: for the rules that draw, default seed 1
   */
  all(
    phrase: string,
    options?: PhraseContext & { readonly count?: number; readonly random?: Random },
  ): Twin[];
}

/** A kind of augmentation, by any of its rules that apply. */
interface Choice {
  readonly weight: number;
  readonly rules: readonly Rule[];
}

/**
 * Reads the resources (WordNet, files) and makes an augmenter.
 *
 * @example
 * const augmenter = await createAugmenter({ preset: "pearl" });
 * augmenter.augment("The New York Times", createRandom(7)).text;
 * @throws ArgumentError for wrong settings, TableError for a bad file, MissingDataError for a missing package
 */
export async function createAugmenter(settings: AugmentationSettings = {}): Promise<Augmenter> {
  const resolved = resolveSettings(settings);
  const rules = await createRules(resolved);
  const choices = choicesOf(resolved, new Map(rules.map((rule) => [rule.name, rule])));
  const redraws = resolved.whenNothingApplies === "redraw";
  const drawTwin = resolved.combine === "each" ? drawEach(choices, redraws) : drawOne(choices, redraws);
  return {
    settings: resolved,
    rules: rules.map((rule) => rule.name),
    augment: (phrase, random, context = {}) =>
      drawTwin(phrase, random, context) ?? { text: phrase, rule: "unchanged", granularity: "none" },
    all: (phrase, { count = 3, random = createRandom(1), ...context } = {}) =>
      rules
        .filter(changes)
        .flatMap(({ name: rule, granularity, outcomes }) =>
          outcomes(phrase, count, random, context).map((text) => ({ text, rule, granularity })),
        ),
  };
}

function choicesOf({ probabilities }: ResolvedSettings, byName: ReadonlyMap<RuleName, Rule>): Choice[] {
  return Object.entries(probabilities)
    .filter(([, weight]) => weight > 0)
    .map(([name, weight]) => ({ weight, rules: rulesOf(name)!.flatMap((rule) => byName.get(rule) ?? []) }));
}

const changes = ({ granularity }: Rule): boolean => granularity !== "none";

type DrawTwin = (phrase: string, random: Random, context: PhraseContext) => Twin | undefined;

const drawOne =
  (choices: readonly Choice[], redraws: boolean): DrawTwin =>
  (phrase, random, context) => {
    for (let open = choices; open.length > 0; ) {
      const choice = drawWeighted(open, random) ?? open[open.length - 1];
      const twin = drawFromAny(choice.rules, phrase, random, context);
      if (twin !== undefined || !redraws) return twin;
      // "unchanged" and "dropout" are drawn by their own probability, so they are not a fallback.
      open = open.filter((other) => other !== choice && other.rules.some(changes));
    }
    return undefined;
  };

/**
 * Each kind draws by its own probability and edits the text of those before it; "unchanged" and "dropout" undo all.
 * While nothing has changed, all draw again up to three times.
 */
const drawEach =
  (choices: readonly Choice[], redraws: boolean): DrawTwin =>
  (phrase, random, context) => {
    for (let left = redraws ? 3 : 0; left >= 0; left--) {
      const made: Twin[] = [];
      let text = phrase;
      for (const choice of choices) {
        if (random() >= choice.weight) continue;
        const twin = drawFromAny(choice.rules, text, random, context);
        if (twin === undefined) continue;
        if (twin.granularity === "none") return { ...twin, text: phrase };
        made.push(twin);
        text = twin.text;
      }
      if (text !== phrase) return combined(text, made);
    }
    return undefined;
  };

function combined(text: string, made: readonly Twin[]): Twin {
  const [{ rule, granularity }, ...rest] = made;
  if (rest.length === 0) return { text, rule, granularity };
  const coarsestFirst = ["phrase", "token", "character"] as const;
  const coarsest = coarsestFirst.find((one) => made.some((twin) => twin.granularity === one))!;
  return { text, rule, granularity: coarsest, further: rest.map((twin) => twin.rule) };
}

function drawFromAny(
  rules: readonly Rule[],
  phrase: string,
  random: Random,
  context: PhraseContext,
): Twin | undefined {
  const order = [...rules];
  for (let left = order.length; left > 0; left--) {
    const place = left === 1 ? 0 : Math.floor(random() * left);
    const rule = order[place];
    const text = rule.draw(phrase, random, context);
    if (text !== undefined) return { text, rule: rule.name, granularity: rule.granularity };
    order[place] = order[left - 1];
  }
  return undefined;
}
