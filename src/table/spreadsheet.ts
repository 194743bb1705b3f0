/**
 * Excel's workbooks (.xlsx): a sheet is read as text of the same cells, and rows are written into a new workbook. A sheet is named
 * after the file: `book.xlsx?sheet=Orders`.
 */
import { messageOf, TableError } from "../errors.js";
import { formatCount } from "../files/count-text.js";
import { type Cell, nameOfColumn, type OutputColumn, textOfCell } from "./cell.js";

/** A sheet as text: commas between cells, which are quoted, and a line for each row. */
export interface SheetText {
  readonly text: Buffer;
  readonly sheet: string;
  /** The names of the others. */
  readonly others: readonly string[];
}

/**
 * @param shown the file in messages
 * @param sheet its name. Default: the first sheet
 * @throws TableError for a file that is no workbook, and for a sheet that is not there or empty
 */
export async function sheetText(shown: string, bytes: Buffer, sheet?: string): Promise<SheetText> {
  const { default: readWorkbook } = await import("read-excel-file/node");
  const sheets = await readWorkbook(bytes, { trim: false }).catch((cause: unknown): never => {
    throw new TableError(
      `${shown} is a zip file, but not a workbook that pearl can read (${messageOf(cause)}). Save the sheet as .xlsx or CSV, ` +
        "or unpack the zip.",
      { cause },
    );
  });
  const found = sheet === undefined ? sheets[0] : sheets.find((one) => one.sheet === sheet);
  const names = sheets.map((one) => one.sheet);
  if (found === undefined)
    throw new TableError(`${shown} has no sheet "${sheet}". Name one of its sheets: ${names.join(", ")}.`);
  if (found.data.length === 0)
    throw new TableError(
      `${shown}: the sheet "${found.sheet}" is empty. Give a table with at least a header or one phrase` +
        `${sheets.length > 1 ? `, or name another sheet: ${shown}?sheet=NAME (${names.join(", ")})` : ""}.`,
    );
  const lines = found.data.map((cells) =>
    cells.every((cell) => cell === null) ? "" : cells.map((cell) => quoted(cellText(cell))).join(","),
  );
  return {
    ...{ text: Buffer.from(`${lines.join("\n")}\n`), sheet: found.sheet },
    others: names.filter((name) => name !== found.sheet),
  };
}

/** What a summary of a table says of its sheet. */
export function sheetLine({ sheet, others }: Pick<SheetText, "sheet" | "others">): string {
  if (others.length === 0) return `sheet "${sheet}"`;
  return `sheet "${sheet}" of ${formatCount(others.length + 1)} (others: ?sheet=${others[0]} after the file name)`;
}

const quoted = (text: string): string => (text === "" ? "" : `"${text.replaceAll('"', '""')}"`);

/** A cell as people see it: numbers to the 15 digits that Excel keeps, dates as 2024-01-31. */
function cellText(cell: unknown): string {
  if (typeof cell === "number") return String(Number(cell.toPrecision(15)));
  if (!(cell instanceof Date)) return String(cell ?? "");
  // Days and their parts are binary fractions: to the nearest second.
  const [day, time] = new Date(Math.round(cell.getTime() / 1000) * 1000)
    .toISOString()
    .slice(0, 19)
    .split("T");
  return time === "00:00:00" ? day : `${day} ${time}`;
}

/** What a sheet holds at most: rows, and characters of a cell. */
const [mostRows, mostCharacters] = [1_048_576, 32_767];
/** Excel keeps so many digits of a number: longer ones are written as text. */
const mostDigits = 15;

type SheetCell = string | number | boolean | null;

/**
 * The bytes of a workbook with one sheet: names of columns in bold, which stay in sight, then the rows. Numbers and truth values
 * stay what they are; text that looks like a formula stays text.
 * @throws TableError for more rows, or a longer cell, than a sheet holds
 */
export async function workbookOf(
  path: string,
  columns: readonly OutputColumn[],
  batches: AsyncIterable<readonly (readonly Cell[])[]>,
): Promise<Buffer> {
  const { default: writeWorkbook } = await import("write-excel-file/node");
  const header = columns.map((column) => ({ value: nameOfColumn(column), fontWeight: "bold" }) as const);
  const rows: SheetCell[][] = [];
  for await (const batch of batches)
    for (const cells of batch) {
      const long = cells.findIndex((cell) => textOfCell(cell).length > mostCharacters);
      if (rows.length + 1 === mostRows || long >= 0)
        throw new TableError(
          `${path}: ${long < 0 ? "more rows" : `row ${rows.length + 1} has more characters in ${nameOfColumn(columns[long])}`} ` +
            `than a sheet of Excel holds (${formatCount(long < 0 ? mostRows : mostCharacters)}). Write .csv or .parquet.`,
        );
      rows.push(cells.map(sheetCell));
    }
  for (const column of columns.keys()) asNumbers(rows, column);
  return writeWorkbook([header, ...rows], { stickyRowsCount: 1 }).toBuffer();
}

/** A column of text that holds plain numbers alone, as a CSV file has them: none would lose a sign of its text. */
function asNumbers(rows: SheetCell[][], column: number): void {
  const isPlain = (cell: SheetCell): boolean =>
    cell === null || (typeof cell === "string" && cell === String(Number(cell)) && isShort(cell));
  if (!rows.every((cells) => isPlain(cells[column]))) return;
  for (const cells of rows) if (cells[column] !== null) cells[column] = Number(cells[column]);
}

const isShort = (number: string): boolean =>
  /^-?\d+(\.\d+)?(e[-+]?\d+)?$/.test(number) && number.replace(/e.*$|\D/g, "").length <= mostDigits;

function sheetCell(cell: Cell): SheetCell {
  const text = textOfCell(cell);
  if (typeof cell === "object" && cell !== null) {
    if (text === "true" || text === "false") return text === "true";
    if (isShort(text)) return Number(text);
  }
  // Characters that XML has no way to write are left out; "_x0041_" would be read as the character of that number.
  const written = text.replace(/[^\t\n\r\x20-\uFFFD]/g, "").replace(/_(?=x[0-9a-f]{4}_)/gi, "_x005F_");
  return text === "" ? null : written;
}
