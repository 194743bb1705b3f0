/**
 * Tables of names to measure joins with. Names consist of words whose frequencies follow Zipf's law. Right rows are left
 * rows with a typing error, without a word or with words in another order; one right row in five has no match.
 */
import { createRandom } from "../dist/random.js";

/** Makes two tables, and the left row of each right row, -1 without a match. */
export function makeTables(leftRows, rightRows) {
  const random = createRandom(leftRows + rightRows);
  const pick = (list) => list[Math.floor(random() * list.length)];
  const syllables =
    "ka lo mi ten var sor bel dan fi gro hu jen pol qui ris stu tor wex yan zel or an el is um".split(" ");
  const made = new Set();
  while (made.size < 40_000) {
    made.add(Array.from({ length: 1 + Math.floor(random() * 4) }, () => pick(syllables)).join(""));
  }
  const vocabulary = [...made];
  // The word of rank r has a frequency near 1/r.
  const word = () => vocabulary[Math.floor(vocabulary.length ** random()) - 1] ?? vocabulary[0];
  const name = () => Array.from({ length: 2 + Math.floor(random() * 3) }, word).join(" ");
  const different = new Set();
  while (different.size < leftRows) different.add(`${name()} ${pick(vocabulary)}`);
  const left = [...different];
  const rename = (text) => {
    const words = text.split(" ");
    const draw = random();
    if (draw < 0.3) words.splice(Math.floor(random() * words.length), 1);
    else if (draw < 0.5) words.push(words.shift());
    else {
      const place = Math.floor(random() * words.length);
      const at = Math.floor(random() * words[place].length);
      words[place] = `${words[place].slice(0, at)}${pick(syllables)[0]}${words[place].slice(at + 1)}`;
    }
    return words.join(" ");
  };
  const truth = Array.from({ length: rightRows }, () =>
    random() < 0.2 ? -1 : Math.floor(random() * leftRows),
  );
  const right = truth.map((row) => (row < 0 ? `${name()} ${pick(vocabulary)}` : rename(left[row])));
  return { left, right, truth };
}
