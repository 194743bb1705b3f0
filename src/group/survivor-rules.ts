/** The rules by which a cell of a golden record is chosen among the rows of its group, and how they are written. */
import { ArgumentError } from "../errors.js";

const plainRules = ["frequent", "longest", "first", "union", "max", "min", "mean"] as const;

/**
 * Which of the filled cells of a group survives in a column. Where several are equally good, the first row's does.
 *
 * - `frequent`: the most frequent value, of equally frequent texts the longest. Values that differ in case and space alone are
 *   one, as are two spellings of a date, a phone number or an amount; the most frequent spelling is written.
 * - `longest`: the longest text; `first`: that of the first row.
 * - `union`: all different values, joined by "; ". A cell that holds such a list counts as its values.
 * - `max`, `min`: of numbers or dates; `mean`: of numbers, with two decimals more. Of several units: as `frequent`.
 * - `newest:COLUMN`: that of the row with the latest date in COLUMN; rows without a date come last.
 * - `source:COLUMN=A>B`: that of a row with A in COLUMN, else of one with B, else of any other.
 */
export type SurvivorRule = (typeof plainRules)[number] | `newest:${string}` | `source:${string}=${string}`;

/** A column, as a name or number from 1, and its rule. */
export type Survivor = readonly [column: string, rule: SurvivorRule];

/** Rules by column; of several pairs for one column the last counts. */
export type SurvivorRules = Readonly<Record<string, SurvivorRule>> | readonly Survivor[];

/** All rules, as a message lists them. */
export const survivorRuleList = [...plainRules, "newest:COLUMN", "source:COLUMN=A>B"].join(", ");

// A header may contain an equals sign, which may be written `\=`. No source is empty.
const form = String.raw`(${plainRules.join("|")}|newest:(.+)|source:(.+?)(?<!\\)=((?:\s*[^>\s][^>]*>)*\s*[^>\s][^>]*))$`;
const ruleForm = new RegExp(`^${form}`, "s");
const survivorForm = new RegExp(String.raw`^(.+?)(?<!\\)=${form}`, "s");
const headerOf = (written: string): string => written.replaceAll("\\=", "=");

/** Column and rule of "phone=newest:updated"; undefined for another text. */
export function readSurvivor(text: string): Survivor | undefined {
  const [, column, rule] = survivorForm.exec(text) ?? [];
  return column === undefined ? undefined : [headerOf(column), rule as SurvivorRule];
}

/** The name of a rule, the column that decides ("" where none does), and its values. @throws ArgumentError for another text */
export function partsOfRule(rule: string) {
  const [found, , newest, source, order] = ruleForm.exec(rule) ?? [];
  if (found === undefined)
    throw new ArgumentError(`"${rule}" is not a survivor rule. Use one of ${survivorRuleList}.`);
  const name = rule.replace(/:.*$/s, "") as (typeof plainRules)[number] | "newest" | "source";
  return { name, by: headerOf(newest ?? source ?? ""), order: order?.split(">") ?? [] };
}
