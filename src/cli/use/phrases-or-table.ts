/** Arguments that are phrases or one table: a name that looks like a file and is none is an error, not a phrase. */
import { stat } from "node:fs/promises";
import { dirname, extname } from "node:path";
import { TableError, UsageError } from "../../errors.js";
import { isObjectAddress, isPostgresAddress, tablePlace } from "../../files/place.js";
import { formatOfName } from "../../table/format.js";

export type Given = { readonly phrases: readonly string[] } | { readonly table: string };

/** Splits arguments into those before `--` and those behind it, which are phrases in any case. */
export function splitAtDashes(given: readonly string[]) {
  const dashes = process.argv.indexOf("--");
  const behind = dashes < 0 ? 0 : Math.min(process.argv.length - dashes - 1, given.length);
  const place = given.length - behind;
  return { before: given.slice(0, place), behind: given.slice(place) };
}

/**
 * What the arguments of a command are. Those of `--phrase`, and those behind `--`, are phrases in any case.
 * @throws UsageError where a table is not alone, or nothing is given; TableError where a file does not exist
 */
export async function phrasesOrTable(
  words: readonly string[],
  marked: readonly string[] = [],
): Promise<Given> {
  const { before: given, behind } = splitAtDashes(words);
  const sure = [...behind, ...marked];
  const files: string[] = [];
  for (const text of given) if (await isTable(text, given.length)) files.push(text);
  if (files.length === 0) {
    if (given.length + sure.length === 0) throw new UsageError("give phrases, or one table of phrases");
    return { phrases: [...given, ...sure] };
  }
  if (given.length + sure.length === 1) return { table: files[0] };
  throw new UsageError(
    `${files[0]} is a table: give one table alone, or the text with --phrase ${JSON.stringify(files[0])}`,
  );
}

/** True for a file, and for standard input. Among several arguments a plain word is a phrase, also where a file has its name. */
async function isTable(text: string, count: number): Promise<boolean> {
  if (text === "-" || isPostgresAddress(text) || isObjectAddress(text)) return true;
  const found = await stat(tablePlace(text).file).catch(() => undefined);
  if (found?.isFile() || found?.isFIFO()) return count === 1 || (await looksLikeFile(text));
  if (!(await looksLikeFile(text))) return false;
  const trouble = found === undefined ? "no such file" : "not a file";
  throw new TableError(
    `${text}: ${trouble}. Check the name and the folder (now in ${process.cwd()}), ` +
      `or mark a phrase: --phrase ${JSON.stringify(text)}`,
  );
}

/** A name with the ending of a table, or a path into a folder that exists. "AC/DC" and "St. Paul" are phrases. */
export async function looksLikeFile(text: string): Promise<boolean> {
  const { file, part } = tablePlace(text);
  const isNamed = part !== "" || /^\.(xls[xm]?|ods|gz|zip|db|sqlite3?|duckdb)$/i.test(extname(file));
  if (formatOfName(text) !== undefined || isNamed) return true;
  if (/^(\.{0,2}\/|[a-z]:\\)/i.test(text)) return true;
  return (
    /^\S*[^\s/]\/[^\s/]\S*$/.test(text) && (await stat(dirname(text)).catch(() => undefined)) !== undefined
  );
}
