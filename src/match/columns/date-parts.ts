/** Columns that hold the year, the month and the day of one date: "by", "bm", "bd", or "birth_year", "birth_month", "birth_day". */
import type { TableColumns } from "./align.js";
import { partSeparator } from "./column-names.js";

/** What a header says, in the languages of the names of months that dates are read in. */
const units = [
  "y yr yyyy year years jahr annee an ano anno jaar",
  "m mo mon mm month months monat mois mes mese maand",
  "d dd day days tag jour dia giorno dag",
].map((words) => words.split(" "));

/** The least and the most that each may be. */
const limits = [
  [1000, 2200],
  [1, 12],
  [1, 31],
] as const;

/** Share of the filled cells that are such numbers. */
const leastNumbers = 0.95;
/** Fewer filled cells show nothing. */
const fewest = 10;

/** The names of the columns of the year, month and day of a date; undefined without such, or where several dates have parts. */
export function dateParts(table: TableColumns): readonly [string, string, string] | undefined {
  const names = Object.keys(table).filter((name) => !name.includes(partSeparator));
  const byRest = units.map((unit) => {
    const found = new Map<string, string>();
    for (const name of names)
      for (const rest of restsOf(name, unit)) if (!found.has(rest)) found.set(rest, name);
    return found;
  });
  const rests = [...byRest[0].keys()].filter((rest) => byRest.every((names) => names.has(rest)));
  const dates = rests
    .map((rest) => byRest.map((names) => names.get(rest)!))
    .filter((parts) => new Set(parts).size === 3 && parts.every((name, unit) => isPart(table[name], unit)));
  return dates.length === 1 ? [dates[0][0], dates[0][1], dates[0][2]] : undefined;
}

/** What a header says beside a word for the unit, before or behind it: "birth-" for "birth_year". */
function restsOf(name: string, words: readonly string[]): string[] {
  const bare = name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");
  return words.flatMap((word) => [
    ...(bare.endsWith(word) ? [`${bare.slice(0, -word.length)}-`] : []),
    ...(bare.startsWith(word) ? [`-${bare.slice(word.length)}`] : []),
  ]);
}

function isPart(cells: readonly string[], unit: number): boolean {
  const [least, most] = limits[unit];
  let [filled, numbers] = [0, 0];
  for (const cell of cells) {
    const text = cell.trim();
    if (text === "") continue;
    filled++;
    if (/^\d{1,4}$/.test(text) && Number(text) >= least && Number(text) <= most) numbers++;
    // The first cells of a large table are enough to see that a column holds something else.
    if (filled === 1000 && numbers < leastNumbers * filled) return false;
  }
  return filled >= fewest && numbers >= leastNumbers * filled;
}
