/**
 * Says in one sentence why two rows are taken for the same, or not: `name: "IBM Corp" ≈ "International Business Machines"
 * (+4.1); city equal, rare (+6.0); phone missing (0) → 0.98`. The numbers are log-odds; they and the prior add up to the
 * log-odds of the pair before it competes with others.
 */
import type { ColumnExplanation, RowExplanation } from "./column-report.js";
import { opposition } from "./evidence/opposed-names.js";
import { missing, opposedColumn } from "./evidence/pair-evidence.js";

const longestCell = 40;
/** Less changes the odds by less than a third: not worth a word. */
const leastSaid = 0.3;
/** Log-odds of equal values: two rows in hundreds agree on a rare value, one in five or more on a common one. */
const [rare, common] = [5, 1.5];

/** What evidence across columns says where it speaks for, and against the pair. */
const acrossColumns: Readonly<Record<string, readonly [string, string]>> = {
  "codes anywhere": [
    "a code or number of one row is in the other, or one like it",
    "codes or numbers differ",
  ],
  "words missing": [
    "no distinctive word of a name is missing in the other",
    "each name lacks a word of the other",
  ],
  [opposedColumn]: [
    "the names do not contradict each other",
    "each name has a word that the other row lacks",
  ],
  "name anywhere": ["the other row has the words of the name", "the other row lacks words of the name"],
};

/** One sentence: what each column says, the strongest first, and the probability of the pair. */
export function pairSentence({ columns }: RowExplanation, probability: number): string {
  // An empty cell matters if a filled one could have changed the result.
  const decided = Math.abs(Math.log(probability / (1 - probability)));
  const matters = ({ level, logOdds, most, least }: ColumnExplanation): boolean =>
    level === missing ? Math.max(most, -least) >= decided : Math.abs(logOdds) >= leastSaid;
  const parts = columns
    .filter((column) => matters(column) && (column.left !== undefined || column.level !== missing))
    .sort((a, b) => Math.abs(b.logOdds) - Math.abs(a.logOdds))
    .map((column) => `${said(column)} (${signed(column.logOdds)})`);
  const reasons = parts.length === 0 ? "no column says much" : parts.join("; ");
  return `${reasons} → ${probability.toFixed(2)}`;
}

function said({ name, left, right, isEqual, level, logOdds }: ColumnExplanation): string {
  if (name === opposedColumn && level === opposition.opposites) return "the names say opposites";
  if (left === undefined || right === undefined) {
    const [agrees, differs] = acrossColumns[name] ?? [`${name} agrees`, `${name} differs`];
    return logOdds > 0 ? agrees : differs;
  }
  if (level === missing) return `${name} missing`;
  if (!isEqual) return `${name}: ${shown(left)} ${logOdds > 0 ? "≈" : "≠"} ${shown(right)}`;
  return `${name} equal${logOdds >= rare ? ", rare" : logOdds < common ? ", common" : ""}`;
}

/** A cell on one line, cut if it is long. */
function shown(cell: string): string {
  const text = cell.replace(/\s+/g, " ").trim();
  const letters = Array.from(text);
  if (letters.length <= longestCell) return `"${text}"`;
  const beginning = letters.slice(0, longestCell - 1).join("");
  return `"${beginning.trimEnd()}…"`;
}

function signed(logOdds: number): string {
  const text = Math.abs(logOdds).toFixed(1);
  return text === "0.0" ? "0" : `${logOdds < 0 ? "-" : "+"}${text}`;
}
