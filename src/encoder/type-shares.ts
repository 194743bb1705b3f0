/** Types such as "NP-ORG" as a lexical class and an entity type, each with its own probability. */
import type { TypeProbability } from "./type-probabilities.js";

/** A type with its probability, and the probabilities of its class and of its entity type alone. */
export interface TypeShares {
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
export function typeShares(types: readonly TypeProbability[]): TypeShares[] {
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
