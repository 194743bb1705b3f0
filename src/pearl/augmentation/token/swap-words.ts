/** The paper's rule of swapped words, at token granularity. */
import type { Random } from "../../../random.js";
import { type DrawnRule, pick } from "../rule.js";
import type { ResolvedSettings } from "../settings.js";

/** A word without the punctuation around it: `core` of `(Smith,` is `Smith`. */
const core = /[\p{L}\p{N}](?:.*[\p{L}\p{N}])?/u;
/** nltk's wordpunct tokens, which the published code swaps. */
const wordOrMarks = /[\p{L}\p{N}_]+|[^\p{L}\p{N}_\s]+/gu;

/** Swaps two words: neighbours, with the punctuation left in its place; or as in the published code any two tokens. */
export function swapWordsRule({ wordSwap }: Pick<ResolvedSettings, "wordSwap">): DrawnRule {
  return {
    name: "swap-words",
    granularity: "token",
    draw: wordSwap === "any" ? swapAnyTokens : swapNeighbours,
  };
}

function swapNeighbours(phrase: string, random: Random): string | undefined {
  const words = phrase.split(" ");
  if (words.length < 2) return undefined;
  const cores = words.map((word) => core.exec(word)?.[0] ?? "");
  const able: number[] = [];
  for (let index = 0; index + 1 < words.length; index++) {
    const [left, right] = [cores[index], cores[index + 1]];
    if (left !== "" && right !== "" && left !== right) able.push(index);
  }
  if (able.length === 0) return undefined;
  const index = pick(able, random);
  const [left, right] = [cores[index], cores[index + 1]];
  words[index] = words[index].replace(left, () => right);
  words[index + 1] = words[index + 1].replace(right, () => left);
  return words.join(" ");
}

/** The published change_word_order; it also puts spaces around punctuation, as there. One token cannot be swapped. */
function swapAnyTokens(phrase: string, random: Random): string | undefined {
  const tokens = phrase.match(wordOrMarks) ?? [];
  if (tokens.length < 2) return undefined;
  const first = Math.floor(random() * tokens.length);
  const second = (first + 1 + Math.floor(random() * (tokens.length - 1))) % tokens.length;
  if (tokens[first] === tokens[second]) return undefined;
  [tokens[first], tokens[second]] = [tokens[second], tokens[first]];
  return tokens.join(" ");
}
