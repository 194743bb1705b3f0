/** Golden records: one record for each thing, its cells chosen among those of its rows by a rule for each column. */
import { groupBy } from "../by-key.js";
import { TableError } from "../errors.js";
import { filledOnly, isFilled } from "../match/cells/cell-words.js";
import { momentOf } from "../match/cells/dates.js";
import { cellNumber, readNumber } from "../match/cells/numbers.js";
import { phoneCountry, phoneDigits } from "../match/cells/phones.js";
import { type ColumnOptions, fieldKind } from "../match/columns/fields.js";
import { idHeader, isText, profileColumn } from "../match/columns/profile.js";
import { highest, mean } from "../statistics.js";
import { type Cell, isPlain, type OutputColumn, textOfCell } from "../table/cell.js";
import { findColumn, listed } from "../table/columns.js";
import type { NamedTable } from "../table/whole-table.js";
import { isVisible, oneLine } from "../text/visible.js";
import { partsOfRule, type Survivor, type SurvivorRule, type SurvivorRules } from "./survivor-rules.js";

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
  /** The column that names the source of each row, by the first column with such a rule; undefined without one. */
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

/** Equal for two spellings of one value. */
type KeyOf = (found: Found) => string;
type Score = (found: Found) => number;
type Chooser = (found: readonly Found[]) => GoldenCell;
type ReadColumn = ReturnType<typeof readColumn>;

/** @throws TableError for a rule about a missing column, or one that cannot be read; ArgumentError for no rule */
export function goldenRecords(table: NamedTable, options: GoldenOptions = {}): GoldenRecords {
  const { survivors = [] } = options;
  const asked: readonly Survivor[] = Array.isArray(survivors) ? survivors : Object.entries(survivors);
  const rules = new Map(asked.map(([name, rule]) => [columnNamed(table, name), rule]));
  const chosen = table.typed.columns.map(({ name, type }) => {
    const column = readColumn(table, name, options);
    const rule = rules.get(name) ?? column.usual;
    return { name, type, rule, choose: chooserOf(table, column, rule, options) };
  });
  const source = chosen.map(({ rule }) => partsOfRule(rule)).find(({ name }) => name === "source");
  return {
    columns: chosen.map(({ name, type, rule }) =>
      rule === "union" ? name : { name, type: rule === "mean" && isPlain(type) ? "DOUBLE" : type },
    ),
    rules: Object.fromEntries(chosen.map(({ name, rule }) => [name, rule])),
    source: source && columnNamed(table, source.by),
    recordOf: (rows) => {
      const cells = rows.map((row) => table.typed.cells(row));
      return chosen.map(({ choose }, place) => {
        const all = cells.map(({ [place]: cell }, at) => ({ row: rows[at], cell, text: textOfCell(cell) }));
        const found = all.filter(({ text }) => isFilled(text));
        if (found.length === 0) return { cell: all[0].cell, rows: [] };
        return rows.length === 1 ? survivor(found) : choose(found);
      });
    },
  };
}

const columnNamed = ({ description: { path, columns } }: NamedTable, wanted: string): string =>
  columns[findColumn(path, columns, wanted)];

