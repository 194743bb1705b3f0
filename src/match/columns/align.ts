/** Aligns the columns of two tables: by header where headers agree, else by what the cells hold. */
import { agreementOf, type Content, contentOf, leastAgreement, leastOverlap, overlapOf } from "./content.js";

/** A table in memory: cells by column name, "" where empty. */
export type TableColumns = Readonly<Record<string, readonly string[]>>;

/** Names of a left and a right column that hold the same. */
export type AlignedNames = readonly [string, string];

/** Names of columns of two tables. */
export interface ColumnNames {
  readonly left: readonly string[];
  readonly right: readonly string[];
}

/** In how far headers agree, best first: as they are; without case and spaces; their letters and digits, of those that have any. */
const forms: readonly ((name: string) => string)[] = [
  (name) => name,
  (name) => name.toLowerCase().replace(/\s/g, ""),
  (name) => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "") || name,
];

/** Columns with the same header, best first, and the others. */
export function alignHeaders(names: ColumnNames): { aligned: AlignedNames[]; rest: ColumnNames } {
  const open = new Set(names.right);
  const taken = new Set<string>();
  const aligned: AlignedNames[] = [];
  for (const form of forms)
    for (const name of names.left) {
      if (taken.has(name)) continue;
      const other = [...open].find((candidate) => form(candidate) === form(name));
      if (other === undefined) continue;
      open.delete(other);
      taken.add(name);
      aligned.push([name, other]);
    }
  return { aligned, rest: { left: names.left.filter((name) => !taken.has(name)), right: [...open] } };
}

/** Pairs of column names, best first. Each column is in one pair at most. */
export function alignColumns(left: TableColumns, right: TableColumns, names: ColumnNames): AlignedNames[] {
  const { aligned, rest } = alignHeaders(names);
  if (rest.left.length === 0) return aligned;
  const contents = new Map(rest.right.map((name) => [name, contentOf(right[name])] as const));
  const scored = rest.left.flatMap((name) => {
    const content = contentOf(left[name]);
    return [...contents].flatMap(([other, otherContent]) => {
      const overlap = overlapOf(content, otherContent);
      const agreement = agreementOf(content.words, otherContent.words);
      const isLikely =
        overlap >= leastOverlap &&
        (agreement >= leastAgreement || haveRareValues(content, otherContent, overlap));
      return isLikely ? [{ names: [name, other] as const, score: overlap + 0.2 * agreement }] : [];
    });
  });
  return [...aligned, ...greedily(scored)];
}

/** The least agreement of words of columns without a common value. */
const leastLikeness = 0.5;

/** Further pairs of columns of text whose words are the same, though no cell is: "Parry, Derek L." and "D. Parry". */
export function alignWords(left: TableColumns, right: TableColumns, names: ColumnNames): AlignedNames[] {
  if (names.left.length === 0) return [];
  const contents = new Map(names.right.map((name) => [name, contentOf(right[name])] as const));
  const scored = names.left.flatMap((name) => {
    const content = contentOf(left[name]);
    return [...contents].map(([other, { words }]) => ({
      names: [name, other] as const,
      score: agreementOf(content.words, words),
    }));
  });
  return greedily(scored.filter(({ score }) => score >= leastLikeness));
}

/** Pairs of columns, the best first, of equally good ones the first. Each column is in one pair at most. */
function greedily(
  scored: readonly { readonly names: AlignedNames; readonly score: number }[],
): AlignedNames[] {
  const sorted = [...scored].sort((a, b) => b.score - a.score);
  const [takenLeft, takenRight] = [new Set<string>(), new Set<string>()];
  const aligned: AlignedNames[] = [];
  for (const { names } of sorted) {
    if (takenLeft.has(names[0]) || takenRight.has(names[1])) continue;
    takenLeft.add(names[0]);
    takenRight.add(names[1]);
    aligned.push(names);
  }
  return aligned;
}

/** So many equal values, in columns with this share of different ones, are not equal by chance. */
const fewestCommon = 20;
const mostlyDifferent = 0.8;

/**
 * Whether two columns of single words, nearly all different, have more values in common than chance gives. Their words agree
 * little where few rows have a partner. Numbers from a narrow range are often equal by chance.
 */
function haveRareValues(a: Content, b: Content, overlap: number): boolean {
  const isRare = (content: Content): boolean => {
    const { values, every, total, cells } = content;
    return total < 1.2 * cells && values.size * every >= mostlyDifferent * cells && isWide(content);
  };
  return (
    overlap * Math.min(a.values.size * a.every, b.values.size * b.every) >= fewestCommon &&
    isRare(a) &&
    isRare(b)
  );
}

/** Whether values are not all numbers, or numbers from a range that holds 1,000 times as many. */
function isWide({ values, every }: Content): boolean {
  let [least, most] = [Infinity, -Infinity];
  for (const value of values) {
    const number = Number(value);
    if (Number.isNaN(number)) return true;
    least = Math.min(least, number);
    most = Math.max(most, number);
  }
  return most - least >= 1000 * values.size * every;
}
