/** Counts texts of which most occur once: a map of all of them would take gigabytes, and has room for 16 million. */
import { Growing } from "./growing.js";
import { TextNumbers, textAt } from "./texts.js";

/** The texts that occur at least so often, and how often. @param leastOf asked when all are counted */
export function frequentTexts(texts: Iterable<string>, leastOf: () => number): Map<string, number> {
  const numbers = new TextNumbers();
  const counts = new Growing(Uint32Array);
  for (const text of texts) {
    const number = numbers.numberOf(text, () => counts.push(0));
    counts.numbers[number]++;
  }
  const found = new Map<string, number>();
  const [all, least] = [numbers.texts(), leastOf()];
  counts.added().forEach((count, number) => {
    if (count >= least) found.set(textAt(all, number), count);
  });
  return found;
}
