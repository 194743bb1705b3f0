/** The rules by which the cell of a golden record is chosen among the rows of its group, and how they are written. */
import { ArgumentError } from "../errors.js";

const plainRules = ["frequent", "longest", "first", "union", "max", "min", "mean"] as const;

/**
 * Which of the filled cells of a group survives in a column. Where several are equally good, the first row's does.
 *
 * - `frequent`: the most frequent value, of equally frequent ones the longest. Values that differ in case and space alone are
 *   one, as are two spellings of a date, a phone number or a number; the most frequent spelling is written.
 * - `longest`: the longest text; `first`: that of the first row.
 * - `union`: all different values, joined by "; ". A cell that holds such a list counts as its values.
 * - `max`, `min`: of numbers or dates; `mean`: of numbers, with two decimals more than the cells have.
 * - `newest:COLUMN`: that of the row with the latest date in COLUMN; rows without a date come last.
 * - `source:COLUMN=A>B`: that of a row with A in COLUMN, else of one with B, else of any other.
 */
export type SurvivorRule = (typeof plainRules)[number] | `newest:${string}` | `source:${string}=${string}`;

/** Rules by column, as names or numbers from 1. */
export type SurvivorRules = Readonly<Record<string, SurvivorRule>>;

/** All rules, as a message lists them. */
export const survivorRuleList = [...plainRules, "newest:COLUMN", "source:COLUMN=A>B"].join(", ");

const form = new RegExp(`^(?:${plainRules.join("|")}|newest:.+|source:.+=.+)$`, "s");
const isRule = (text: string): text is SurvivorRule => form.test(text);

/** An equals sign that is not part of a header, where it is written `\=`. */
const equalsSigns = /(?<!\\)=/g;
const headerOf = (written: string): string => written.replaceAll("\\=", "=");

/** Column and rule of "phone=newest:updated"; undefined for another text. */
export function readSurvivor(text: string): readonly [column: string, rule: SurvivorRule] | undefined {
  for (const { index } of text.matchAll(equalsSigns)) {
    const rule = text.slice(index + 1);
    if (index > 0 && isRule(rule)) return [headerOf(text.slice(0, index)), rule];
  }
  return undefined;
}

/** A rule in its parts. @throws ArgumentError for a text that is no rule */
export function partsOfRule(rule: string): {
  readonly name: (typeof plainRules)[number] | "newest" | "source";
  /** The column that decides; "" where none does. */
  readonly by: string;
  /** Values of that column, the most trusted first. */
  readonly order: readonly string[];
} {
  if (!isRule(rule))
    throw new ArgumentError(`"${rule}" is no survivor rule. The rules are ${survivorRuleList}.`);
  const plain = plainRules.find((known) => known === rule);
  if (plain !== undefined) return { name: plain, by: "", order: [] };
  const written = rule.slice(rule.indexOf(":") + 1);
  if (rule.startsWith("newest:")) return { name: "newest", by: headerOf(written), order: [] };
  const [by, ...values] = written.split(equalsSigns);
  return { name: "source", by: headerOf(by), order: values.join("=").split(">") };
}
