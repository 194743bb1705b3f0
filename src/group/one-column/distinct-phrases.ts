/** The different phrases of a column, and the way back from groups of them to groups of rows. */
import { likeArray } from "../../like-array.js";
import { isFilled } from "../../match/cells/cell-words.js";
import { inverse } from "../../match/columns/canonical.js";
import { sortedTexts, TextNumbers, textReader } from "../../match/columns/texts.js";
import { numberValue, readJoinPhrase } from "../../match/evidence/phrase.js";
import { once } from "../../match/once.js";
import { chosenPlaces } from "../../match/weights/chosen-places.js";
import { placesByNumber } from "../../places-by-number.js";
import { umlautSpelling } from "../../text/accents.js";
import { withUsualForm } from "../../text/phrase-terms.js";
import { oneLine } from "../../text/visible.js";

/** Of numbered phrases, enough are compared that the cosine of unrelated phrases is that of the table. */
const LEAST_COMPARED = 5_000;

export type DistinctPhrases = ReturnType<typeof distinctPhrases>;

/**
 * The distinct phrases, how often each occurs, and which of them are numbered. `nodeOf` is per row its place among them; -1
 * for a row that says nothing. Those that are alone follow the compared ones, and cannot belong to a group with
 * another.
 * @param weights number of occurrences that each row stands for
 * @param mayBeNumbered whether phrases with different numbers are sure to differ
 */
export function distinctPhrases(
  phrases: readonly string[],
  weights: ArrayLike<number> | undefined,
  mayBeNumbered: boolean,
) {
  const texts = new TextNumbers();
  const spelled = umlautSpelling(phrases);
  const nodeOf = Int32Array.from({ length: phrases.length }, (_, row) => {
    const text = withUsualForm(oneLine(spelled(phrases[row])));
    return isFilled(text) ? texts.numberOf(text) : -1;
  });
  // In the order of the texts, so that nothing depends on that of the rows.
  const order = sortedTexts(texts.texts());
  const rank = inverse(order);
  nodeOf.forEach((text, row) => {
    if (text >= 0) nodeOf[row] = rank[text];
  });
  const textOf = textReader(texts.texts());
  const read = (place: number): string => textOf(order[place]);
  const { isNumbered, numbers, isAlone } = numberedPhrases(mayBeNumbered ? likeArray(texts.size, read) : []);
  let missing = LEAST_COMPARED - chosenPlaces(texts.size, (text) => isAlone[text] !== 1).length;
  const isCompared = Uint8Array.from({ length: texts.size }, (_, text) =>
    isAlone[text] !== 1 || missing-- > 0 ? 1 : 0,
  );
  const compared = chosenPlaces(texts.size, (text) => isCompared[text] === 1);
  const alone = chosenPlaces(texts.size, (text) => isCompared[text] === 0);
  const nodes = new Int32Array(texts.size);
  for (const [node, text] of compared.entries()) nodes[text] = node;
  for (const [place, text] of alone.entries()) nodes[text] = compared.length + place;
  const counts = new Float64Array(texts.size);
  nodeOf.forEach((text, row) => {
    if (text < 0) return;
    nodeOf[row] = nodes[text];
    counts[nodeOf[row]] += weights?.[row] ?? 1;
  });
  return {
    compared: likeArray(compared.length, (node) => read(compared[node])),
    alone: likeArray(alone.length, (place) => read(alone[place])),
    ...{ nodeOf, counts },
    numbered: {
      isNumbered: Uint8Array.from(compared, (text) => isNumbered[text] ?? 0),
      numbers: Int32Array.from(compared, (text) => numbers[text] ?? 0),
    },
  };
}

/** Groups of distinct phrases. */
interface NodeGroups {
  readonly groups: Int32Array;
  /** By group. */
  readonly representatives: Int32Array;
}

/** Adds a group of its own for each phrase that was not compared. @param size number of all phrases */
export function withAlone({ groups, representatives }: NodeGroups, size: number): NodeGroups {
  const all = new Int32Array(size);
  all.set(groups);
  const nodes = new Int32Array(representatives.length + size - groups.length);
  nodes.set(representatives);
  for (let step = 0; step < size - groups.length; step++) {
    all[groups.length + step] = representatives.length + step;
    nodes[representatives.length + step] = groups.length + step;
  }
  return { groups: all, representatives: nodes };
}

/** A group of rows. */
export interface PhraseGroup {
  /** Rows, ascending. */
  readonly rows: readonly number[];
  /** The row of the representative phrase. */
  readonly representative: number;
}

