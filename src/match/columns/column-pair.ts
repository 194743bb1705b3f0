/** A column of two tables made ready for comparison, and the cosines of a pair of its cells. */
import { dotRows } from "../../search/vectors.js";
import { type SparseRows, type TermStatistics, termCosine } from "../candidates/grams.js";
import type { PairCosines } from "../evidence/features.js";
import { typeAgreement } from "../evidence/type-agreement.js";

/** One column of a table, prepared for comparison. Memory may be shared between threads. */
export interface RankedColumn {
  readonly texts: readonly string[];
  readonly terms: SparseRows;
  /** [rows, dimension], unit length; undefined without a model. */
  readonly vectors?: Float32Array;
  /** [rows, entity types], square roots of probabilities; undefined without a type head. */
  readonly types?: Float32Array;
}

/** A column of the base table and of the query table, with what they have in common. */
export interface ColumnPair {
  readonly base: RankedColumn & { readonly index: SparseRows };
  readonly queries: RankedColumn;
  readonly statistics: TermStatistics;
  readonly dimension: number;
  /** The entity types of the model; empty without a type head. */
  readonly entityTypes: readonly string[];
  /** Mean cosine of unrelated rows, which counts as 0. */
  readonly floor: number;
  /** Weight of this column in the score; all weights sum to 1. */
  readonly weight: number;
}

/** The cosines of a pair: of the embeddings (rescaled so that unrelated rows have 0), of the terms, and of the types. */
export function pairCosines(
  { base, queries, dimension, entityTypes, floor }: ColumnPair,
  query: number,
  row: number,
): PairCosines {
  const grams = termCosine(queries.terms, query, base.terms, row);
  if (base.vectors === undefined || queries.vectors === undefined) return { embedding: 0, grams };
  const cosine = dotRows(queries.vectors, query, base.vectors, row, dimension);
  const embedding = Math.max(0, (cosine - floor) / (1 - floor));
  if (base.types === undefined || queries.types === undefined) return { embedding, grams };
  const types = typeAgreement(queries.types, query, base.types, row, entityTypes.length);
  return { embedding, grams, types };
}
