/** Golden records: one record for each thing, its cells chosen among those of its rows by a rule for each column. */
import { groupBy } from "../by-key.js";
import { TableError } from "../errors.js";
import { isFilled } from "../match/cells/cell-words.js";
import { momentOf } from "../match/cells/dates.js";
import { cellNumber, readNumber } from "../match/cells/numbers.js";
import { phoneDigits } from "../match/cells/phones.js";
import { type ColumnOptions, fieldKind } from "../match/columns/fields.js";
import { profileColumn } from "../match/columns/profile.js";
import { type Cell, isPlain, type OutputColumn, textOfCell } from "../table/cell.js";
import { findColumn, listed } from "../table/columns.js";
import type { WholeTable } from "../table/whole-table.js";
import { partsOfRule, type SurvivorRule, type SurvivorRules } from "./survivor-rules.js";

export interface GoldenOptions extends Pick<ColumnOptions, "kindOf" | "profileOf"> {
  /** Default of a column: "longest" for long texts and lists, "first" for row numbers and identifiers, else "frequent". */
  readonly survivors?: SurvivorRules;
  /** Called with a line if a source that a rule names is in no row. */
  readonly onNote?: (line: string) => void;
}

/** A cell of a golden record, and the rows, from 0, that it was taken from; none where no row of the group fills it. */
export interface GoldenCell {
  readonly cell: Cell;
  readonly rows: readonly number[];
}

export interface GoldenRecords {
  /** Those of the table: text where a rule joins values, DOUBLE where it averages. */
  readonly columns: readonly OutputColumn[];
  /** The rule of each column, in their order. */
  readonly rules: Readonly<Record<string, SurvivorRule>>;
  /** The column that names the source of each row; undefined without such a rule. */
  readonly source?: string;
  /** The record of a group. That of a single row is this row, as it is. @param rows ascending, from 0 */
  recordOf(rows: readonly number[]): GoldenCell[];
}

/** A filled cell. */
interface Found {
  readonly row: number;
  readonly cell: Cell;
  readonly text: string;
}

/** The separator of values in a cell that a rule has joined. */
const separator = "; ";

/** @throws TableError for a rule about a missing column, or one of another kind; ArgumentError for no rule */
export function goldenRecords(table: WholeTable, options: GoldenOptions = {}): GoldenRecords {
  const { typed, description } = table;
  const rules = new Map<string, SurvivorRule>();
  for (const [name, rule] of Object.entries(options.survivors ?? {}))
    rules.set(columnNamed(description, name), rule);
  const chosen = typed.columns.map(({ name, type }) => {
    const column = readColumn(table, name, options);
    const rule = rules.get(name) ?? column.usual;
    return { name, type, rule, choose: chooserOf(table, column, rule, options) };
  });
  const recordOf = (rows: readonly number[]): GoldenCell[] => {
    const cells = rows.map((row) => typed.cells(row));
    return chosen.map(({ choose }, place) => {
      const all = rows.map((row, index): Found => {
        const cell = cells[index][place];
        return { row, cell, text: textOfCell(cell) };
      });
      const found = all.filter(({ text }) => isFilled(text));
      if (found.length === 0) return { cell: all[0].cell, rows: [] };
      return rows.length === 1 ? survivor(found) : choose(found);
    });
  };
  const source = [...rules.values()].map(partsOfRule).find(({ name }) => name === "source");
  return {
    columns: chosen.map(({ name, type, rule }) =>
      rule === "union" ? name : { name, type: rule === "mean" && isPlain(type) ? "DOUBLE" : type },
    ),
    rules: Object.fromEntries(chosen.map(({ name, rule }) => [name, rule])),
    source: source && columnNamed(description, source.by),
    recordOf,
  };
}

const columnNamed = ({ path, columns }: WholeTable["description"], wanted: string): string =>
  columns[findColumn(path, columns, wanted)];

type Chooser = (found: readonly Found[]) => GoldenCell;
type ReadColumn = ReturnType<typeof readColumn>;

/** What a column holds, and how its values are read. */
function readColumn({ columns }: WholeTable, name: string, options: GoldenOptions) {
  const { kindOf, profileOf = profileColumn } = options;
  const profile = profileOf(name, columns[name]);
  const kind = fieldKind({ name, other: name, profile }, kindOf);
  const numberOf = (text: string): number =>
    kind === "date" ? momentOf(text, profile.dayFirst) : cellNumber(text);
  const usual: SurvivorRule = profile.dropped?.startsWith("row ")
    ? "first"
    : kind === "long" || kind === "list"
      ? "longest"
      : "frequent";
  return {
    ...{ name, kind, numberOf, usual },
    isNumeric: kind === "number" || profile.shares.numeric >= 0.9,
    isEmpty: profile.filled === 0,
    /** Equal for two spellings of one value. */
    keyOf: ({ text }: Found): string => {
      const number = kind === "date" || kind === "number" ? numberOf(text) : Number.NaN;
      if (!Number.isNaN(number)) return String(number);
      return (kind === "phone" && phoneDigits(text)) || foldSpace(text);
    },
  };
}

