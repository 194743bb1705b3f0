/** The list of all rules, the paper's and those beyond it: name, granularity, and the resources that the settings name. */
import {
  type CharacterSettings,
  characterEdit,
  type Edit,
} from "../pearl/augmentation/character/character-edit.js";
import { dropCharacter } from "../pearl/augmentation/character/drop-character.js";
import { insertCharacter } from "../pearl/augmentation/character/insert-character.js";
import { replaceByNeighbour } from "../pearl/augmentation/character/keyboard-neighbour.js";
import { swapCharacters } from "../pearl/augmentation/character/swap-characters.js";
import { readPairs } from "../pearl/augmentation/phrase/pair-table.js";
import { swapAnyTokens, swapNeighbours } from "../pearl/augmentation/token/swap-words.js";
import { nearWords, readNearWords } from "../pearl/augmentation/token/word-vector.js";
import { wordnetSynonyms } from "../pearl/augmentation/token/wordnet-synonym.js";
import { wordnetTable } from "../pearl/augmentation/token/wordnet-table.js";
import { confuseAsScanner } from "./character/ocr-confusion.js";
import { replaceAtRandom } from "./character/random-character.js";
import { respellSound } from "./character/transliteration.js";
import { drawn, listed, type Rule, type RuleName } from "./named-rule.js";
import { abbreviate } from "./names/abbreviation.js";
import { addQualifier, dropQualifier, firstLetters } from "./names/forms.js";
import { englishGivenNames, shortenMiddleName, surnameAlone, useNickname } from "./names/persons.js";
import * as words from "./names/words.js";
import { spellAcronym } from "./phrase/acronym.js";
import { spellInitials } from "./phrase/initials.js";
import { changeLegalForm } from "./phrase/legal-form.js";
import { changeLetterCase } from "./phrase/letter-case.js";
import { spellNumber } from "./phrase/number-word.js";
import { turnOfPhrase } from "./phrase/of-phrase.js";
import { moveQualifier } from "./phrase/qualifier.js";
import { moveYear } from "./phrase/year.js";
import type { ResolvedSettings } from "./settings.js";
import { addPunctuation } from "./token/punctuation.js";

/** The rules whose resources the settings provide, in the order of `pearl augment`. @throws TableError, MissingDataError */
export async function createRules(settings: ResolvedSettings): Promise<Rule[]> {
  const { wordVectors, synonymFiles, paraphraseFiles, acronymFiles } = settings;
  const files = [synonymFiles, paraphraseFiles, acronymFiles];
  const [synonyms, paraphrases, acronyms] = await Promise.all(files.map(readPairs));
  const wordnet = settings.wordNet === "use" ? await wordnetTable() : undefined;
  // Near words need WordNet too: it distinguishes words from names.
  const near = wordVectors !== "off" && (await readNearWords(wordVectors, wordnet ?? (await wordnetTable())));
  const givenNames = wordnet?.givenNames ?? englishGivenNames();
  const rules = [
    ...characterRules(settings),
    drawn("swap-words", "token", settings.wordSwap === "any" ? swapAnyTokens : swapNeighbours),
    wordnet && listed("wordnet-synonym", "token", wordnetSynonyms(wordnet)),
    near && listed("word-vector", "token", nearWords(near)),
    drawn("punctuation", "token", addPunctuation),
    synonyms && listed("known-synonym", "phrase", synonyms),
    paraphrases && listed("paraphrase-file", "phrase", paraphrases),
    listed("acronym", "phrase", spellAcronym(acronyms)),
    listed("initials", "phrase", spellInitials(givenNames)),
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
    listed("nickname", "phrase", useNickname(givenNames)),
    drawn("middle-name", "phrase", shortenMiddleName(givenNames)),
    listed("surname", "phrase", surnameAlone(givenNames)),
    listed("first-letters", "phrase", firstLetters),
    drawn("add-qualifier", "phrase", addQualifier),
    listed("drop-qualifier", "phrase", dropQualifier),
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
