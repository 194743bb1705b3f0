/**
 * Columns that together hold what one column of the other table holds: "first name" and "last name" hold a "full name", a
 * street, a house number and a city hold an address. They are compared as one column, "first name + last name".
 */
import { inOneScript } from "../cells/one-script.js";
import { type AlignedNames, alignHeaders, type ColumnNames, type TableColumns } from "./align.js";
import { cellsOfColumn, partSeparator, partsOfColumn, readPairOf } from "./column-names.js";
import { areAlike, type Content, contentOf, mostValues } from "./content.js";
import { type ColumnOptions, usableColumns } from "./fields.js";
import { inOrder, partsOfWhole } from "./parts-of-whole.js";
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
  const names = options.on === undefined ? foundNames(given, options) : askedNames(options.on, given);
  return { left: withColumns(given.left, names.left), right: withColumns(given.right, names.right) };
}

function askedNames(on: readonly string[], { left, right }: TwoTables): ColumnNames {
  const pairs = on.map((text) => readPairOf(text, left, right));
  return { left: pairs.map(([name]) => name), right: pairs.map(([, other]) => other) };
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
