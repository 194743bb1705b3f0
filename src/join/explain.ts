/** Explains the score of a pair: words in common, words on one side only, and the features with the largest effects. */
import { type ColumnPair, pairCosines } from "../match/columns.js";
import {
  type FeatureName,
  featureNames,
  pairFeatures,
  type WeighedPhrase,
  weighPhrase,
} from "../match/evidence/features.js";
import { numberValue } from "../match/evidence/phrase.js";
import { type LikelyType, likeliestType } from "../match/evidence/type-agreement.js";
import { alignWords } from "../match/evidence/words.js";
import { type ScorerFile, scoreFeatures } from "../match/scorer.js";

/** A feature and its effect: how much higher the score is than with the feature's mean over candidate pairs. */
export interface FeatureEffect {
  readonly feature: FeatureName;
  readonly value: number;
  readonly effect: number;
}

/** A word with its rarity in the two tables: 0 (in every row) to 1 (in one row only). */
export interface ExplainedWord {
  readonly word: string;
  readonly rarity: number;
}

export interface PairExplanation {
  readonly columns: readonly ColumnExplanation[];
}

export interface ColumnExplanation {
  readonly column: string;
  readonly left: string;
  readonly right: string;
  readonly score: number;
  /** Words of the left phrase with a counterpart in the right one, in any form. */
  readonly shared: readonly ExplainedWord[];
  readonly onlyLeft: readonly ExplainedWord[];
  readonly onlyRight: readonly ExplainedWord[];
  /** The likeliest entity type of each phrase; undefined if the model has no type head. */
  readonly types?: {
    readonly left: LikelyType;
    readonly right: LikelyType;
    /** Agreement of all their types, 0 to 1. */
    readonly agreement: number;
  };
  /** The features with the largest effects, for or against. */
  readonly features: readonly FeatureEffect[];
}

const shownFeatures = 4;

export function explainColumn(
  column: ColumnPair,
  name: string,
  { scorer, card }: ScorerFile,
  pair: { readonly left: number; readonly right: number },
): ColumnExplanation {
  const { base, queries, entityTypes, statistics } = column;
  const left = weighPhrase(base.texts[pair.left], statistics);
  const right = weighPhrase(queries.texts[pair.right], statistics);
  const cosines = pairCosines(column, pair.right, pair.left);
  const features = new Float64Array(featureNames.length);
  pairFeatures(left, right, cosines, features);
  const score = scoreFeatures(scorer, features);
  const usual = (card.meanViews ?? featureNames.map(() => 0.5)) as readonly number[];
  const effects = featureNames
    .map((feature, index): FeatureEffect => {
      const changed = features.with(index, usual[index]);
      return { feature, value: features[index], effect: score - scoreFeatures(scorer, changed) };
    })
    // Without a type head this feature is always 0 and explains nothing.
    .filter(({ feature }) => feature !== "typesDiffer" || cosines.types !== undefined)
    .sort((a, b) => Math.abs(b.effect) - Math.abs(a.effect));
  const met = alignWords(left.words, right.words);
  return {
    column: name,
    left: base.texts[pair.left],
    right: queries.texts[pair.right],
    score,
    shared: wordsWhere(left, (index) => met.left[index] > 0),
    onlyLeft: wordsWhere(left, (index) => met.left[index] === 0),
    onlyRight: wordsWhere(right, (index) => met.right[index] === 0),
    types:
      cosines.types === undefined
        ? undefined
        : {
            left: likeliestType(base.types!, pair.left, entityTypes),
            right: likeliestType(queries.types!, pair.right, entityTypes),
            agreement: cosines.types,
          },
    features: effects.slice(0, shownFeatures),
  };
}

/** The words that pass a test, rarest first. */
function wordsWhere({ words, weights }: WeighedPhrase, test: (index: number) => boolean): ExplainedWord[] {
  return words
    .map((word, index) => ({ word, rarity: Math.min(1, weights[index]) }))
    .filter((_, index) => test(index))
    .sort((a, b) => b.rarity - a.rarity);
}

/** `type of both: ORG`, `types alike: ORG 0.55, PRODUCT 0.43`, or `types differ: ORG 0.93, PERSON 0.71`. */
function typesInWords({ left, right, agreement }: NonNullable<ColumnExplanation["types"]>): string {
  if (left.type === right.type) return `type of both: ${left.type}`;
  const types = [left, right].map(({ type, probability }) => `${type} ${probability.toFixed(2)}`);
  return `types ${agreement < 0.5 ? "differ" : "alike"}: ${types.join(", ")}`;
}

/** One line: `both: york times; only left: the; numbers differ: 1998 2002; grams 0.81 (+1.2), embedding 0.90 (+0.8)`. */
export function explanationLine({ columns }: PairExplanation): string {
  return columns
    .map(({ column, shared, onlyLeft, onlyRight, types, features }) => {
      const list = (words: readonly ExplainedWord[]): string => words.map(({ word }) => word).join(" ");
      const [numbersLeft, numbersRight] = [onlyLeft, onlyRight].map((words) =>
        words.filter(({ word }) => numberValue(word) !== undefined),
      );
      const sign = (effect: number): string => `${effect < 0 ? "-" : "+"}${Math.abs(effect).toFixed(1)}`;
      const parts = [
        shared.length > 0 && `both: ${list(shared)}`,
        onlyLeft.length > 0 && `only left: ${list(onlyLeft)}`,
        onlyRight.length > 0 && `only right: ${list(onlyRight)}`,
        numbersLeft.length > 0 &&
          numbersRight.length > 0 &&
          `numbers differ: ${list([...numbersLeft, ...numbersRight])}`,
        types && typesInWords(types),
        features
          .map(({ feature, value, effect }) => `${feature} ${value.toFixed(2)} (${sign(effect)})`)
          .join(", "),
      ];
      const line = parts.filter(Boolean).join("; ");
      return columns.length > 1 ? `${column}: ${line}` : line;
    })
    .join(" | ");
}
