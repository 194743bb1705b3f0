/** The rows that hold each term, with the term's weight in the row: compares a query with all of them at once. */
export type InvertedIndex<Term> = ReadonlyMap<Term, { readonly rows: number[]; readonly weights: number[] }>;

export type WeightedTerm<Term> = [term: Term, weight: number];

export function invertedIndex<Term>(rows: readonly Iterable<WeightedTerm<Term>>[]): InvertedIndex<Term> {
  const index = new Map<Term, { rows: number[]; weights: number[] }>();
  rows.forEach((terms, row) => {
    for (const [term, weight] of terms) {
      const postings = index.get(term);
      if (postings) {
        postings.rows.push(row);
        postings.weights.push(weight);
      } else index.set(term, { rows: [row], weights: [weight] });
    }
  });
  return index;
}

/** Writes the dot product of the query with every row into `scores`: [rows]. */
export function dotProducts<Term>(
  index: InvertedIndex<Term>,
  query: Iterable<WeightedTerm<Term>>,
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
