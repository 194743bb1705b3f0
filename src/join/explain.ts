/** Why a pair scores as it does: the words that correspond, those that do not, and the views that weighed most. */
import { numberValue } from "./phrase.js";
import { type ColumnPair, pairCosines } from "./rank-rows.js";
import { createScorer, type ScorerFile, scoreViews } from "./scorer.js";
import { type LikelyType, likeliestType, typeAgreement } from "./type-agreement.js";
import { pairViews, type ViewName, viewNames, type WeighedPhrase, weighPhrase } from "./views.js";
import { alignWords } from "./words.js";

/** A view and how much the score would fall (positive) or rise (negative) if it said what it says of strangers. */
export interface ViewEffect {
  readonly view: ViewName;
  readonly value: number;
  readonly effect: number;
}

/** A word with its rarity in the two tables: 0 (in every row) to 1 (in one row only). */
export interface ExplainedWord {
  readonly word: string;
  readonly rarity: number;
}

/** The explanation of one compared column. */
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
  /** Words of the left phrase that the right one has too, in whatever form. */
  readonly shared: readonly ExplainedWord[];
  readonly onlyLeft: readonly ExplainedWord[];
  readonly onlyRight: readonly ExplainedWord[];
  /** What each phrase most likely names; undefined where the model tells no types. */
  readonly types?: TypesOfPair;
  /** The views with the greatest effects, for or against. */
  readonly views: readonly ViewEffect[];
}

const shownViews = 4;

/** Explains one column of a pair. */
export function explainColumn(
  column: ColumnPair,
  name: string,
  { scorer: weights, card }: ScorerFile,
  pair: { readonly left: number; readonly right: number },
): ColumnExplanation {
  const left = weighPhrase(column.base.texts[pair.left], column.statistics);
  const right = weighPhrase(column.queries.texts[pair.right], column.statistics);
  const scorer = createScorer(weights);
  const views = new Float64Array(viewNames.length);
  pairViews(left, right, pairCosines(column, pair.right, pair.left), views, 0);
  const score = scoreViews(scorer, views);
  const usual = (card.meanViews ?? viewNames.map(() => 0.5)) as readonly number[];
  const effects = viewNames.map((view, index): ViewEffect => {
    const changed = views.slice();
    changed[index] = usual[index];
    return { view, value: views[index], effect: score - scoreViews(scorer, changed) };
  });
  // A view that there is not is no reason.
  const told = effects.filter(({ view }) => view !== "typesDiffer" || column.base.types !== undefined);
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
    views: told.slice(0, shownViews),
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

/** Words of a kind, rarest first. */
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
    .map(({ column, shared, onlyLeft, onlyRight, types, views }) => {
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
        views.map(({ view, value, effect }) => `${view} ${value.toFixed(2)} (${sign(effect)})`).join(", "),
      );
      return columns.length > 1 ? `${column}: ${parts.join("; ")}` : parts.join("; ");
    })
    .join(" | ");
}
