/** TF-IDF over sparse vectors with an inverted index: scikit-learn's smooth idf and unit rows, cosine against every candidate. */

/** How a text becomes terms; repeated terms count. */
export type Analyser = (text: string) => readonly string[];

/** A fitted vocabulary with its inverse document frequencies. */
export interface Tfidf {
  readonly analyse: Analyser;
  /** Term to column. */
  readonly vocabulary: ReadonlyMap<string, number>;
  /** idf of each column: ln((1 + documents) / (1 + documents that hold the term)) + 1. */
  readonly idf: Float64Array;
}

/** One row of the sparse matrix: columns with their weights, unit length (all zero for a text of unknown terms). */
export interface SparseVector {
  readonly columns: Int32Array;
  readonly weights: Float64Array;
}

/** Learns vocabulary and idf from the documents at hand (smooth idf, as scikit-learn's default). */
export function fitTfidf(documents: readonly string[], analyse: Analyser): Tfidf {
  const vocabulary = new Map<string, number>();
  const documentCounts: number[] = [];
  const lastSeen: number[] = []; // the document that counted a column last: each document counts a term once
  documents.forEach((document, row) => {
    for (const term of analyse(document)) {
      let column = vocabulary.get(term);
      if (column === undefined) {
        column = vocabulary.size;
        vocabulary.set(term, column);
        documentCounts.push(0);
        lastSeen.push(-1);
      }
      if (lastSeen[column] !== row) {
        lastSeen[column] = row;
        documentCounts[column]++;
      }
    }
  });
  const idf = Float64Array.from(
    documentCounts,
    (count) => Math.log((1 + documents.length) / (1 + count)) + 1,
  );
  return { analyse, vocabulary, idf };
}

/** The unit TF-IDF vector of a text; terms outside the vocabulary are left out. */
export function tfidfVector(model: Tfidf, text: string): SparseVector {
  const counts = new Map<number, number>();
  for (const term of model.analyse(text)) {
    const column = model.vocabulary.get(term);
    if (column !== undefined) counts.set(column, (counts.get(column) ?? 0) + 1);
  }
  const columns = new Int32Array(counts.size);
  const weights = new Float64Array(counts.size);
  let position = 0;
  let squares = 0;
  for (const [column, count] of counts) {
    const weight = count * model.idf[column];
    columns[position] = column;
    weights[position++] = weight;
    squares += weight * weight;
  }
  const scale = squares > 0 ? 1 / Math.sqrt(squares) : 0;
  for (let index = 0; index < weights.length; index++) weights[index] *= scale;
  return { columns, weights };
}

/** Cosine of two TF-IDF vectors. */
export function sparseCosine(a: SparseVector, b: SparseVector): number {
  const weightOf = new Map<number, number>();
  a.columns.forEach((column, index) => {
    weightOf.set(column, a.weights[index]);
  });
  let sum = 0;
  for (let index = 0; index < b.columns.length; index++) {
    sum += (weightOf.get(b.columns[index]) ?? 0) * b.weights[index];
  }
  return sum;
}

/** For each column the candidates that hold it, as runs of two flat arrays. */
export interface TfidfIndex {
  readonly model: Tfidf;
  readonly size: number;
  /** Postings of column c are at starts[c] to starts[c + 1]. */
  readonly starts: Int32Array;
  readonly rows: Int32Array;
  readonly weights: Float64Array;
}

/** Indexes the candidates' vectors by column. */
export function indexTfidf(model: Tfidf, candidates: readonly string[]): TfidfIndex {
  const vectors = candidates.map((candidate) => tfidfVector(model, candidate));
  const starts = new Int32Array(model.idf.length + 1);
  for (const { columns } of vectors) {
    for (const column of columns) starts[column + 1]++;
  }
  for (let column = 0; column < model.idf.length; column++) starts[column + 1] += starts[column];
  const next = starts.slice();
  const rows = new Int32Array(starts[model.idf.length]);
  const weights = new Float64Array(rows.length);
  vectors.forEach((vector, row) => {
    vector.columns.forEach((column, index) => {
      const place = next[column]++;
      rows[place] = row;
      weights[place] = vector.weights[index];
    });
  });
  return { model, size: candidates.length, starts, rows, weights };
}

/** Writes the cosine of the query with every candidate into `scores` (length: the index's size). */
export function tfidfSimilarities(index: TfidfIndex, query: string, scores: Float64Array): void {
  scores.fill(0);
  const { starts, rows, weights } = index;
  const vector = tfidfVector(index.model, query);
  for (let term = 0; term < vector.columns.length; term++) {
    const column = vector.columns[term];
    const weight = vector.weights[term];
    for (let place = starts[column]; place < starts[column + 1]; place++) {
      scores[rows[place]] += weight * weights[place];
    }
  }
}
