/** Kinds of the phrases of table files: examples in, and tables with the kind of each row out. */
import { TableError } from "../../errors.js";
import { addedColumns, checkNames, type FileOptions, numberColumn } from "../../group/tables/group-files.js";
import { numberCell } from "../../table/cell.js";
import { findColumn, listed } from "../../table/columns.js";
import { batchesOf, readWholeTable } from "../../table/whole-table.js";
import { writeRows } from "../../table/write/text-rows.js";
import { type ClassifyOptions, classify, type KindOfPhrase, type Kinds } from "./kinds.js";
import type { KindExample } from "./train.js";

/** Usual names of the column that says of what kind a phrase is, the first one first. */
const usualNames = ["kind", "label", "class", "category", "type"];

/** Rows with their line of the message, for a table that lacks a column. */
const exampleLines = "phrase,kind\nTrieste,town\nAdriatic Sea,water";

/**
 * Reads examples of kinds from a table.
 * @param kindColumn default: the first one with a usual name
 * @throws TableError where there is no such column, or a row has a phrase and no kind
 */
export async function readExamples(
  path: string,
  { kindColumn, table, onNote }: FileOptions & { readonly kindColumn?: string } = {},
): Promise<KindExample[]> {
  const { description, columns, phrases } = await readWholeTable(path, table, onNote);
  const names = description.columns;
  const usual = usualNames.flatMap((name) =>
    names.filter((own) => own.trim().toLowerCase() === name && own !== description.column),
  );
  const column = kindColumn === undefined ? usual[0] : names[findColumn(path, names, kindColumn)];
  if (column === undefined || column === description.column)
    throw new TableError(
      `${path}: examples need a column of phrases and a column of kinds, as in\n\n${exampleLines}\n\n` +
        `The columns are ${listed(names)}. Name the column of kinds with --kind-column.`,
    );
  const kinds = columns[column];
  const lacking = phrases.findIndex((phrase, row) => phrase.trim() !== "" && kinds[row].trim() === "");
  if (lacking >= 0)
    throw new TableError(
      `${path} row ${lacking + 1}: "${phrases[lacking]}" has no ${column}. Fill the cell, or remove the row.`,
    );
  return phrases.flatMap((phrase, row) =>
    phrase.trim() === "" ? [] : [{ phrase: phrase.trim(), kind: kinds[row].trim() }],
  );
}

/** Options of {@link classifyTable}. */
export interface ClassifyTableOptions extends ClassifyOptions, FileOptions {}

/**
 * Writes the rows of a table with two more columns: `kind`, empty for none of the kinds, and its `probability`.
 * @param output .csv, .tsv, .jsonl or .parquet; "-" is standard output; undefined writes nothing
 * @throws TableError, ModelError
 */
export async function classifyTable(
  path: string,
  output: string | undefined,
  kinds: Kinds,
  options: ClassifyTableOptions = {},
): Promise<{ readonly phrases: readonly string[]; readonly found: readonly KindOfPhrase[] }> {
  checkNames(path, [output], options.format);
  const { phrases, typed } = await readWholeTable(path, options.table, options.onNote);
  const found = await classify(phrases, kinds, options);
  if (output !== undefined) {
    const added = addedColumns(typed.columns, ["kind", numberColumn("probability")]);
    const rows = batchesOf(phrases.keys(), (row) => [
      ...typed.cells(row),
      found[row].kind ?? "",
      numberCell(found[row].probability, 4),
    ]);
    await writeRows(output, [...typed.columns, ...added], rows, options.format);
  }
  return { phrases, found };
}
