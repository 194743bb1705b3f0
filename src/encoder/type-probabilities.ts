/** From the scores of the type head to probabilities of types, classes and entity types. */
import { softmax } from "../statistics.js";

/** A phrase type with its probability. */
export interface TypeProbability {
  /** As the model was trained with, such as "NP-ORG". */
  readonly type: string;
  readonly probability: number;
}

/** The probabilities of one row of scores, the largest first; equal ones in the labels' order. */
export function ranked(scores: Float32Array, labels: readonly string[], top: number): TypeProbability[] {
  const probabilities = softmax(scores);
  return labels
    .map((type, index) => ({ type, probability: probabilities[index] }))
    .sort((a, b) => b.probability - a.probability)
    .slice(0, top);
}

/** A type such as "NP-ORG" with its probability, and those of its class and of its entity type alone. */
export interface TypeParts {
  /** Lexical class; empty where the model's label has no hyphen. */
  readonly lexical: string;
  readonly entity: string;
  readonly both: number;
  /** Sum over the types of this class. */
  readonly ofClass: number;
  /** Sum over the types of this entity type. */
  readonly ofEntity: number;
}

/** Splits the types of one phrase; `types` must be complete, since classes and entity types are summed over them. */
export function typeParts(types: readonly TypeProbability[]): TypeParts[] {
  const classes = new Map<string, number>();
  const entities = new Map<string, number>();
  const parts = types.map(({ type, probability }) => {
    const at = type.indexOf("-");
    const [lexical, entity] = at < 0 ? ["", type] : [type.slice(0, at), type.slice(at + 1)];
    classes.set(lexical, (classes.get(lexical) ?? 0) + probability);
    entities.set(entity, (entities.get(entity) ?? 0) + probability);
    return { lexical, entity, both: probability };
  });
  return parts.map((part) => ({
    ...part,
    ofClass: classes.get(part.lexical) as number,
    ofEntity: entities.get(part.entity) as number,
  }));
}

const rounded = (probability: number): number => Number(probability.toFixed(6));

/** A type as programs read it, in JSON. */
export const typeRecord = ({ lexical, entity, both, ofClass, ofEntity }: TypeParts) => ({
  ...{ class: lexical, type: entity, probability: rounded(both) },
  ...{ classProbability: rounded(ofClass), typeProbability: rounded(ofEntity) },
});
