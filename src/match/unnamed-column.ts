/**
 * Stops a command that chose its column itself where the choice would cost rows: a column of few different values, or a
 * result that leaves out many rows. The message shows the columns with examples and the command to type.
 */
import { TableError } from "../errors.js";
import { formatCount } from "../files/count-text.js";
import { alignColumns } from "../files/text-table.js";
import { shellWord } from "../shell-word.js";
import { wordWithoutPassword } from "../table/postgres/address.js";
import type { WholeTable } from "../table/whole-table.js";
import { isVisible } from "../text/visible.js";
import { cellsOfColumn } from "./columns/column-names.js";

/** A column whose filled cells repeat more than this holds categories. */
const LEAST_DISTINCT = 1 / 5;
/** More rows than this share are only left out on a column that was named. */
const MOST_LOST = 1 / 3;
const SHOWN_COLUMNS = 8;
const SHOWN_CELLS = 3;
const CELL_WIDTH = 32;

/** A table whose column was chosen without the user, and that column. */
export interface UnnamedColumn {
  readonly table: WholeTable;
  readonly column: string;
}

/** The command to type with the named columns, one for each table. */
export type NamedCommand = (columns: readonly string[]) => string;

/**
 * The command line with further options: as the user typed it, so that nothing of it is lost, or `words` alone where a
 * program called the library.
 * @param words the command and its tables
 */
export function commandWith(
  words: readonly string[],
  added: readonly string[],
  line: readonly string[] = process.argv.slice(2),
): string {
  const typed = line.map(wordWithoutPassword);
  const isTyped = typed[0] === words[0] && words.every((word) => typed.includes(word));
  const all = isTyped ? typed : words;
  const end = all.includes("--") ? all.indexOf("--") : all.length;
  return ["pearl", ...all.slice(0, end), ...added, ...all.slice(end)].map(shellWord).join(" ");
}

/** @throws TableError if a chosen column has fewer than a fifth distinct values */
export function refuseCategory(chosen: readonly UnnamedColumn[], command: NamedCommand): void {
  for (const { table, column } of chosen) {
    const { filled, distinct } = countCells(table, column);
    if (!hasChoice(table) || distinct >= LEAST_DISTINCT * filled) continue;
    const counts = `${formatCount(distinct)} different values in ${formatCount(filled)} rows`;
    const trouble = `the column "${column}" was not named, and has only ${counts}: a category does not tell rows apart`;
    throw new TableError(refusal(`${table.description.path}: ${trouble}`, chosen, command));
  }
}

/** @param loss what happens to the lost rows @throws TableError if more than a third of the rows would be lost */
export function refuseLoss(
  chosen: readonly UnnamedColumn[],
  { lost, rows, loss }: { readonly lost: number; readonly rows: number; readonly loss: string },
  command: NamedCommand,
): void {
  if (lost <= MOST_LOST * rows || !chosen.some(({ table }) => hasChoice(table))) return;
  const { path } = chosen[chosen.length - 1].table.description;
  const names = chosen.map(({ column }) => `"${column}"`).join(" and ");
  const trouble = `the column${chosen.length > 1 ? "s" : ""} ${names} ${chosen.length > 1 ? "were" : "was"} not named, and`;
  const counts = `${formatCount(lost)} of ${formatCount(rows)} rows would be ${loss}`;
  throw new TableError(refusal(`${path}: ${trouble} ${counts}`, chosen, command));
}

/** A table of one column leaves nothing to choose. */
const hasChoice = ({ description }: WholeTable): boolean => description.columns.length > 1;

function refusal(trouble: string, chosen: readonly UnnamedColumn[], command: NamedCommand): string {
  const lists = chosen.map(candidateColumns);
  const tables = lists.map((list, index) => {
    const title = chosen.length > 1 ? `${chosen[index].table.description.path}\n` : "";
    return `${title}${columnTable(list)}`;
  });
  const option = chosen.length > 1 ? "--on LEFT=RIGHT" : "-c COLUMN";
  const cure = lists.every(([best]) => best.worded > 0)
    ? `Name the column, for example:\n\n  ${command(lists.map(([best]) => best.name))}`
    : `No column of text tells the rows apart. If another one does, name it (${option}):`;
  return `${trouble}. Nothing was written. ${cure}\n\n${tables.join("\n\n")}`;
}

function columnTable(columns: ReturnType<typeof candidateColumns>): string {
  const rows = columns
    .slice(0, SHOWN_COLUMNS)
    .map(({ name, filled, distinct, examples }) => [
      `  ${name}`,
      ...[formatCount(filled), formatCount(distinct), examples.join(" | ")],
    ]);
  const more = columns.length > SHOWN_COLUMNS ? `\n  and ${columns.length - SHOWN_COLUMNS} more` : "";
  const isNumber = (column: number): boolean => column === 1 || column === 2;
  return `${alignColumns([["  column", "filled", "distinct", "examples"], ...rows], isNumber)}${more}`;
}

/** The columns that can tell rows apart (all, if none can), those of the most different names first. */
function candidateColumns({ table, column }: UnnamedColumn) {
  const given = table.description.columns;
  // A chosen column may be made of several.
  const names = given.includes(column) ? given : [column, ...given];
  const columns = names.map((name) => ({ name, ...countCells(table, name) }));
  const fit = columns.filter(({ filled, distinct }) => distinct > 0 && distinct >= LEAST_DISTINCT * filled);
  return (fit.length > 0 ? fit : columns).sort((a, b) => b.names - a.names || b.worded - a.worded);
}

/** Numbers, codes, dates and addresses identify rows, but are no names. */
const isName = (cell: string): boolean => /\p{L}{3}/u.test(cell) && !/@|:\/\/|^\S*\d\S*$/.test(cell);

function countCells({ columns }: WholeTable, name: string) {
  const cells = cellsOfColumn(columns, name)
    .filter(isVisible)
    .map((cell) => cell.trim());
  const different = [...new Set(cells)];
  const shorten = (cell: string): string =>
    cell.length > CELL_WIDTH ? `${cell.slice(0, CELL_WIDTH - 1)}…` : cell;
  return {
    filled: cells.length,
    distinct: different.length,
    /** Number of different values that look like names. */
    names: different.filter(isName).length,
    /** Number of different values with letters. */
    worded: different.filter((cell) => /\p{L}/u.test(cell)).length,
    examples: different.slice(0, SHOWN_CELLS).map((cell) => shorten(cell.replace(/\s+/g, " "))),
  };
}
