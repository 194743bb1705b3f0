/** Places of a list in the order of the numbers that it holds: a counting sort. */

/** Those with number n are order[starts[n]] to order[starts[n + 1] - 1], ascending; those below 0 are left out. */
export interface PlacesByNumber {
  readonly starts: Uint32Array;
  readonly order: Uint32Array;
}

/** @param count numbers are below it; default: one more than the greatest */
export function placesByNumber(numbers: Int32Array, count = 1 + greatest(numbers)): PlacesByNumber {
  const ends = new Uint32Array(count + 1);
  for (const number of numbers) if (number >= 0) ends[number + 1]++;
  for (let number = 0; number < count; number++) ends[number + 1] += ends[number];
  const order = new Uint32Array(numbers.length);
  numbers.forEach((number, place) => {
    if (number >= 0) order[ends[number]++] = place;
  });
  // Each number's start has moved to its end, which is the next number's start.
  return { starts: ends.copyWithin(1, 0).fill(0, 0, 1), order };
}

function greatest(numbers: Int32Array): number {
  let most = -1;
  for (const number of numbers) if (number > most) most = number;
  return most;
}
