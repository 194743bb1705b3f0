/**
 * Columns that together hold what one column of the other table holds: "first name" and "last name" hold a "full name", a
 * street, a house number and a city hold an address. They are compared as one column, "first name + last name".
 */
import { isLikeArray, likeArray } from "../../like-array.js";
import {
  type AlignedNames,
  agreementOf,
  alignHeaders,
  type Content,
  contentOf,
  leastAgreement,
  leastOverlap,
  mostValues,
  overlapOf,
  type TableColumns,
  wordsOfCell,
} from "./align.js";
import { type ColumnOptions, fieldKind, namingField } from "./fields.js";
import { type ColumnProfile, isText, profileColumn } from "./profile.js";

/** Two tables to compare. */
export interface TwoTables {
  readonly left: TableColumns;
  readonly right: TableColumns;
}

/** The least agreement of a part's words with those of the whole, of which it has some only. */
const leastPart = 0.1;
/** How much nearer a part must bring the words to those of the whole. */
const leastNearer = 0.01;
const mostParts = 4;
/** How much more of the whole's values all parts must give than one of them. */
const leastGain = 1.5;
/** The same where one of them has the whole's header. */
const leastOwnGain = 3;

/** The least agreement of all parts' words with those of a whole whose cells they never are, and how many times that of one part. */
const leastAlike = 0.5;
const leastNearing = 1.3;

export const partSeparator = " + ";

/** The columns that a name lists: itself where it is one. */
export const partsOfName = (name: string, columns: readonly string[]): readonly string[] =>
  columns.includes(name) ? [name] : name.split(partSeparator);

/** The columns that a column of a table is made of: itself, or those that its name lists; none where some are missing. */
export function partsOfColumn(table: TableColumns, name: string): readonly string[] {
  const parts = partsOfName(name, Object.keys(table));
  return parts.every((part) => Object.hasOwn(table, part)) ? parts : [];
}

/** The cells of a column, or of several as one. @throws TypeError for a column that the table lacks */
export function cellsOfColumn(table: TableColumns, name: string): readonly string[] {
  return cellsOfParts(table, partsOfColumn(table, name));
}

function cellsOfParts(table: TableColumns, parts: readonly string[]): readonly string[] {
  const columns = parts.map((part) => table[part]);
  const [first, ...others] = columns;
  if (others.length === 0) return first;
  const at = (row: number): string => {
    const filled = columns.map((cells) => cells[row].trim()).filter((cell) => cell !== "");
    return filled.join(" ");
  };
  // Cells that lie in a file stay there.
  return columns.some(isLikeArray) ? likeArray(first.length, at) : Array.from(first, (_, row) => at(row));
}

const composed = new WeakSet<TableColumns>();

/**
 * The tables with the columns to compare that are made of several, in place of these: those that `on` names, or, without
 * it, those that are found.
 */
export function composedTables({ left, right }: TwoTables, options: ColumnOptions): TwoTables {
  if (composed.has(left) && composed.has(right)) return { left, right };
  const names = options.on === undefined ? foundNames({ left, right }, options) : askedNames(options.on);
  const tables = { left: withColumns(left, names.left), right: withColumns(right, names.right) };
  composed.add(tables.left).add(tables.right);
  return tables;
}

interface Names {
  readonly left: readonly string[];
  readonly right: readonly string[];
}

function askedNames(on: readonly string[]): Names {
  const pairs = on.map((text) => text.split("="));
  return { left: pairs.map(([name]) => name), right: pairs.map(([name, other = name]) => other) };
}

function withColumns(table: TableColumns, names: readonly string[]): TableColumns {
  const columns = Object.keys(table);
  const made = names
    .map((name) => ({ name, parts: partsOfColumn(table, name) }))
    .filter(({ parts }) => parts.length > 1);
  const entries = columns.flatMap((column) => {
    // Where its first part was.
    const here = made.filter(({ parts }) => columns.find((other) => parts.includes(other)) === column);
    const isKept = names.includes(column) || !made.some(({ parts }) => parts.includes(column));
    const kept = [...new Set(here.map(({ name }) => name)), ...(isKept ? [column] : [])];
    return kept.map((name) => [name, cellsOfColumn(table, name)] as const);
  });
  return Object.fromEntries(entries);
}

function foundNames({ left, right }: TwoTables, options: ColumnOptions): Names {
  const [first, second] = [usableColumns(left, options), usableColumns(right, options)];
  const { aligned, rest } = alignHeaders({ left: first.names, right: second.names });
  if (rest.left.length + rest.right.length === 0) return { left: [], right: [] };
  const contents = new Map<readonly string[], Content>();
  const content = (cells: readonly string[]): Content => {
    const known = contents.get(cells) ?? contentOf(cells);
    contents.set(cells, known);
    return known;
  };
  const turned = aligned.map(([name, other]): AlignedNames => [other, name]);
  return {
    left: wholes(
      { table: left, names: rest.left, aligned },
      { ...second, table: right, names: rest.right },
      content,
    ),
    right: wholes(
      { table: right, names: rest.right, aligned: turned },
      { ...first, table: left, names: rest.left },
      content,
    ),
  };
}

