/**
 * Agreement of two phrases on their entity types, by a model's type head: the Bhattacharyya coefficient of the types'
 * probabilities (Bhattacharyya 1943), the sum over all types of sqrt(left × right). It is 1 for equal distributions and
 * 0 if no type is possible for both. Lexical classes are ignored, because tables contain names, for which the class of a
 * phrase carries no information.
 */

export type EntityTypes = ReturnType<typeof entityTypes>;

/**
 * The entity types of a model's labels: "NP-ORG" and "VP-ORG" are both ORG; a label without a hyphen is a type itself.
 * `places` is the index of each label's type in `names`.
 */
export function entityTypes(labels: readonly string[]) {
  const entities = labels.map((label) => label.slice(label.indexOf("-") + 1));
  const names = [...new Set(entities)];
  return { names, places: Int32Array.from(entities, (entity) => names.indexOf(entity)) };
}

/**
 * Writes the square roots of the entity types' probabilities to `out`, from row `first`: agreement is then a dot product.
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

export interface LikelyType {
  readonly type: string;
  readonly probability: number;
}

export function likeliestType(roots: Float32Array, row: number, names: readonly string[]): LikelyType {
  const own = roots.subarray(row * names.length, (row + 1) * names.length);
  const best = own.reduce((place, root, index) => (root > own[place] ? index : place), 0);
  return { type: names[best], probability: own[best] ** 2 };
}
