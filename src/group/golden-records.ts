/** Golden records: one record for each thing, its cells chosen among those of its rows by a rule for each column. */
import { groupBy } from "../by-key.js";
import { TableError } from "../errors.js";
import { isFilled } from "../match/cells/cell-words.js";
import { momentOf } from "../match/cells/dates.js";
import { cellNumber, readNumber } from "../match/cells/numbers.js";
import { phoneDigits } from "../match/cells/phones.js";
import { type ColumnOptions, fieldKind } from "../match/columns/fields.js";
import { profileColumn } from "../match/columns/profile.js";
import { highest, mean } from "../statistics.js";
import { type Cell, isPlain, type OutputColumn, textOfCell } from "../table/cell.js";
import { findColumn, listed } from "../table/columns.js";
import type { WholeTable } from "../table/whole-table.js";
import { oneLine } from "../text/visible.js";
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

type Chooser = (found: readonly Found[]) => GoldenCell;
type ReadColumn = ReturnType<typeof readColumn>;

/** @throws TableError for a rule about a missing column, or one of another kind; ArgumentError for no rule */
export function goldenRecords(table: WholeTable, options: GoldenOptions = {}): GoldenRecords {
  const asked = Object.entries(options.survivors ?? {});
  const rules = new Map(asked.map(([name, rule]) => [columnNamed(table, name), rule]));
  const chosen = table.typed.columns.map(({ name, type }) => {
    const column = readColumn(table, name, options);
    const rule = rules.get(name) ?? column.usual;
    return { name, type, rule, choose: chooserOf(table, column, rule, options) };
  });
  const source = [...rules.values()].map(partsOfRule).find(({ name }) => name === "source");
  return {
    columns: chosen.map(({ name, type, rule }) =>
      rule === "union" ? name : { name, type: rule === "mean" && isPlain(type) ? "DOUBLE" : type },
    ),
    rules: Object.fromEntries(chosen.map(({ name, rule }) => [name, rule])),
    source: source && columnNamed(table, source.by),
    recordOf: (rows) => {
      const cells = rows.map((row) => table.typed.cells(row));
      return chosen.map(({ choose }, place) => {
        const all = cells.map((own, index) => ({
          row: rows[index],
          cell: own[place],
          text: textOfCell(own[place]),
        }));
        const found = all.filter(({ text }) => isFilled(text));
        if (found.length === 0) return { cell: all[0].cell, rows: [] };
        return rows.length === 1 ? survivor(found) : choose(found);
      });
    },
  };
}

const columnNamed = ({ description: { path, columns } }: WholeTable, wanted: string): string =>
  columns[findColumn(path, columns, wanted)];

/** What a column holds, how its values are read, and its usual rule. */
function readColumn({ columns }: WholeTable, name: string, options: GoldenOptions) {
  const { kindOf, profileOf = profileColumn } = options;
  const profile = profileOf(name, columns[name]);
  const kind = fieldKind({ name, other: name, profile }, kindOf);
  const isNumbered = profile.dropped?.startsWith("row ");
  const usual = isNumbered ? "first" : kind === "long" || kind === "list" ? "longest" : "frequent";
  const numberOf = ({ text }: Pick<Found, "text">): number =>
    kind === "date" ? momentOf(text, profile.dayFirst) : cellNumber(text);
  return {
    ...{ name, kind, numberOf, usual: usual as SurvivorRule, isEmpty: profile.filled === 0 },
    isOfNumbers: kind === "number" || (kind !== "date" && profile.shares.numeric >= 0.9),
    /** Equal for two spellings of one value. */
    keyOf: (found: Found): string => {
      const number = kind === "date" || kind === "number" ? numberOf(found) : Number.NaN;
      if (!Number.isNaN(number)) return String(number);
      return (kind === "phone" && phoneDigits(found.text)) || folded(found.text);
    },
  };
}