/** Groups of rows, ordered by first row. Rows that are empty, or hold a word for that (n/a, null, -), are groups of their own. */
export interface PhraseGroups {
  /** Made when it is first asked for, since it takes far more memory than the numbers below. */
  readonly groups: readonly PhraseGroup[];
  /** Those of two or more rows. */
  groupsOfSeveral(): PhraseGroup[];
  /** Group of each row. */
  readonly groupOf: Int32Array;
  /** By group, the row of the representative phrase. */
  readonly representatives: Int32Array;
  /** Similarity of each row to its representative: 1 for the same phrase. */
  readonly similarity: Float64Array;
  /** Similarity of any two rows, 0 to 1; with `k` the cosine of their embeddings. */
  similarityOf(a: number, b: number): number;
}

/** From groups of distinct phrases to groups of rows. */
export function phraseGroups(
  nodeOf: Int32Array,
  found: NodeGroups,
  similarityOf: (a: number, b: number) => number,
): PhraseGroups {
  const numbers = new Int32Array(found.representatives.length).fill(-1);
  let count = 0;
  const groupOf = nodeOf.map((node) => {
    if (node < 0) return count++;
    const group = found.groups[node];
    if (numbers[group] < 0) numbers[group] = count++;
    return numbers[group];
  });
  const representatives = new Int32Array(count).fill(-1);
  nodeOf.forEach((node, row) => {
    if (representatives[groupOf[row]] >= 0) return;
    if (node < 0 || found.representatives[found.groups[node]] === node) representatives[groupOf[row]] = row;
  });
  const similarityBetween = (a: number, b: number): number => {
    const [left, right] = [nodeOf[a], nodeOf[b]];
    if (left < 0 || right < 0) return 0;
    return left === right ? 1 : similarityOf(left, right);
  };
  const similarity = Float64Array.from(nodeOf, (node, row) =>
    node < 0 ? 1 : similarityBetween(row, representatives[groupOf[row]]),
  );
  const { starts, order } = placesByNumber(groupOf, count);
  const groupAt = (group: number): PhraseGroup => ({
    rows: [...order.subarray(starts[group], starts[group + 1])],
    representative: representatives[group],
  });
  const groups = once(() => Array.from(representatives.keys(), groupAt));
  return {
    get groups() {
      return groups();
    },
    groupsOfSeveral: () =>
      Array.from(
        chosenPlaces(count, (group) => starts[group + 1] - starts[group] > 1),
        groupAt,
      ),
    ...{ groupOf, representatives, similarity, similarityOf: similarityBetween },
  };
}

/**
 * So many phrases with the same words and different numbers, such as "Part 000123", count as numbered. Different numbers mean
 * different things (same-table.ts halves their similarity), so such a phrase can only mean one with the same numbers. Its
 * neighbours by embedding and by n-grams would all be other parts.
 */
const MANY = 1000;

export interface NumberedPhrases {
  /** Per phrase, 1 if at least `MANY` phrases have the same words apart from numbers, none in parentheses. */
  readonly isNumbered: Uint8Array;
  /** Per phrase: equal for phrases with equal sets of numbers outside parentheses. */
  readonly numbers: Int32Array;
}

/** Finds numbered phrases, and those of them that can mean no other phrase: no other has their numbers. */
export function numberedPhrases(
  phrases: readonly string[],
): NumberedPhrases & { readonly isAlone: Uint8Array } {
  const keys = new TextNumbers();
  const wordings = new Int32Array(phrases.length);
  const numbers = new Int32Array(phrases.length);
  const everyNumber = new Int32Array(phrases.length);
  for (let row = 0; row < phrases.length; row++) {
    const { words, aside } = readJoinPhrase(phrases[row]);
    const values = words.map(numberValue);
    const setOf = (isCounted: (place: number) => boolean): number =>
      keys.numberOf(
        `# ${[...new Set(values.filter((value, place) => value !== undefined && isCounted(place)))].sort().join(" ")}`,
      );
    numbers[row] = setOf((place) => !aside[place]);
    everyNumber[row] = setOf(() => true);
    const wording = words.filter((_, place) => values[place] === undefined).join(" ");
    const isPlain = values.some((value) => value !== undefined) && numbers[row] === everyNumber[row];
    wordings[row] = isPlain ? keys.numberOf(wording) : -1;
  }
  const rowsOf = new Int32Array(keys.size);
  for (const wording of wordings) if (wording >= 0) rowsOf[wording]++;
  const isNumbered = Uint8Array.from(wordings, (wording) =>
    wording >= 0 && rowsOf[wording] >= MANY ? 1 : 0,
  );
  const withNumbers = new Int32Array(keys.size);
  numbers.forEach((key, row) => {
    withNumbers[key]++;
    if (everyNumber[row] !== key) withNumbers[everyNumber[row]]++;
  });
  return {
    isNumbered,
    numbers,
    isAlone: isNumbered.map((is, row) => (withNumbers[numbers[row]] === 1 ? is : 0)),
  };
}

/** The phrases with the numbers of a phrase. */
export function sameNumbers({ numbers }: NumberedPhrases): (row: number) => Uint32Array {
  const { starts, order } = placesByNumber(numbers);
  return (row) => order.subarray(starts[numbers[row]], starts[numbers[row] + 1]);
}
