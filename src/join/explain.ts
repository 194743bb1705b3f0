/**
 * Explains the score of two phrases, as data and as a sentence: how their words and numbers correspond, what is missing, and
 * what that costs.
 */
import { ArgumentError } from "../errors.js";
import { type ColumnPair, type LikelyType, likeliestType, pairCosines } from "../match/columns.js";
import type { RowNumbers } from "../match/compare-tables.js";
import {
  type FeatureName,
  featureNames,
  pairFeatures,
  type WeighedPhrase,
  weighPhrase,
} from "../match/evidence/features.js";
import {
  alignWords,
  haveSameLetters,
  readWords,
  type WordKind,
  type WordMatch,
} from "../match/evidence/phrase.js";
import { type ScorerFile, scoreFeatures } from "../match/scorer.js";
import { functionWords, legalForms } from "../match/spelling/soft-words.js";

/** A feature and its effect: how much higher the score is than with the feature's mean over candidate pairs. */
export interface FeatureEffect {
  readonly feature: FeatureName;
  readonly value: number;
  readonly effect: number;
}

/** Words of the two phrases that the scorer takes for each other, several joined by spaces, as they are written. */
export interface MatchedWords {
  /** How they correspond; "number": the same value, written differently. */
  readonly kind: WordKind;
  readonly left: string;
  readonly right: string;
  /** 0 to 1; 1 for equal, joined and number. */
  readonly likeness: number;
}

/** A word without a counterpart in the other phrase. */
export interface MissingWord {
  readonly word: string;
  /** 0 (in every row of the two tables) to 1 (in one row only). */
  readonly rarity: number;
  readonly role?: "legal form" | "function word";
  /** How much higher the score is without this word; differences of scores are log-odds ratios. */
  readonly cost: number;
}

/** Why a pair of phrases has its score; plain data for programs. {@link explanationLine} gives it as a sentence. */
export interface PhraseExplanation {
  readonly left: string;
  readonly right: string;
  /** Whether both have words. Others match nothing. */
  readonly isCompared: boolean;
  /** Higher is likelier; the difference between two candidates of a row is a log-odds ratio. */
  readonly score: number;
  /** Whether the cells have the same letters and digits in the same order. */
  readonly isSame: boolean;
  /** Rarest first. */
  readonly words: readonly MatchedWords[];
  readonly onlyLeft: readonly MissingWord[];
  readonly onlyRight: readonly MissingWord[];
  /** "differ" if each cell has a number that the other lacks, "one-sided" if only one has. */
  readonly numbers: "none" | "agree" | "differ" | "one-sided";
  /** Similarity of the embeddings, 0 (as unrelated phrases) to 1; undefined without a model. */
  readonly embedding?: number;
  /** The likeliest entity type of each phrase; undefined if the model has no type head. */
  readonly types?: {
    readonly left: LikelyType;
    readonly right: LikelyType;
    /** Agreement of all their types, 0 to 1. */
    readonly agreement: number;
  };
  /** All features, those with the largest effects, for or against, first. */
  readonly features: readonly FeatureEffect[];
}

export function explainPhrases(
  column: ColumnPair,
  { scorer, card }: ScorerFile,
  pair: RowNumbers,
): PhraseExplanation {
  const { base, queries, entityTypes, statistics } = column;
  const [text, otherText] = [base.texts[pair.left], queries.texts[pair.right]];
  if (text === undefined || otherText === undefined)
    throw new ArgumentError(`there is no pair of rows ${pair.left} and ${pair.right}`);
  const left = weighPhrase(text, statistics);
  const right = weighPhrase(otherText, statistics);
  const cosines = pairCosines(column, pair.right, pair.left);
  const featuresOf = (a: WeighedPhrase, b: WeighedPhrase): Float64Array => {
    const features = new Float64Array(featureNames.length);
    pairFeatures(a, b, cosines, features);
    return features;
  };
  const scoreOf = (a: WeighedPhrase, b: WeighedPhrase): number => scoreFeatures(scorer, featuresOf(a, b));
  const features = featuresOf(left, right);
  const score = scoreFeatures(scorer, features);
  const matches: WordMatch[] = [];
  const met = alignWords(left.words, right.words, (match) => matches.push(match));
  const usual = (card.meanViews ?? featureNames.map(() => 0.5)) as readonly number[];
  return {
    ...{ left: text, right: otherText, score },
    isCompared: left.compact !== "" && right.compact !== "",
    isSame: haveSameLetters(left, right),
    words: matches
      .sort((a, b) => left.weights[b.left.from] - left.weights[a.left.from])
      .map(({ kind, likeness, left: from, right: to }) => ({
        ...{ kind, likeness, left: written(text, left, from), right: written(otherText, right, to) },
      })),
    onlyLeft: missingWords(text, left, met.left, (rest) => scoreOf(rest, right) - score),
    onlyRight: missingWords(otherText, right, met.right, (rest) => scoreOf(left, rest) - score),
    numbers: numbersOf(features),
    ...(base.vectors && { embedding: cosines.embedding }),
    ...(cosines.types !== undefined && {
      types: {
        left: likeliestType(base.types!, pair.left, entityTypes),
        right: likeliestType(queries.types!, pair.right, entityTypes),
        agreement: cosines.types,
      },
    }),
    features: featureNames
      .map((feature, index): FeatureEffect => {
        const effect = score - scoreFeatures(scorer, features.with(index, usual[index]));
        return { feature, value: features[index], effect };
      })
      // Without a type head this feature is always 0 and explains nothing.
      .filter(({ feature }) => feature !== "typesDiffer" || cosines.types !== undefined)
      .sort((a, b) => Math.abs(b.effect) - Math.abs(a.effect)),
  };
}

