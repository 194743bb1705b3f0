/**
 * Whether two phrases name the same kind of thing, by a model's type head: the Bhattacharyya coefficient of their
 * entity types' probabilities (Bhattacharyya 1943), the sum over all types of sqrt(left × right). It is 1 where both
 * are of one kind, or doubtful in the same way, and 0 where no type is likely for both. Lexical classes are left out:
 * tables hold names, and whether "in flight" is a phrase of a preposition says nothing of two names.
 */
import { dotRows } from "../search/vectors.js";

/** Entity types of a model's labels: "NP-ORG" and "VP-ORG" are one, ORG. */
export interface EntityTypes {
  /** In the order in which the labels name them first. */
  readonly names: readonly string[];
  /** Of each label, the place of its entity type among the names. */
  readonly places: Int32Array;
}

/** The entity types of some labels; labels without a hyphen are types as they are. */
export function entityTypes(labels: readonly string[]): EntityTypes {
  const entities = labels.map((label) => label.slice(label.indexOf("-") + 1));
  const names = [...new Set(entities)];
  return { names, places: Int32Array.from(entities, (entity) => names.indexOf(entity)) };
}

/**
 * Writes roots of the entity types' probabilities into `out` from row `first` on, so that agreement is a dot product.
 *
 * @param probabilities [rows, labels]
 * @param out [all rows, entity types]
 */
export function writeTypeRoots(
  probabilities: Float32Array,
  { names, places }: EntityTypes,
  out: Float32Array,
  first: number,
): void {
  const rows = probabilities.length / places.length;
  for (let row = 0; row < rows; row++) {
    const start = (first + row) * names.length;
    for (let label = 0; label < places.length; label++)
      out[start + places[label]] += probabilities[row * places.length + label];
    for (let type = start; type < start + names.length; type++) out[type] = Math.sqrt(out[type]);
  }
}

/** Agreement of two rows of roots, 0 to 1. */
export function typeAgreement(
  left: Float32Array,
  a: number,
  right: Float32Array,
  b: number,
  types: number,
): number {
  return Math.min(1, dotRows(left, a, right, b, types));
}

/** A phrase's likeliest entity type. */
export interface LikelyType {
  readonly type: string;
  readonly probability: number;
}

/** The likeliest type of a row of roots. */
export function likeliestType(roots: Float32Array, row: number, names: readonly string[]): LikelyType {
  const own = roots.subarray(row * names.length, (row + 1) * names.length);
  const best = own.reduce((place, root, index) => (root > own[place] ? index : place), 0);
  return { type: names[best], probability: own[best] ** 2 };
}
