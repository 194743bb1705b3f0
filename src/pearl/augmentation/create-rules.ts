/** Gathers the rules of an augmenter, with the resources that its settings name. */

import { characterRules } from "./character/character-rules.js";
import { transliterationRule } from "./character/transliteration.js";
import { type PairTable, readPairTable } from "./pair-table.js";
import { acronymRule } from "./phrase/acronym.js";
import { initialsRule } from "./phrase/initials.js";
import { legalFormRule } from "./phrase/legal-form.js";
import { letterCaseRule } from "./phrase/letter-case.js";
import { addQualifierRule } from "./phrase/names/add-qualifier.js";
import { dropQualifierRule } from "./phrase/names/drop-qualifier.js";
import { firstLettersRule } from "./phrase/names/first-letters.js";
import { middleNameRule } from "./phrase/names/middle-name.js";
import { englishGivenNames, nicknameRule } from "./phrase/names/nickname.js";
import { surnameRule } from "./phrase/names/surname.js";
import { numberWordRule } from "./phrase/number-word.js";
import { ofPhraseRule } from "./phrase/of-phrase.js";
import { qualifierRule } from "./phrase/qualifier.js";
import { yearRule } from "./phrase/year.js";
import type { DrawnRule, ListedRule, Rule, RuleName } from "./rule.js";
import type { ResolvedSettings } from "./settings.js";
import { abbreviationRule } from "./token/names/abbreviation.js";
import { addSuffixRule } from "./token/names/add-suffix.js";
import { dropEndWordRule } from "./token/names/drop-end-word.js";
import { dropShortWordRule } from "./token/names/drop-short-word.js";
import { insertWordRule } from "./token/names/insert-word.js";
import { joinWordsRule } from "./token/names/join-words.js";
import { shortenWordRule } from "./token/names/shorten-word.js";
import { shuffleWordsRule } from "./token/names/shuffle-words.js";
import { splitWordRule } from "./token/names/split-word.js";
import { punctuationRule } from "./token/punctuation.js";
import { swapWordsRule } from "./token/swap-words.js";
import { readNearWords, wordVectorRule } from "./token/word-vector.js";
import { wordnetSynonymRule } from "./token/wordnet-synonym.js";
import { type WordnetTable, wordnetTable } from "./token/wordnet-table.js";

/** SimCSE's twin is the phrase itself: the network's dropout makes the difference. */
const dropoutRule: DrawnRule = { name: "dropout", granularity: "none", draw: (phrase) => phrase };
const unchangedRule: DrawnRule = { name: "unchanged", granularity: "none", draw: (phrase) => phrase };

/** The rules that have what they need, in the order of RULE_NAMES. @throws TableError, MissingDataError */
export async function createRules(settings: ResolvedSettings): Promise<Rule[]> {
  const wordnet = settings.wordNet === "use" ? await wordnetTable() : undefined;
  const givenNames = wordnet?.givenNames ?? englishGivenNames;
  const { synonymFiles, paraphraseFiles, acronymFiles } = settings;
  const acronyms = acronymFiles.length === 0 ? undefined : await readPairTable(acronymFiles);
  return [
    ...characterRules(settings),
    swapWordsRule(settings),
    ...(wordnet === undefined ? [] : [wordnetSynonymRule(wordnet)]),
    ...(await nearWordRules(settings, wordnet)),
    punctuationRule,
    ...(await pairRules("known-synonym", synonymFiles)),
    ...(await pairRules("paraphrase-file", paraphraseFiles)),
    acronymRule(acronyms),
    initialsRule(givenNames),
    qualifierRule(givenNames),
    yearRule,
    legalFormRule,
    ofPhraseRule,
    numberWordRule,
    transliterationRule,
    abbreviationRule,
    dropShortWordRule,
    dropEndWordRule,
    shortenWordRule,
    joinWordsRule,
    splitWordRule,
    shuffleWordsRule,
    addSuffixRule,
    insertWordRule,
    nicknameRule(givenNames),
    middleNameRule(givenNames),
    surnameRule(givenNames),
    firstLettersRule,
    addQualifierRule,
    dropQualifierRule,
    letterCaseRule,
    dropoutRule,
    unchangedRule,
  ];
}

/** Near words need WordNet too: it tells words from names. */
async function nearWordRules(
  { wordVectors }: ResolvedSettings,
  wordnet?: WordnetTable,
): Promise<ListedRule[]> {
  if (wordVectors === "off") return [];
  return [wordVectorRule(await readNearWords(wordVectors, wordnet ?? (await wordnetTable())))];
}

/** The rule of a kind of pair files; none without files. */
async function pairRules(name: RuleName, files: readonly string[]): Promise<ListedRule[]> {
  if (files.length === 0) return [];
  const table: PairTable = await readPairTable(files);
  return [{ name, granularity: "phrase", list: (phrase) => table.partners(phrase) }];
}
