/**
 * Whether two rows of a table agree by more than chance: a check of their words and values that costs far less than a comparison.
 * In a large table, the rules of blocking find many rows that share one common value with a row, such as a city, and nothing else.
 */
import type { PreparedTables } from "../columns/fields.js";
import { countWords, rarities } from "../columns/lists.js";
import { isText } from "../columns/profile.js";
import { type Texts, textCount } from "../columns/texts.js";
import type { ValueSet } from "../columns/value-set.js";

/** In a large table, at most this many rows may agree with a row by chance as well as its candidate does. */
const mostByChance = 20;
/**
 * Rows of a large table. In smaller ones more may agree by chance, and up to a tenth of these rows any number may: comparing them
 * costs little there, and shows what unrelated rows look like.
 */
const largeTable = 100_000;
/** Subtracted from a value's weight where the two differ by one slip: ln of how many values are as near. */
const ofSlip = 3;
/** Shorter values are near too many others. */
const shortestOfSlips = 5;

/**
 * Returns a function that says whether two rows agree by more than chance; undefined for a small table, where all do. The shares of
 * rows with each word and value that both have are multiplied, as if they were independent. Times the number of rows, that is how
 * many rows agree as well by chance. Cells that differ count nothing. It is fastest where the first row stays the same.
 */
export function byMoreThanChance(
  { fields, rows: [rows], vocabulary }: Pick<PreparedTables, "fields" | "rows" | "vocabulary">,
  large = largeTable,
): ((a: number, b: number) => boolean) | undefined {
  if (rows <= large / 10) return undefined;
  // 0 for a tenth of a large table.
  const steepness = Math.log10(large / 10 / mostByChance);
  const needed = Math.log(rows / mostByChance) + steepness * Math.min(0, Math.log(rows / large));
  const counts = new Uint32Array(textCount(vocabulary));
  for (const { set } of fields)
    countWords(set.words, counts.length, set.counts).forEach((found, word) => (counts[word] += found));
  const ofWord = rarities(counts, rows).map((rarity) => rarity * Math.log(rows + 1));
  const columns = fields.map(({ kind, set, left }) => ({
    values: left,
    words: isText(kind) || kind === "code" || kind === "email" ? set.words : undefined,
    haveSlip: oneSlip(set.texts),
    nearness: kind === "number" || kind === "date" ? nearness(set) : () => 0,
    ofValue: Float32Array.from(set.counts, (count) => Math.log(set.filled / count)),
  }));
  const lastRow = new Int32Array(ofWord.length).fill(-1);
  let stamped = -1;
  const stamp = (row: number): void => {
    stamped = row;
    for (const { values, words } of columns) {
      if (words === undefined || values[row] < 0) continue;
      const { starts, items } = words;
      for (let place = starts[values[row]]; place < starts[values[row] + 1]; place++)
        lastRow[items[place]] = row;
    }
  };
  const own = new Float64Array(columns.length);
  return (a, b) => {
    if (a !== stamped) stamp(a);
    let sum = 0;
    for (let at = 0; at < columns.length; at++) {
      const { values, words, ofValue } = columns[at];
      const value = values[b];
      own[at] = 0;
      if (value < 0) continue;
      if (words !== undefined)
        for (let place = words.starts[value]; place < words.starts[value + 1]; place++)
          if (lastRow[words.items[place]] === a) own[at] += ofWord[words.items[place]];
      if (value === values[a]) own[at] = Math.max(own[at], ofValue[value]);
      sum += own[at];
    }
    for (let at = 0; at < columns.length && sum < needed; at++) {
      const { values, haveSlip, nearness, ofValue } = columns[at];
      const [x, y] = [values[a], values[b]];
      if (x < 0 || y < 0 || x === y) continue;
      const ofNear = haveSlip(x, y) ? Math.min(ofValue[x], ofValue[y]) - ofSlip : 0;
      sum += Math.max(0, ofNear - own[at], nearness(x, y));
    }
    return sum >= needed;
  };
}

/** Numbers are near that fewer than this share of the rows have between them and as far beyond. */
const near = 0.01;

/** Returns a function for two numbers or dates: -ln of the share of rows whose number is as near to one as the other is. */
function nearness({ numbers, counts, filled }: ValueSet): (x: number, y: number) => number {
  const before = new Uint32Array(numbers.length);
  let sum = 0;
  const known = Uint32Array.from(numbers.keys()).filter((value) => !Number.isNaN(numbers[value]));
  for (const value of known.sort((x, y) => numbers[x] - numbers[y])) {
    before[value] = sum;
    sum += counts[value];
  }
  return (x, y) => {
    if (Number.isNaN(numbers[x] + numbers[y])) return 0;
    const share = (2 * Math.abs(before[x] - before[y])) / filled;
    return share < near ? -Math.log(share) : 0;
  };
}

/** Returns a function that says whether two different texts differ in one place only: by one letter, or by two neighbouring ones. */
function oneSlip({ starts, items }: Texts): (a: number, b: number) => boolean {
  return (a, b) => {
    const [from, other] = [starts[a], starts[b]];
    const [length, letters] = [starts[a + 1] - from, starts[b + 1] - other];
    const shortest = Math.min(length, letters);
    const longest = Math.max(length, letters);
    if (shortest < shortestOfSlips || longest - shortest > 1) return false;
    let first = 0;
    while (first < shortest && items[from + first] === items[other + first]) first++;
    let last = 0;
    while (last < shortest - first && items[from + length - 1 - last] === items[other + letters - 1 - last])
      last++;
    return first + last >= longest - 2;
  };
}
