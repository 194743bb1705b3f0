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
  const found = alignContents({ left, right }, rest, (content, other) => {
    const [overlap, agreement] = [overlapOf(content, other), agreementOf(content.words, other.words)];
    const isLikely =
      overlap >= leastOverlap && (agreement >= leastAgreement || haveRareValues(content, other, overlap));
    return isLikely ? overlap + 0.2 * agreement : undefined;
  });
  return [...aligned, ...found];
}

/** The least agreement of words of columns without a common value. */
const leastLikeness = 0.5;

/** Further pairs of columns of text whose words are the same, though no cell is: "Parry, Derek L." and "D. Parry". */
export const alignWords = (left: TableColumns, right: TableColumns, names: ColumnNames): AlignedNames[] =>
  alignContents({ left, right }, names, ({ words }, other) => {
    const agreement = agreementOf(words, other.words);
    return agreement >= leastLikeness ? agreement : undefined;
  });

/**
 * Pairs of columns by what they hold, the best first, of equally good ones the first. Each column is in one pair at most.
 * @param scoreOf undefined for columns that do not belong together
 */
function alignContents(
  { left, right }: Readonly<Record<"left" | "right", TableColumns>>,
  names: ColumnNames,
  scoreOf: (content: Content, other: Content) => number | undefined,
): AlignedNames[] {
  if (names.left.length === 0) return [];
  const contents = names.right.map((name) => [name, contentOf(right[name])] as const);
  const scored = names.left.flatMap((name) => {
    const content = contentOf(left[name]);
    return contents.map(([other, ofOther]) => [name, other, scoreOf(content, ofOther) ?? -1] as const);
  });
  const taken = [new Set<string>(), new Set<string>()];
  const aligned: AlignedNames[] = [];
  for (const [name, other, score] of scored.sort(([, , a], [, , b]) => b - a)) {
    if (score < 0 || taken[0].has(name) || taken[1].has(other)) continue;
    taken[0].add(name);
    taken[1].add(other);
    aligned.push([name, other]);
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
