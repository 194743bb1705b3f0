/** Explains the score of a pair: words in common, words on one side only, and the features with the largest effects. */

import { type ColumnPair, pairCosines } from "../match/columns/column-pair.js";
import {
  type FeatureName,
  featureNames,
  pairFeatures,
  type WeighedPhrase,
  weighPhrase,
} from "../match/evidence/features.js";
import { numberValue } from "../match/evidence/phrase.js";
import { type LikelyType, likeliestType, typeAgreement } from "../match/evidence/type-agreement.js";
import { alignWords } from "../match/evidence/words.js";
import { type ScorerFile, scoreFeatures } from "../match/scorer.js";

/** A feature and its effect: how much the score falls (positive) or rises (negative) if the feature takes its value for unrelated pairs. */
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

/** The explanation of a pair, by compared column. */
export interface PairExplanation {
  readonly columns: readonly ColumnExplanation[];
}

export interface TypesOfPair {
  readonly left: LikelyType;
  readonly right: LikelyType;
  /** Agreement of all their types, 0 to 1. */
  readonly agreement: number;
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
  readonly types?: TypesOfPair;
  /** The features with the largest effects, for or against. */
  readonly features: readonly FeatureEffect[];
}

const shownFeatures = 4;

/** Explains one column of a pair. */
export function explainColumn(
  column: ColumnPair,
  name: string,
  { scorer, card }: ScorerFile,
  pair: { readonly left: number; readonly right: number },
): ColumnExplanation {
  const left = weighPhrase(column.base.texts[pair.left], column.statistics);
  const right = weighPhrase(column.queries.texts[pair.right], column.statistics);
  const features = new Float64Array(featureNames.length);
  pairFeatures(left, right, pairCosines(column, pair.right, pair.left), features);
  const score = scoreFeatures(scorer, features);
  const usual = (card.meanViews ?? featureNames.map(() => 0.5)) as readonly number[];
  const effects = featureNames.map((feature, index): FeatureEffect => {
    const changed = features.slice();
    changed[index] = usual[index];
    return { feature, value: features[index], effect: score - scoreFeatures(scorer, changed) };
  });
  // Without a type head this feature is always 0 and explains nothing.
  const told = effects.filter(({ feature }) => feature !== "typesDiffer" || column.base.types !== undefined);
  told.sort((a, b) => Math.abs(b.effect) - Math.abs(a.effect));
  const met = alignWords(left.words, right.words);
  return {
    column: name,
    left: column.base.texts[pair.left],
    right: column.queries.texts[pair.right],
    score,
    shared: wordsWhere(left, (index) => met.left[index] > 0),
    onlyLeft: wordsWhere(left, (index) => met.left[index] === 0),
    onlyRight: wordsWhere(right, (index) => met.right[index] === 0),
    types: likeliestTypes(column, pair),
    features: told.slice(0, shownFeatures),
  };
}

function likeliestTypes(
  { base, queries, entityTypes }: ColumnPair,
  { left, right }: { readonly left: number; readonly right: number },
): TypesOfPair | undefined {
  if (base.types === undefined || queries.types === undefined) return undefined;
  return {
    left: likeliestType(base.types, left, entityTypes),
    right: likeliestType(queries.types, right, entityTypes),
    agreement: typeAgreement(base.types, left, queries.types, right, entityTypes.length),
  };
}

/** `type of both: ORG`, `types alike: ORG 0.55, PRODUCT 0.43`, or `types differ: ORG 0.93, PERSON 0.71`. */
function typesInWords({ left, right, agreement }: TypesOfPair): string {
  if (left.type === right.type) return `type of both: ${left.type}`;
  const told = [left, right].map(({ type, probability }) => `${type} ${probability.toFixed(2)}`);
  return `types ${agreement < 0.5 ? "differ" : "alike"}: ${told.join(", ")}`;
}

/** The wanted words, rarest first. */
function wordsWhere(phrase: WeighedPhrase, isWanted: (index: number) => boolean): ExplainedWord[] {
  return phrase.words
    .map((word, index) => ({ word, rarity: Math.min(1, phrase.weights[index]), index }))
    .filter(({ index }) => isWanted(index))
    .sort((a, b) => b.rarity - a.rarity)
    .map(({ word, rarity }) => ({ word, rarity }));
}

/** One line: `shares york, times; only left: the; numbers differ: 1998, 2002; grams 0.81 (+1.2), embedding 0.9 (+0.8)`. */
export function explanationLine({ columns }: PairExplanation): string {
  return columns
    .map(({ column, shared, onlyLeft, onlyRight, types, features }) => {
      const parts: string[] = [];
      const list = (words: readonly ExplainedWord[]): string => words.map(({ word }) => word).join(" ");
      if (shared.length > 0) parts.push(`both: ${list(shared)}`);
      if (onlyLeft.length > 0) parts.push(`only left: ${list(onlyLeft)}`);
      if (onlyRight.length > 0) parts.push(`only right: ${list(onlyRight)}`);
      const differing = [...onlyLeft, ...onlyRight].filter(({ word }) => numberValue(word) !== undefined);
      const bothDiffer = [onlyLeft, onlyRight].every((words) =>
        words.some(({ word }) => numberValue(word) !== undefined),
      );
      if (bothDiffer) parts.push(`numbers differ: ${list(differing)}`);
      if (types !== undefined) parts.push(typesInWords(types));
      const sign = (effect: number): string => `${effect < 0 ? "-" : "+"}${Math.abs(effect).toFixed(1)}`;
      parts.push(
        features
          .map(({ feature, value, effect }) => `${feature} ${value.toFixed(2)} (${sign(effect)})`)
          .join(", "),
      );
      return columns.length > 1 ? `${column}: ${parts.join("; ")}` : parts.join("; ");
    })
    .join(" | ");
}