function numbersOf(features: Float64Array): PhraseExplanation["numbers"] {
  const has = (name: FeatureName): boolean => features[featureNames.indexOf(name)] === 1;
  if (has("numbersConflict")) return "differ";
  if (has("numbersOneSided")) return "one-sided";
  return has("numbersAgree") ? "agree" : "none";
}

/** Words as the cell writes them, rather alone than within others; folded where accents or quotes are in between. */
function written(text: string, { words }: WeighedPhrase, { from, to }: WordMatch["left"]): string {
  const find = (pattern: string): string | undefined => new RegExp(pattern, "iu").exec(text)?.[0];
  return words
    .slice(from, to)
    .map((word) => {
      // the signs of "c++" stand for themselves
      const literal = word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
      return find(`(?<![\\p{L}\\p{N}])${literal}(?![\\p{L}\\p{N}])`) ?? find(literal) ?? word;
    })
    .join(" ");
}

/** The words without a counterpart, rarest first. */
function missingWords(
  text: string,
  phrase: WeighedPhrase,
  met: Float64Array,
  costOf: (rest: WeighedPhrase) => number,
): MissingWord[] {
  return phrase.words
    .flatMap((word, place): MissingWord[] => {
      if (met[place] > 0) return [];
      const role = legalForms.has(word)
        ? "legal form"
        : functionWords.has(word)
          ? "function word"
          : undefined;
      const shown = written(text, phrase, { from: place, to: place + 1 });
      const rarity = Math.min(1, phrase.weights[place]);
      return [{ word: shown, rarity, ...(role && { role }), cost: costOf(withoutWord(phrase, place)) }];
    })
    .sort((a, b) => b.rarity - a.rarity);
}

function withoutWord(phrase: WeighedPhrase, place: number): WeighedPhrase {
  const words = phrase.words.toSpliced(place, 1);
  return {
    ...{ ...phrase, ...readWords(words, phrase.aside.toSpliced(place, 1)), folded: words.join(" ") },
    weights: phrase.weights.filter((_, index) => index !== place),
    totalWeight: phrase.totalWeight - phrase.weights[place],
  };
}

/** A missing word that costs less changes the odds of the pair by less than half. */
const IGNORED = 0.4;
const SHOWN_WORDS = 4;
const [RARE, COMMON] = [0.7, 0.3];

/** `"IBM Corp" ≈ "International Business Machines": initials match; "Corp" ignored (legal form)`. */
export function explanationLine(explanation: PhraseExplanation): string {
  const { left, right, isCompared, isSame, words, onlyLeft, onlyRight, embedding, types } = explanation;
  if (!isCompared) return `"${left}" and "${right}" not compared: a cell without words`;
  if (left === right) return `"${left}": equal`;
  const header = `"${left}" ≈ "${right}"`;
  if (isSame) return `${header}: equal except for case, accents, spaces and punctuation`;
  const equal = words.filter(({ kind }) => kind === "equal").map((word) => word.right);
  const parts = [
    ...(equal.length > 0 ? [`same word${equal.length > 1 ? "s" : ""} ${listed(equal)}`] : []),
    ...words.filter(({ kind }) => kind !== "equal").map(correspondence),
    ...numbersSaid[explanation.numbers],
    ...onlyLeft.map((word) => missing(word, "left")),
    ...onlyRight.map((word) => missing(word, "right")),
    ...(embedding === undefined ? [] : [`embedding similarity ${embedding.toFixed(2)}`]),
    ...(types && types.agreement < 0.5 ? [`types differ: ${types.left.type}, ${types.right.type}`] : []),
  ];
  return `${header}: ${parts.join("; ")}`;
}

function listed(words: readonly string[]): string {
  const shown = words.slice(0, SHOWN_WORDS).map((word) => `"${word}"`);
  return shown.join(", ") + (words.length > SHOWN_WORDS ? ` and ${words.length - SHOWN_WORDS} more` : "");
}

function correspondence({ kind, left, right, likeness }: MatchedWords): string {
  const [short, long] = left.length <= right.length ? [left, right] : [right, left];
  const [one, several] = left.includes(" ") ? [right, left] : [left, right];
  if (kind === "initials") return `initials match ("${one}" for "${several}")`;
  if (kind === "joined") return `"${several}" joined as "${one}"`;
  if (kind === "abbreviated") return `"${short}" short for "${long}"`;
  if (kind === "number") return `"${left}" and "${right}" are the same number`;
  return `"${left}" spelt like "${right}" (${likeness.toFixed(2)})`;
}

const numbersSaid: Readonly<Record<PhraseExplanation["numbers"], readonly string[]>> = {
  ...{ none: [], agree: ["numbers agree"], differ: ["numbers differ"] },
  "one-sided": ["a number only on one side"],
};

function missing({ word, rarity, role, cost }: MissingWord, side: "left" | "right"): string {
  const kind = role ?? (rarity >= RARE ? "rare" : rarity <= COMMON ? "common" : undefined);
  const reason = kind === undefined ? "" : ` (${kind})`;
  return Math.abs(cost) < IGNORED ? `"${word}" ignored${reason}` : `"${word}" only ${side}${reason}`;
}
