/** Gathers the rules of an augmenter, with the resources that its settings name. */
import { abbreviationRule } from "./abbreviations.js";
import { acronymRule, firstLettersRule } from "./acronyms.js";
import { addQualifierRule, addSuffixRule, dropQualifierRule, insertWordRule } from "./added-words.js";
import { characterRules } from "./characters.js";
import { initialsRule } from "./initials.js";
import { legalFormRule } from "./legal-forms.js";
import { letterCaseRule } from "./letter-case.js";
import { nameWordRules } from "./name-words.js";
import { englishGivenNames, middleNameRule, nicknameRule, surnameRule } from "./nicknames.js";
import { numberWordRule } from "./number-words.js";
import { ofPhraseRule } from "./of-phrases.js";
import { type PairTable, readPairTable } from "./pair-table.js";
import { qualifierRule } from "./qualifiers.js";
import type { DrawnRule, ListedRule, Rule, RuleName } from "./rule.js";
import type { ResolvedSettings } from "./settings.js";
import { transliterationRule } from "./transliterations.js";
import { readNearWords, wordVectorRule } from "./word-vectors.js";
import { wordnetSynonymRule } from "./wordnet-synonyms.js";
import { type WordnetTable, wordnetTable } from "./wordnet-table.js";
import { punctuationRule, swapWordsRule } from "./words.js";
import { yearRule } from "./years.js";

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
    ...nameWordRules,
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