function chooserOf(table: WholeTable, column: ReadColumn, rule: string, options: GoldenOptions): Chooser {
  const { path, columns } = table.description;
  const { name, by, order } = partsOfRule(rule);
  const { numberOf, keyOf } = column;
  const need = (what: string, isFit: (column: ReadColumn) => boolean, needed = column): void => {
    if (needed.isEmpty || isFit(needed)) return;
    const fit = columns.filter((other) => isFit(readColumn(table, other, options)));
    throw new TableError(
      `${path}: the rule ${rule} needs ${what}, but the column "${needed.name}" is of the kind ${needed.kind}. ` +
        `Columns of ${what}: ${listed(fit) || "none"}. ` +
        `Choose another rule, or say that it holds them: --kind-of "${needed.name}=${what.replace(/s\b.*/, "")}".`,
    );
  };
  const frequent: Chooser = (found) => survivor(mostFrequent(mostFrequent(found, keyOf), textOf));
  if (name === "frequent") return frequent;
  if (name === "longest") return picked(lengthOf);
  if (name === "first") return picked(() => 0);
  if (name === "union") return (found) => union(found, keyOf);
  if (name === "mean") {
    need("numbers", ({ isOfNumbers }) => isOfNumbers);
    return (found) => average(found, numberOf, frequent);
  }
  if (name === "max" || name === "min") {
    need("numbers or dates", ({ isOfNumbers, kind }) => isOfNumbers || kind === "date");
    return picked((found) => (name === "max" ? numberOf(found) : -numberOf(found)));
  }
  const deciding = readColumn(table, columnNamed(table, by), options);
  const cells = table.columns[deciding.name];
  if (name === "newest") {
    need("dates", ({ kind }) => kind === "date", deciding);
    return picked(({ row }) => deciding.numberOf({ text: cells[row] }));
  }
  const ranks = new Map(order.map((value, place) => [folded(value), -place]));
  const missing = new Map(order.map((value) => [folded(value), value]));
  for (const cell of cells) missing.delete(folded(cell));
  for (const value of missing.values())
    options.onNote?.(`${path}: no row has "${value}" in ${deciding.name}`);
  return picked(({ row }) => ranks.get(folded(cells[row])) ?? -order.length);
}

/** A text in which case and space do not tell values apart. */
const folded = (text: string): string => oneLine(text.normalize("NFKC").toLowerCase());

const textOf = ({ text }: Found): string => oneLine(text);
const lengthOf = (found: Found): number => textOf(found).length;
const rowsOf = (found: readonly Found[]): number[] =>
  [...new Set(found.map(({ row }) => row))].sort((a, b) => a - b);
const survivor: Chooser = (found) => ({ cell: found[0].cell, rows: rowsOf(found) });

/** The cell of the row with the highest score. */
const picked =
  (score: (found: Found) => number): Chooser =>
  (found) =>
    survivor([highest(found, score)]);

/** The cells with the most frequent key, of equally frequent ones that of the longest cell. */
function mostFrequent(found: readonly Found[], keyOf: (found: Found) => string): readonly Found[] {
  const groups = [...groupBy(found, keyOf).values()];
  const most = highest(groups, ({ length }) => length).length;
  const frequent = groups.filter(({ length }) => length === most);
  return highest(frequent, (group) => lengthOf(highest(group, lengthOf)));
}

/** The separator of values in a cell that a rule has joined. */
const separator = "; ";

function union(found: readonly Found[], keyOf: (found: Found) => string): GoldenCell {
  const parts = found.flatMap((one) => one.text.split(separator).map((text) => ({ ...one, text })));
  const filled = parts.filter(({ text }) => isFilled(text));
  const values = [...groupBy(filled, keyOf).values()].map((group) => mostFrequent(group, textOf));
  if (values.length < 2) return survivor(values[0] ?? found);
  return { cell: values.map(([{ text }]) => text.trim()).join(separator), rows: rowsOf(values.flat()) };
}

/** The mean of numbers. @param otherwise chooses a cell where all numbers are equal, or no cell is one */
function average(
  found: readonly Found[],
  numberOf: (found: Found) => number,
  otherwise: Chooser,
): GoldenCell {
  const numbered = found.filter((one) => !Number.isNaN(numberOf(one)));
  const numbers = numbered.map(numberOf);
  if (new Set(numbers).size < 2) return otherwise(numbered.length > 0 ? numbered : found);
  const digitsOf = ({ text }: Found): number => readNumber(text)?.text.split(".")[1]?.length ?? 0;
  const digits = Math.min(100, 2 + digitsOf(highest(numbered, digitsOf)));
  const json = String(Number(mean(numbers).toFixed(digits)));
  // In a table of texts, numbers are texts too.
  return { cell: typeof numbered[0].cell === "string" ? json : { json }, rows: rowsOf(numbered) };
}
