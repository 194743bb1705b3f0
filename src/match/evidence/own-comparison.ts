/**
 * Comparisons of a user's own in place of pearl's: numbers and dates by a tolerance, and cells by a function of a module. Their
 * levels get weights as those of other columns do.
 */
import { ArgumentError, messageOf } from "../../errors.js";
import { exists, moduleAddress } from "../../files/disk.js";
import { oneLine } from "../../text/visible.js";
import { dayOf } from "../cells/dates.js";
import { cellNumber } from "../cells/numbers.js";
import type { TableColumns } from "../columns/align.js";
import { cellsOfColumn, partsOfColumn } from "../columns/column-names.js";
import {
  type ColumnOptions,
  type Field,
  type ModuleComparison,
  type OwnComparison,
  ownValue,
  type Tolerance,
} from "../columns/fields.js";
import { columnKinds, profileColumn } from "../columns/profile.js";
import { textReader } from "../columns/texts.js";
import * as levels from "./levels.js";

/** How columns are compared, by header in either table. */
export interface ComparisonOptions {
  /**
   * A tolerance of numbers, "5%" of the larger one or a difference (2), of dates in days; or the path or URL of a module. Its default
   * export takes two cells and returns how alike they are, from 0 to 1: `(left: string, right: string) => number`. It gets them as
   * they are written, in sorted order. Its export `levels` has the ascending values from which a pair has a higher level, default
   * [.5, .7, .8, .9, .95, 1]. Worker threads import it too.
   */
  readonly compare?: Readonly<Record<string, string | number | URL>>;
}

type OwnModule = { default: (left: string, right: string) => number; levels?: readonly number[] };

/** By address. Each thread imports its own. */
const imported = new Map<string, OwnModule>();
const standardCuts = [0.5, 0.7, 0.8, 0.9, 0.95, 1];
/** A level is a number of a byte. */
const mostCuts = 100;

/**
 * The options with what `compare` says, read once.
 * @throws ArgumentError for a tolerance out of range or of other cells than numbers, and a module that cannot be used
 */
export async function withComparisons<Options extends ComparisonOptions & ColumnOptions>(
  tables: readonly TableColumns[],
  options: Options,
): Promise<Options & ColumnOptions> {
  const given = Object.entries(options.compare ?? {});
  if (options.comparisons !== undefined || given.length === 0) return options;
  const comparisons = new Map<string, OwnComparison>();
  for (const [name, how] of given) {
    const [, digits, percent] =
      /^(-?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)\s*(%?)$/i.exec(String(how).trim()) ?? [];
    const isShare = percent === "%";
    const tolerance = { within: Number(digits) / (isShare ? 100 : 1), isShare };
    if (digits !== undefined) checkTolerance(tables, name, tolerance, options);
    comparisons.set(name, digits === undefined ? await importModule(name, String(how)) : tolerance);
  }
  return { ...options, comparisons };
}

/** @throws ArgumentError for a tolerance out of range, and for a column of another kind or without numbers */
function checkTolerance(
  tables: readonly TableColumns[],
  name: string,
  { within, isShare }: Tolerance,
  { kindOf = {}, profileOf = profileColumn }: ColumnOptions,
): void {
  const wrong = (text: string): ArgumentError => new ArgumentError(`--compare ${name}: ${text}`);
  if (!(within > 0 && within < (isShare ? 1 : Infinity)))
    throw wrong(
      "a tolerance is a share between 0% and 100%, or a difference above 0. Give one such as 5% or 2.",
    );
  const columns = tables
    .filter((table) => partsOfColumn(table, name).length > 0)
    .map((table) => cellsOfColumn(table, name));
  const said = columnKinds.find((kind) => kind === ownValue(kindOf, name));
  const isDate = columns.some((cells) => profileOf(name, cells).kind === "date");
  const kind = said ?? (isDate ? "date" : "number");
  if (kind !== "number" && (kind !== "date" || isShare))
    throw wrong(
      `${name} is of kind ${kind}. Give a tolerance of numbers, of dates one in days, or a module.`,
    );
  const isNumber = (cell: string): boolean => !Number.isNaN(cellNumber(cell));
  if (kind === "number" && columns.every((cells) => cells.length > 0 && !cells.some(isNumber)))
    throw wrong(`no cell of ${name} is a number. Name a column of numbers or dates.`);
}

