/**
 * Columns that together hold what one column of the other table holds: "first name" and "last name" hold a "full name", a
 * street, a house number and a city hold an address. They are compared as one column, "first name + last name".
 */
import { inOneScript } from "../cells/one-script.js";
import {
  type AlignedNames,
  agreementOf,
  alignHeaders,
  areAlike,
  type ColumnNames,
  type Content,
  contentOf,
  leastAgreement,
  leastOverlap,
  mostValues,
  overlapOf,
  type TableColumns,
  wordsOfCell,
} from "./align.js";
import {
  cellsOfColumn,
  cellsOfParts,
  hasAxes,
  ofAxis,
  partSeparator,
  partsOfColumn,
  readPairOf,
} from "./column-names.js";
import { haveAxes, withAxes, withDegrees } from "./coordinates.js";
import { dateParts } from "./date-parts.js";
import { type ColumnOptions, usableColumns } from "./fields.js";
import { isText } from "./profile.js";

export interface TwoTables {
  readonly left: TableColumns;
  readonly right: TableColumns;
}

/** The least number of words in a code that may be a whole, such as "58627 Calw". */
const leastWords = 1.5;

/** The tables as they are compared: in one script, and {@link composedTables}. */
export async function comparedTables(given: TwoTables, options: ColumnOptions): Promise<TwoTables> {
  const [left, right] = await inOneScript([given.left, given.right], options);
  return composedTables({ left, right }, options);
}

/**
 * The tables with the columns to compare that are made of several, in place of these: those that `on` names, or, without
 * it, those that are found.
 */
export function composedTables(given: TwoTables, options: ColumnOptions): TwoTables {
  const tables = bothCompared(given, options);
  const names = options.on === undefined ? foundNames(tables, options) : askedNames(options.on, tables);
  return { left: withColumns(tables.left, names.left), right: withColumns(tables.right, names.right) };
}

/** Coordinates in one column stay so where the other table has none, or `on` names columns and the other's are two. */
function bothCompared({ left, right }: TwoTables, options: ColumnOptions): TwoTables {
  const found = { left: asCompared(left, options), right: asCompared(right, options) };
  const isMade = (table: TableColumns, own: TableColumns): boolean =>
    Object.keys(table).some((name) => !Object.hasOwn(own, name) && Object.hasOwn(own, ofAxis(name)));
  const [made, madeRight] = [isMade(found.left, left), isMade(found.right, right)];
  const haveBoth = [found.left, found.right].every((table) => haveAxes(Object.keys(table)));
  if (made === madeRight ? haveBoth || !made : haveBoth && options.on === undefined) return found;
  const plain = (table: TableColumns): TableColumns => withDegrees(withDate(table, options));
  return { left: plain(left), right: plain(right) };
}

/** The table with one column for the year, the month and the day of a date, and with coordinates as two columns of numbers. */
export const asCompared = (table: TableColumns, options: ColumnOptions): TableColumns =>
  withDegrees(withAxes(withDate(table, options), options));

/** Joins the columns of year, month and day into one date. Compared apart, a slip in one would count like another name. */
export function withDate(table: TableColumns, { on, ignore = [], kindOf = {} }: ColumnOptions): TableColumns {
  const parts = on === undefined ? dateParts(table) : undefined;
  const isApart = (name: string): boolean => ignore.includes(name) || Object.hasOwn(kindOf, name);
  if (parts === undefined || parts.some(isApart)) return table;
  return withColumns(table, [parts.join(partSeparator)]);
}

function askedNames(on: readonly string[], { left, right }: TwoTables): ColumnNames {
  const pairs = on.map((text) => readPairOf(text, left, right));
  return { left: pairs.map(([name]) => name), right: pairs.map(([, other]) => other) };
}

