/** The rows that hold each term, with the term's weight in the row: compares a query with all of them at once. */
export type InvertedIndex = ReadonlyMap<string, { readonly rows: number[]; readonly weights: number[] }>;

/** Indexes rows given as the weights of their terms. */
export function invertedIndex(rows: readonly ReadonlyMap<string, number>[]): InvertedIndex {
  const index = new Map<string, { rows: number[]; weights: number[] }>();
  rows.forEach((terms, row) => {
    for (const [term, weight] of terms) {
      const postings = index.get(term) ?? { rows: [], weights: [] };
      if (postings.rows.length === 0) index.set(term, postings);
      postings.rows.push(row);
      postings.weights.push(weight);
    }
  });
  return index;
}

/** Writes the dot product of the query with every row into `scores`: [rows]. */
export function dotProducts(
  index: InvertedIndex,
  query: ReadonlyMap<string, number>,
  scores: Float64Array,
): void {
  scores.fill(0);
  for (const [term, weight] of query) {
    const postings = index.get(term);
    if (!postings) continue;
    const { rows, weights } = postings;
    for (let place = 0; place < rows.length; place++) scores[rows[place]] += weight * weights[place];
  }
}
