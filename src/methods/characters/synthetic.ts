/**
 * Words made up while an encoder trains (Zaratiana, Tomeh, Holat and Charnois on string retrieval): as long as the words
 * of a list, of the same characters, and otherwise random. None is stored: a word is drawn from its number.
 */
import { batchSeed, createRandom } from "../../random.js";

/** Shortest and longest word. */
const [shortest, longest] = [1, 25];

/**
 * The word of a number. Its length is drawn from a normal distribution with the list's mean and deviation, rounded
 * and cut to 1 to 25; its characters by their frequencies in the list, spaces left out.
 */
export function syntheticWords(like: readonly string[], seed: number): (number: number) => string {
  const counts = new Map<string, number>();
  const lengths = like.map((word) => {
    const characters = [...word].filter((character) => character.trim() !== "");
    for (const character of characters) counts.set(character, (counts.get(character) ?? 0) + 1);
    return characters.length;
  });
  const mean = lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
  const deviation = Math.sqrt(
    lengths.reduce((sum, length) => sum + (length - mean) ** 2, 0) / lengths.length,
  );
  const characters = [...counts.keys()];
  let total = 0;
  const ends = Float64Array.from(counts.values(), (count) => (total += count));
  return (number) => {
    const random = createRandom(batchSeed(seed, number));
    const length = drawLength(mean, deviation, random);
    return Array.from({ length }, () => characters[firstAbove(ends, random() * total)]).join("");
  };
}

function drawLength(mean: number, deviation: number, random: () => number): number {
  // Box and Muller's transform
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return Math.min(longest, Math.max(shortest, Math.round(mean + deviation * normal)));
}

/** The first place whose value is above x, in rising values. */
export function firstAbove(values: Float64Array, x: number): number {
  let [low, high] = [0, values.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] > x) high = middle;
    else low = middle + 1;
  }
  return low;
}
