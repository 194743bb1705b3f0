/** Equal phrases are encoded once: finds the distinct ones, and copies their vectors to all rows. */

/** The distinct non-empty phrases with their first rows, and each row's place among them (-1: empty). */
export function distinctPhrases(phrases: readonly string[]): {
  distinct: string[];
  rows: Int32Array;
  positions: Int32Array;
  empty: number;
} {
  const places = new Map<string, number>();
  const positions = new Int32Array(phrases.length);
  const rows = new Int32Array(phrases.length);
  let empty = 0;
  phrases.forEach((phrase, row) => {
    let place = places.get(phrase);
    if (place === undefined) {
      place = phrase.trim() === "" ? -1 : places.size;
      if (place >= 0) {
        rows[place] = row;
        places.set(phrase, place);
      }
    }
    if (place < 0) empty++;
    positions[row] = place;
  });
  return { distinct: [...places.keys()], rows: rows.subarray(0, places.size), positions, empty };
}

/** Copies the vectors of distinct phrases to their other rows. @param rows the first row of each */
export function repeat(vectors: Float32Array, positions: Int32Array, rows: Int32Array, width: number): void {
  positions.forEach((position, row) => {
    if (position < 0 || rows[position] === row) return;
    vectors.copyWithin(row * width, rows[position] * width, (rows[position] + 1) * width);
  });
}
