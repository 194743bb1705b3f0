/** Finds the columns of a table that together hold what a column of another table holds. */
import type { TableColumns } from "./align.js";
import { cellsOfParts } from "./column-names.js";
import {
  agreementOf,
  type Content,
  contentOf,
  leastAgreement,
  leastOverlap,
  overlapOf,
  wordsOfCell,
} from "./content.js";

/** The least agreement of a part's words with those of the whole. */
const leastPart = 0.1;
/** How much nearer a part must bring the words to those of the whole. */
const leastNearer = 0.01;
const mostParts = 4;
/** How many times as many of the whole's values all parts must give as one of them. */
const leastGain = 1.5;
/** The same where one of them has the whole's header. */
const leastOwnGain = 3;
/** Where no cell is written as the whole is: the least agreement of all parts' words, and how many times that of one part. */
const leastAlike = 0.5;
const leastNearing = 1.3;
/**
 * The columns that together hold what a whole holds, more of it than one of them; undefined where none do.
 * @param namesake the one that has the whole's header, and must be among them
 */
export function partsOfWhole(
  table: TableColumns,
  columns: ReadonlyMap<string, Content>,
  whole: Content,
  namesake: string | undefined,
): readonly string[] | undefined {
  const nearing = nearingColumns(columns, whole);
  if (nearing.length < 2) return undefined;
  const choices = nearing.slice(1).map((_, place) => {
    const parts = nearing.slice(0, place + 2);
    const all = contentOf(cellsOfParts(table, parts));
    return { parts, agreement: agreementOf(all.words, whole.words), overlap: overlapOf(all, whole) };
  });
  const mostOf = (parts: readonly string[], measure: (part: Content) => number): number =>
    Math.max(...parts.map((part) => measure(columns.get(part)!)));
  const overlap = (part: Content): number => overlapOf(part, whole);
  const best = choices.reduce((a, b) => (b.overlap > a.overlap ? b : a));
  const gain = namesake === undefined ? leastGain : leastOwnGain;
  if (best.overlap >= Math.max(leastOverlap, gain * mostOf(best.parts, overlap)))
    return namesake === undefined || best.parts.includes(namesake) ? best.parts : undefined;
  // Where hardly a cell is written alike, the words decide. Those of several columns of one kind, such as sender and
  // receiver, agree more than those of one with a column of that kind, which has cells of each.
  const all = choices[choices.length - 1];
  const nearest = mostOf(all.parts, ({ words }) => agreementOf(words, whole.words));
  const isWritten = Math.max(best.overlap, mostOf(all.parts, overlap)) >= leastOverlap;
  const isAlike = all.agreement >= Math.max(leastAlike, leastNearing * nearest);
  return namesake === undefined && !isWritten && isAlike ? all.parts : undefined;
}

/** Columns whose words together are distributed as a whole's, each of which brings them nearer to it, the most like it first. */
function nearingColumns(columns: ReadonlyMap<string, Content>, whole: Content): string[] {
  const open = new Map([...columns].filter(([, { words }]) => agreementOf(words, whole.words) >= leastPart));
  const parts: string[] = [];
  let sum: Pick<Content, "words" | "total"> = { words: new Map(), total: 0 };
  let agreement = 0;
  while (open.size > 0 && parts.length < mostParts) {
    const [next] = [...open]
      .map(([name, content]) => {
        const both = together(sum, content);
        return { name, both, agreement: agreementOf(both.words, whole.words) };
      })
      .sort((a, b) => b.agreement - a.agreement || (a.name < b.name ? -1 : 1));
    if (next.agreement < agreement + leastNearer) break;
    parts.push(next.name);
    open.delete(next.name);
    ({ both: sum, agreement } = next);
  }
  return agreement >= leastAgreement ? parts : [];
}

function together(
  { words, total }: Pick<Content, "words" | "total">,
  other: Content,
): Pick<Content, "words" | "total"> {
  const all = total + other.total;
  const shares = new Map([...words].map(([word, share]) => [word, (share * total) / all]));
  for (const [word, share] of other.words)
    shares.set(word, (shares.get(word) ?? 0) + (share * other.total) / all);
  return { words: shares, total: all };
}

/** The parts in the order in which most cells of the whole have them, or else in that of the table. */
export function inOrder(
  table: TableColumns,
  parts: readonly string[],
  cells: readonly string[],
  whole: Content,
): readonly string[] {
  const isKept = (words: readonly string[]): boolean => whole.values.has(words.toSorted().join(" "));
  const texts = new Set<string>();
  for (const cell of cells) {
    const words = wordsOfCell(cell);
    if (isKept(words)) texts.add(words.join(" "));
  }
  const orders = permutations(parts).map((order) => ({ order, count: 0 }));
  for (let row = 0; row < table[parts[0]].length; row++) {
    const words = new Map(parts.map((part) => [part, wordsOfCell(table[part][row])]));
    if (!isKept([...words.values()].flat())) continue;
    for (const one of orders)
      if (texts.has(one.order.flatMap((part) => words.get(part)!).join(" "))) one.count++;
  }
  return orders.reduce((a, b) => (b.count > a.count ? b : a)).order;
}

const permutations = (items: readonly string[]): (readonly string[])[] =>
  items.length < 2
    ? [items]
    : items.flatMap((item) =>
        permutations(items.filter((other) => other !== item)).map((rest) => [item, ...rest]),
      );