/** What a column holds, how its values are read, and its usual rule. */
function readColumn({ columns }: NamedTable, name: string, options: GoldenOptions) {
  const { kindOf, profileOf = profileColumn } = options;
  const profile = profileOf(name, filledOnly(columns[name]));
  const kind = fieldKind({ name, other: name, profile }, { kindOf });
  const isNumbered = profile.dropped?.startsWith("row ");
  const usual = isNumbered ? "first" : kind === "long" || kind === "list" ? "longest" : "frequent";
  const numberOf = ({ text }: Pick<Found, "text">): number =>
    kind === "date" ? momentOf(wholeDate(text), profile.dayFirst) : cellNumber(text);
  /** The currency, "%" or word beside a number; "" without one. */
  const unitOf = (found: Found): string =>
    kind === "date" || Number.isNaN(numberOf(found)) ? "" : folded(found.text).replace(/[\d\s.,'’+−-]/g, "");
  const plainKey = (found: Found): string => {
    const number = kind === "date" || kind === "number" ? numberOf(found) : Number.NaN;
    if (!Number.isNaN(number)) return number + unitOf(found);
    return (kind === "phone" && phoneDigits(found.text)) || folded(found.text);
  };
  return {
    ...{ name, kind, numberOf, unitOf, usual: usual as SurvivorRule, isEmpty: profile.filled === 0 },
    isOfNumbers: kind === "number" || (kind !== "date" && profile.shares.numeric >= 0.9),
    /** Of two texts, the longer one says more. */
    weightOf: (isText(kind) || kind === "category") && !idHeader.test(name) ? lengthOf : () => 0,
    /** A phone number without the code of its country is the first of the same digits that has one. */
    keysOf: (found: readonly Found[]): KeyOf => {
      if (kind !== "phone") return plainKey;
      const abroad = found.filter(({ text }) => phoneCountry(text) !== "").toReversed();
      const codes = new Map(abroad.map((one) => [plainKey(one), phoneCountry(one.text)]));
      return (one) => `${plainKey(one)}+${phoneCountry(one.text) || codes.get(plainKey(one)) || ""}`;
    },
  };
}

function chooserOf(table: NamedTable, column: ReadColumn, rule: string, options: GoldenOptions): Chooser {
  const { path, columns } = table.description;
  const { name, by, order } = partsOfRule(rule);
  const { numberOf, unitOf, keysOf, weightOf } = column;
  const need = (what: string, isFit: (column: ReadColumn) => boolean, needed = column): void => {
    if (needed.isEmpty || isFit(needed)) return;
    const fit = columns.filter((other) => isFit(readColumn(table, other, options)));
    throw new TableError(
      `${path}: the rule ${oneLine(rule)} needs ${what}, but the column "${oneLine(needed.name)}" is of the kind ${needed.kind}. ` +
        `Columns of ${what}: ${listed(fit.map(oneLine)) || "none"}. ` +
        `Choose another rule, or say that it holds them: --kind-of "${oneLine(needed.name)}=${what.replace(/s\b.*/, "")}".`,
    );
  };
  const frequent: Chooser = (found) =>
    survivor(mostFrequent(mostFrequent(found, keysOf(found), weightOf), textOf, weightOf));
  if (name === "frequent") return frequent;
  if (name === "longest") return picked(lengthOf);
  if (name === "first") return picked(() => 0);
  if (name === "union") return (found) => union(found, column);
  if (name === "mean" || name === "max" || name === "min") {
    const isFit = ({ isOfNumbers, kind }: ReadColumn) => isOfNumbers || (name !== "mean" && kind === "date");
    need(name === "mean" ? "numbers" : "numbers or dates", isFit);
    const outermost = picked((found) => (name === "max" ? numberOf(found) : -numberOf(found)));
    return (found) => {
      // Numbers in several units have no order; one without a unit goes with any.
      if (new Set(found.map(unitOf).filter(isVisible)).size > 1) return frequent(found);
      return name === "mean" ? average(found, numberOf, frequent) : outermost(found);
    };
  }
  const deciding = readColumn(table, columnNamed(table, by), options);
  const cells = table.columns[deciding.name];
  if (name === "newest") {
    need("dates", ({ kind }) => kind === "date", deciding);
    if (!deciding.isEmpty && cells.every((text) => Number.isNaN(deciding.numberOf({ text }))))
      throw new TableError(
        `${path}: no cell of ${oneLine(deciding.name)} can be read as a date. Choose another rule.`,
      );
    return picked(({ row }) => deciding.numberOf({ text: cells[row] }));
  }
  // Of a source that is named twice, the first place counts.
  const ranks = new Map(order.map((value, place) => [folded(value), -place] as const).toReversed());
  const missing = new Map(order.map((value) => [folded(value), value]));
  for (const cell of cells) missing.delete(folded(cell));
  for (const value of missing.values())
    options.onNote?.(`${path}: no row has "${value}" in ${oneLine(deciding.name)}`);
  return picked(({ row }) => ranks.get(folded(cells[row])) ?? -order.length);
}

/** Of a year alone, the first day; other texts as they are. */
const wholeDate = (text: string): string => text.trim().replace(/^\d{4}$/, "$&-01-01");
/** A text in which case and space do not tell values apart. */
const folded = (text: string): string => oneLine(text.normalize("NFKC").toLowerCase());

const textOf = ({ text }: Found): string => oneLine(text);
const lengthOf = (found: Found): number => textOf(found).length;
const rowsOf = (found: readonly Found[]): number[] =>
  [...new Set(found.map(({ row }) => row))].sort((a, b) => a - b);
const survivor: Chooser = (found) => ({ cell: found[0].cell, rows: rowsOf(found) });

/** The cell of the row with the highest score. */
function picked(score: Score): Chooser {
  return (found) => survivor([highest(found, score)]);
}

/** The cells with the most frequent key, of equally frequent ones that of the cell with the highest score. */
function mostFrequent(found: readonly Found[], keyOf: KeyOf, score: Score): readonly Found[] {
  const groups = [...groupBy(found, keyOf).values()];
  const most = highest(groups, ({ length }) => length).length;
  const frequent = groups.filter(({ length }) => length === most);
  return highest(frequent, (group) => score(highest(group, score)));
}

/** The separator of values in a cell that a rule has joined. */
const separator = "; ";

function union(found: readonly Found[], { keysOf, weightOf }: ReadColumn): GoldenCell {
  const parts = found.flatMap((one) => one.text.split(separator).map((text) => ({ ...one, text })));
  const filled = parts.filter(({ text }) => isFilled(text));
  const groups = [...groupBy(filled, keysOf(filled)).values()];
  const values = groups.map((group) => mostFrequent(group, textOf, weightOf));
  if (values.length < 2) return survivor(values[0] ?? found);
  return { cell: values.map(([{ text }]) => text.trim()).join(separator), rows: rowsOf(values.flat()) };
}

/** The mean of numbers. @param otherwise chooses a cell where all numbers are equal, or no cell is one */
function average(found: readonly Found[], numberOf: Score, otherwise: Chooser): GoldenCell {
  const numbered = found.filter((one) => !Number.isNaN(numberOf(one)));
  const numbers = numbered.map(numberOf);
  if (new Set(numbers).size < 2) return otherwise(numbered.length > 0 ? numbered : found);
  const digitsOf = ({ text }: Found): number => readNumber(text)?.text.split(".")[1]?.length ?? 0;
  const digits = Math.min(100, 2 + digitsOf(highest(numbered, digitsOf)));
  const fixed = mean(numbers).toFixed(digits);
  const json = fixed.replace(/^-(?=0\.0+$)|\.?0+$/g, "");
  // In a table of texts, numbers are texts too.
  return { cell: typeof numbered[0].cell === "string" ? json : { json }, rows: rowsOf(numbered) };
}