function withColumns(table: TableColumns, names: readonly string[]): TableColumns {
  const columns = Object.keys(table);
  const made = names
    .map((name) => ({ name, parts: partsOfColumn(table, name) }))
    .filter(({ name, parts }) => parts.length > 1 && !hasAxes(table, name));
  const entries = columns.flatMap((column) => {
    // Where its first part was.
    const here = made.filter(({ parts }) => columns.find((other) => parts.includes(other)) === column);
    const isKept = names.includes(column) || !made.some(({ parts }) => parts.includes(column));
    const kept = [...new Set(here.map(({ name }) => name)), ...(isKept ? [column] : [])];
    return kept.map((name) => [name, cellsOfColumn(table, name)] as const);
  });
  return Object.fromEntries(entries);
}

/** A table's columns that may be parts, those of them that may be wholes, and the one that names the rows. */
interface Candidates {
  readonly table: TableColumns;
  readonly names: readonly string[];
  readonly wholes: readonly string[];
  readonly naming: string | undefined;
}

function foundNames({ left, right }: TwoTables, options: ColumnOptions): ColumnNames {
  const [first, second] = [candidates(left, options), candidates(right, options)];
  const { aligned, rest } = alignHeaders({ left: first.names, right: second.names });
  if (rest.left.length + rest.right.length === 0) return rest;
  const contents = new Map<readonly string[], Content>();
  const content = (cells: readonly string[]): Content => {
    const known = contents.get(cells) ?? contentOf(cells);
    contents.set(cells, known);
    return known;
  };
  const turned = aligned.map(([name, other]): AlignedNames => [other, name]);
  const [ofLeft, ofRight] = [
    { ...first, names: rest.left },
    { ...second, names: rest.right },
  ];
  return {
    left: composedNames(ofLeft, ofRight, aligned, content),
    right: composedNames(ofRight, ofLeft, turned, content),
  };
}

function candidates(table: TableColumns, options: ColumnOptions): Candidates {
  const { names, texts, profiles, lone } = usableColumns(table, options);
  const isWhole = (name: string): boolean => {
    const { kind, shares } = profiles.get(name)!;
    return texts.includes(name) || (kind === "code" && shares.words >= leastWords);
  };
  // A column of so many different codes is no part of a text, and its words would take much memory.
  const isPart = (name: string): boolean => {
    const { kind, distinct } = profiles.get(name)!;
    return isText(kind) || distinct <= mostValues;
  };
  return { table, names: names.filter(isPart), wholes: names.filter(isWhole), naming: lone.naming };
}

/**
 * The names of columns of a table that together are a column of the other one, and of those of them that stay beside it.
 * Each column is a part of one at most.
 * @param own the columns without a namesake in the other table
 * @param other the same of the other table
 * @param aligned the columns with a namesake
 */
function composedNames(
  own: Candidates,
  other: Candidates,
  aligned: readonly AlignedNames[],
  content: (cells: readonly string[]) => Content,
): string[] {
  const { table } = own;
  // A name with the separator cannot be read back as a part.
  const isPart = (name: string): boolean => !name.includes(partSeparator);
  const free = new Set(own.names.filter(isPart));
  const found: string[] = [];
  const compose = (name: string, namesake?: string): void => {
    const names = namesake === undefined ? [...free] : [namesake, ...free];
    const whole = content(other.table[name]);
    const columns = partsOfWhole(
      table,
      new Map(names.map((part) => [part, content(table[part])])),
      whole,
      namesake,
    );
    if (columns === undefined) return;
    const ordered = Object.keys(table).filter((column) => columns.includes(column));
    // A city that is a part of an address stays beside it where the other table has a column of towns, too.
    const isKept = (part: string): boolean =>
      part !== namesake &&
      other.names.some(
        (column) => column !== name && areAlike(content(table[part]), content(other.table[column])),
      );
    found.push(
      inOrder(table, ordered, other.table[name], whole).join(partSeparator),
      ...columns.filter(isKept),
    );
    for (const part of columns) free.delete(part);
  };
  // A German "Name" may be the family name in one table, and the whole name in the other.
  const namesake = aligned.find(([part, name]) => name === other.naming && isPart(part));
  if (namesake !== undefined && free.size > 0) compose(namesake[1], namesake[0]);
  for (const name of other.names) if (free.size > 1 && other.wholes.includes(name)) compose(name);
  return found;
}

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