/** The least number of words in a code that may be a whole, such as "58627 Calw". */
const leastWords = 1.5;

interface UsableColumns {
  readonly names: readonly string[];
  /** Those that may be made of several. */
  readonly texts: ReadonlySet<string>;
  /** The one that names the rows. */
  readonly naming: string | undefined;
}

function usableColumns(
  table: TableColumns,
  { ignore = [], kindOf, profileOf = profileColumn }: ColumnOptions,
): UsableColumns {
  const names = Object.keys(table).filter((name) => !ignore.includes(name));
  const profiles = names.map((name) => ({ name, other: name, profile: profileOf(name, table[name]) }));
  // A million codes are no part of anything, and their words take much memory.
  const isPart = ({ kind, distinct }: ColumnProfile): boolean => isText(kind) || distinct <= mostValues;
  const usable = profiles.filter(({ profile }) => profile.dropped === undefined && isPart(profile));
  const fields = usable.map((field) => ({ ...field, kind: fieldKind(field, kindOf) }));
  const isWhole = ({ kind, profile }: (typeof fields)[number]): boolean =>
    isText(kind) || (kind === "code" && profile.shares.words >= leastWords);
  return {
    names: fields.map(({ name }) => name),
    texts: new Set(fields.filter(isWhole).map(({ name }) => name)),
    naming: fields[namingField(fields)]?.name,
  };
}

/**
 * The names of columns of a table that together are a column of the other one, and of those of them that stay beside it.
 * Each column is a part of one at most.
 */
function wholes(
  {
    table,
    names,
    aligned,
  }: { table: TableColumns; names: readonly string[]; aligned: readonly AlignedNames[] },
  other: UsableColumns & { readonly table: TableColumns },
  content: (cells: readonly string[]) => Content,
): string[] {
  // A name with the separator cannot be read back as a part.
  const isPart = (name: string): boolean => !name.includes(partSeparator);
  const free = new Set(names.filter(isPart));
  const found: string[] = [];
  // A German "Name" may be the family name in one table, and the whole name in the other.
  const namesake = aligned.find(([part, name]) => name === other.naming && isPart(part));
  const others = other.names.filter((name) => other.texts.has(name));
  for (const name of namesake === undefined ? others : [namesake[1], ...others]) {
    const own = name === namesake?.[1] ? namesake[0] : undefined;
    const candidates = own === undefined ? [...free] : [own, ...free];
    if (candidates.length < 2) continue;
    const whole = content(other.table[name]);
    const parts = partsOfWhole(new Map(candidates.map((part) => [part, content(table[part])])), whole);
    const choices = parts.slice(1).map((_, place) => {
      const columns = parts.slice(0, place + 2);
      const all = contentOf(cellsOfParts(table, columns));
      return { columns, agreement: agreementOf(all.words, whole.words), overlap: overlapOf(all, whole) };
    });
    if (choices.length === 0) continue;
    const best = choices.reduce((a, b) => (b.overlap > a.overlap ? b : a));
    const mostOf = (columns: readonly string[], measure: (part: Content) => number): number =>
      Math.max(...columns.map((part) => measure(content(table[part]))));
    const overlap = (part: Content): number => overlapOf(part, whole);
    const gain = own === undefined ? leastGain : leastOwnGain;
    const isEqual = best.overlap >= Math.max(leastOverlap, gain * mostOf(best.columns, overlap));
    // Where hardly a cell is written alike, the words decide. Those of several columns of one kind, such as sender and
    // receiver, agree more than those of one with a column of that kind, which has cells of each.
    const all = choices[choices.length - 1];
    const nearest = mostOf(all.columns, ({ words }) => agreementOf(words, whole.words));
    const isAlike =
      Math.max(best.overlap, mostOf(all.columns, overlap)) < leastOverlap &&
      all.agreement >= Math.max(leastAlike, leastNearing * nearest);
    if (!isEqual && (!isAlike || own !== undefined)) continue;
    const { columns } = isEqual ? best : all;
    if (own !== undefined && !columns.includes(own)) continue;
    // A city that is a part of an address stays beside it where the other table has a column of towns, too.
    const isOf = (part: string, column: string): boolean => {
      const [a, b] = [content(table[part]), content(other.table[column])];
      return overlapOf(a, b) >= leastOverlap && agreementOf(a.words, b.words) >= leastAgreement;
    };
    const isKept = (part: string): boolean =>
      part !== own && other.names.some((column) => column !== name && isOf(part, column));
    const ordered = Object.keys(table).filter((column) => columns.includes(column));
    found.push(inOrder(table, ordered, other.table[name], whole).join(partSeparator));
    found.push(...columns.filter(isKept));
    for (const part of columns) free.delete(part);
  }
  return found;
}

/** Columns whose words together are distributed as a whole's, each of which brings them nearer to it, the most like it first. */
function partsOfWhole(columns: ReadonlyMap<string, Content>, whole: Content): string[] {
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
function inOrder(
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