/** @param column for messages */
async function importModule(column: string, module: string): Promise<ModuleComparison> {
  const address = moduleAddress(module);
  const wrong = (text: string, cause?: unknown): ArgumentError =>
    new ArgumentError(`--compare ${column}=${module}: ${text}`, { cause });
  if (address !== module && !(await exists(module)))
    throw wrong("there is no such module. Name a file, such as ./compare.mjs, or a tolerance, such as 5%.");
  const found = (await import(address).catch((error: unknown) => {
    throw wrong(`the module cannot be imported: ${oneLine(messageOf(error))}`, error);
  })) as OwnModule;
  const { levels: cuts = standardCuts } = found;
  if (typeof found.default !== "function")
    throw wrong("it has no default function. Add one: export default (left, right) => ...");
  const isAscending = (cut: number, at: number): boolean => cut > (cuts[at - 1] ?? 0) && cut <= 1;
  if (!Array.isArray(cuts) || cuts.length === 0 || cuts.length > mostCuts || !cuts.every(isAscending))
    throw wrong("its levels are not ascending numbers from 0 to 1. Write: export const levels = [0.5, 0.9]");
  imported.set(address, found);
  return { module, cuts };
}

/** Imports the modules that fields are compared by, in a thread that has not read the options. */
export async function importComparisons(fields: readonly Pick<Field, "name" | "own">[]): Promise<void> {
  for (const { name, own } of fields)
    if (own !== undefined && "module" in own) await importModule(name, own.module);
}

/** Compares the values of a field as the user wishes, or as pearl does. */
export function comparisonOf(field: Field, data: levels.TextData): levels.FieldComparison {
  const { own } = field;
  if (own === undefined) return levels.fieldComparison(field, data);
  return "module" in own ? moduleComparison(field, own) : toleranceComparison(field, own);
}

/** Levels of unequal numbers: farther apart than ten tolerances, within these, within one. */
const [withinOne, unequal] = [2, 3];

function toleranceComparison(
  { kind, set }: Pick<Field, "kind" | "set">,
  { within, isShare }: Tolerance,
): levels.FieldComparison {
  const values = kind === "date" ? set.numbers.map((date) => dayOf(date)) : set.numbers;
  // Ten steps of 5 % make 40 %.
  const far = isShare ? 1 - (1 - within) ** 10 : 10 * within;
  const cuts = [far, within].map((most) => -most * (1 + 1e-9));
  const compare = (a: number, b: number): number => {
    const apart = isShare ? 1 - levels.ratioOf(values[a], values[b]) : Math.abs(values[a] - values[b]);
    return Number.isNaN(apart) ? levels.missing : levels.levelOf(-apart, cuts);
  };
  const ofEqual = kind === "date" ? levels.rareCuts : levels.rareNumber;
  const scale = { differs: withinOne, agrees: unequal, hasSlips: true };
  return { ...levels.withEqual(unequal, set, ofEqual, compare), ...scale };
}

function moduleComparison(
  { name, set }: Pick<Field, "name" | "set">,
  { module, cuts }: ModuleComparison,
): levels.FieldComparison {
  const { default: likenessOf } = imported.get(moduleAddress(module))!;
  const read = textReader(set.written!);
  const reached = cuts.map((cut) => cut - 1e-9);
  const compare = (a: number, b: number): number => {
    // A function that is not quite symmetric gives a pair one value all the same.
    const [x, y] = [read(a), read(b)].sort();
    const wrong = (what: string, cause?: unknown): ArgumentError =>
      new ArgumentError(`${module} ${what}, for "${oneLine(x)}" and "${oneLine(y)}" of column ${name}`, {
        cause,
      });
    let likeness: unknown;
    try {
      likeness = likenessOf(x, y);
    } catch (error) {
      throw wrong(`failed (${oneLine(messageOf(error))})`, error);
    }
    if (typeof likeness !== "number" || !(likeness >= 0 && likeness <= 1))
      throw wrong(`returned ${String(likeness)}, not a number from 0 to 1`);
    return levels.levelOf(likeness, reached);
  };
  return {
    ...levels.withEqual(cuts.length + 1, set, levels.rareCuts, compare),
    // As of texts: what is less than half alike differs, and agrees from .8 on.
    differs: Math.max(1, levels.levelOf(0.5, cuts)),
    agrees: cuts.filter((cut) => cut < 0.8).length + 1,
  };
}

/** What a column is compared by, as it is shown: "within 5 %", "by code.mjs"; undefined where pearl compares it. */
export function comparisonName({ own, kind }: Pick<Field, "own" | "kind">): string | undefined {
  if (own === undefined) return undefined;
  if ("module" in own) return `by ${own.module.replace(/^.*[/\\]/, "")}`;
  if (own.isShare) return `within ${Number((100 * own.within).toPrecision(12))} %`;
  return `within ${own.within}${kind !== "date" ? "" : own.within === 1 ? " day" : " days"}`;
}

/** What a level says in words beside that cells are alike. */
export const saidByLevel = (field: Pick<Field, "own" | "kind">, level: number): string | undefined =>
  field.own !== undefined && "within" in field.own && level === withinOne ? comparisonName(field) : undefined;
