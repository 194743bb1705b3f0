/** Finds right rows that share a left row without being the same: species that match the name of their genus. */
import { groupBy } from "../../by-key.js";
import { cellWords, hasDigit } from "../../match/cells/cell-words.js";
import type { RowMatch } from "../../match/compare-tables.js";
import { softLikeness } from "../../match/spelling/soft-words.js";

/** Shorter words are initials, articles and forms; of other scripts two letters are a word. */
const shortest = 3;
const otherScript = /^[^\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]{2}/u;
/** Right texts that are compared with each other, of one left row. */
const most = 50;

/**
 * The matches of a left row that contradict each other: each of two right rows has a word that is like none of the other's
 * and none of the left row's. They are different things, and the left row is more general than both.
 */
export function siblings(
  matches: readonly RowMatch[],
  { left, right }: { readonly left: readonly string[]; readonly right: readonly string[] },
): Set<RowMatch> {
  const found = new Set<RowMatch>();
  for (const [row, own] of groupBy(matches, (match) => match.left)) {
    const texts = [...groupBy(own, (match) => right[match.right])].slice(0, most);
    if (texts.length < 2) continue;
    const base = wordsOf(left[row]);
    const further = texts.map(([text]) => without(wordsOf(text), base));
    texts.forEach(([, rows], place) => {
      const isOpposed = further.some(
        (other) => without(other, further[place]).length > 0 && without(further[place], other).length > 0,
      );
      if (isOpposed) for (const match of rows) found.add(match);
    });
  }
  return found;
}

const wordsOf = (text: string): string[] =>
  cellWords(text).filter((word) => word.length >= shortest || hasDigit(word) || otherScript.test(word));

/** The words that are like none of the others. */
const without = (words: readonly string[], others: readonly string[]): string[] =>
  words.filter((word) => !others.some((other) => word === other || softLikeness(word, other) > 0));
