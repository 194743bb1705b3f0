/** The paper's rule: two words change places. */
import { type Draw, pick } from "../rule.js";

/** A word without the punctuation around it: `core` of `(Smith,` is `Smith`. */
const core = /[\p{L}\p{N}](?:.*[\p{L}\p{N}])?/u;
/** nltk's wordpunct tokens, which the published code swaps. */
const wordOrMarks = /[\p{L}\p{N}_]+|[^\p{L}\p{N}_\s]+/gu;

/** Swaps two neighbours and leaves punctuation in its place. */
export const swapNeighbours: Draw = (phrase, random) => {
  const words = phrase.split(" ");
  if (words.length < 2) return undefined;
  const cores = words.map((word) => core.exec(word)?.[0]);
  const able = [...words.keys()].filter(
    (index) => cores[index] && cores[index + 1] && cores[index] !== cores[index + 1],
  );
  if (able.length === 0) return undefined;
  const index = pick(able, random);
  const [left, right] = [cores[index]!, cores[index + 1]!];
  words[index] = words[index].replace(left, () => right);
  words[index + 1] = words[index + 1].replace(right, () => left);
  return words.join(" ");
};

/** The published change_word_order, any two tokens; it also puts spaces around punctuation, as there. */
export const swapAnyTokens: Draw = (phrase, random) => {
  const tokens = phrase.match(wordOrMarks) ?? [];
  if (tokens.length < 2) return undefined;
  const first = Math.floor(random() * tokens.length);
  const second = (first + 1 + Math.floor(random() * (tokens.length - 1))) % tokens.length;
  if (tokens[first] === tokens[second]) return undefined;
  [tokens[first], tokens[second]] = [tokens[second], tokens[first]];
  return tokens.join(" ");
};