function chooserOf(
  table: WholeTable,
  column: ReadColumn,
  rule: SurvivorRule,
  options: GoldenOptions,
): Chooser {
  const { name, by, order } = partsOfRule(rule);
  const { numberOf, keyOf } = column;
  const need = (what: string, isFit: (column: ReadColumn) => boolean, needed = column): void => {
    if (needed.isEmpty || isFit(needed)) return;
    const fit = table.description.columns.filter((other) => isFit(readColumn(table, other, options)));
    const cure =
      needed === column || fit.length === 0 ? "Choose another rule" : `Choose one of ${listed(fit)}`;
    const kind = what.replace(/s .*|s$/, "");
    throw new TableError(
      `${table.description.path}: the rule ${name} needs ${what}, but the column "${needed.name}" is of the kind ${needed.kind}. ${cure}, or say that it holds them: --kind-of "${needed.name}=${kind}".`,
    );
  };
  const frequent: Chooser = (found) => survivor(mostFrequent(mostFrequent(found, keyOf), textOf));
  if (name === "frequent") return frequent;
  if (name === "longest") return picked(lengthOf);
  if (name === "first") return picked(() => 0);
  if (name === "union") return (found) => union(found, keyOf);
  if (name === "mean") {
    need("numbers", ({ isNumeric }) => isNumeric);
    return (found) => mean(found, numberOf, frequent);
  }
  if (name === "max" || name === "min") {
    need("numbers or dates", ({ isNumeric, kind }) => isNumeric || kind === "date");
    return picked(({ text }) => (name === "max" ? numberOf(text) : -numberOf(text)));
  }
  const deciding = readColumn(table, columnNamed(table.description, by), options);
  const cells = table.columns[deciding.name];
  if (name === "source") return bySource(table, deciding.name, order, options);
  need("dates", ({ kind }) => kind === "date", deciding);
  return picked(({ row }) => deciding.numberOf(cells[row]));
}

/** The cell of the row with the highest score. */
const picked =
  (score: (found: Found) => number): Chooser =>
  (found) =>
    survivor([best(found, score)]);

function bySource(
  table: WholeTable,
  name: string,
  order: readonly string[],
  { onNote }: GoldenOptions,
): Chooser {
  const cells = table.columns[name];
  const ranks = new Map(order.map((value, place) => [foldSpace(value), -place]));
  const missing = new Map(order.map((value) => [foldSpace(value), value.trim()]));
  for (const cell of cells) missing.delete(foldSpace(cell));
  for (const value of missing.values())
    onNote?.(`${table.description.path}: no row has "${value}" in ${name}`);
  return picked(({ row }) => ranks.get(foldSpace(cells[row])) ?? -order.length);
}

/** A text in which case and space do not tell values apart. */
const foldSpace = (text: string): string => oneSpaced(text.normalize("NFKC").toLowerCase());
const oneSpaced = (text: string): string => text.trim().replace(/\s+/g, " ");

const textOf = ({ text }: Found): string => oneSpaced(text);
const lengthOf = (found: Found): number => textOf(found).length;
const survivor = (found: readonly Found[]): GoldenCell => ({
  cell: found[0].cell,
  rows: found.map(({ row }) => row),
});

/** The first item with the highest score; a score of NaN is the lowest. */
function best<Item>(items: readonly Item[], score: (item: Item) => number): Item {
  let [found, highest] = [items[0], Number.NEGATIVE_INFINITY];
  for (const item of items) {
    const own = score(item);
    if (own > highest) [found, highest] = [item, own];
  }
  return found;
}

/** The cells with the most frequent key, of equally frequent ones that of the longest cell. */
function mostFrequent(found: readonly Found[], keyOf: (found: Found) => string): readonly Found[] {
  const groups = [...groupBy(found, keyOf).values()];
  const most = best(groups, ({ length }) => length).length;
  const frequent = groups.filter(({ length }) => length === most);
  return best(frequent, (group) => lengthOf(best(group, lengthOf)));
}

function union(found: readonly Found[], keyOf: (found: Found) => string): GoldenCell {
  const parts = found.flatMap(({ text, ...rest }) =>
    text.split(separator).map((text) => ({ ...rest, text })),
  );
  const values = [...groupBy(parts, keyOf).values()].map((group) => mostFrequent(group, textOf));
  if (values.length === 1) return survivor(values[0]);
  const rows = new Set(values.flat().map(({ row }) => row));
  return {
    cell: values.map(([{ text }]) => text.trim()).join(separator),
    rows: [...rows].sort((a, b) => a - b),
  };
}

/** @param otherwise chooses a cell where all numbers are equal, or no cell is one */
function mean(
  found: readonly Found[],
  numberOf: (text: string) => number,
  otherwise: (found: readonly Found[]) => GoldenCell,
): GoldenCell {
  const numbers = found.filter(({ text }) => !Number.isNaN(numberOf(text)));
  const values = new Set(numbers.map(({ text }) => numberOf(text)));
  if (values.size < 2) return otherwise(values.size === 1 ? numbers : found);
  const decimals = numbers.map(({ text }) => readNumber(text)?.text.split(".")[1]?.length ?? 0);
  const sum = numbers.reduce((total, { text }) => total + numberOf(text), 0);
  const digits = Math.min(100, 2 + decimals.reduce((most, count) => Math.max(most, count)));
  const json = String(Number((sum / numbers.length).toFixed(digits)));
  // In a table of texts, numbers are texts too.
  const cell = typeof numbers[0].cell === "string" ? json : { json };
  return { cell, rows: numbers.map(({ row }) => row) };
}
