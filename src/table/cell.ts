/** A cell as it is written out: text, a value that is not text as its JSON text, null, or absent (a key that a line lacks). */
export type Cell = string | JsonText | null | undefined;

/** A number, boolean, array or object, digit by digit as its table holds it. */
export interface JsonText {
  readonly json: string;
  /** The text, where it differs: NaN, for which JSON has null. */
  readonly text?: string;
  /** JSON that DuckDB casts to the very value, where `json` rounds a number within. */
  readonly exact?: string;
}

/** A column of an output: its name alone where it holds text, else with its DuckDB type. */
export type OutputColumn = string | TypedColumn;
export interface TypedColumn {
  readonly name: string;
  readonly type: string;
}

export const nameOfColumn = (column: OutputColumn): string =>
  typeof column === "string" ? column : column.name;

export const numberCell = (value: number, digits?: number): JsonText => ({
  json: digits === undefined ? String(value) : value.toFixed(digits),
});

/** The cell in a format that has text only: a null and an absent key are empty. */
export const textOfCell = (cell: Cell): string =>
  typeof cell === "string" ? cell : cell ? (cell.text ?? cell.json) : "";

/** The cell as JSON; undefined where it is absent. */
export const jsonOfCell = (cell: Cell): string | undefined =>
  typeof cell === "object" && cell !== null ? cell.json : JSON.stringify(cell);

/** A cell of text for which JSON has its own values, as in the text of a JSON line. */
export const cellOfJson = (json: string): Cell =>
  json.startsWith('"') ? (JSON.parse(json) as string) : json === "null" ? null : { json };

/** A JSON object of cells by name, without those that are absent. */
export function jsonLine(names: readonly string[], cells: readonly Cell[]): string {
  const values = cells.map(jsonOfCell);
  const pairs = names.map((name, index) => values[index] && `${JSON.stringify(name)}:${values[index]}`);
  return `{${pairs.filter((pair) => pair !== undefined).join(",")}}`;
}

/** A type with parts: its cells are JSON. */
export const isNested = (type: string): boolean => /\]$|^(STRUCT|MAP|UNION|JSON)\b/.test(type);

/** A type whose values JSON writes without quotes. */
export const isPlain = (type: string): boolean =>
  /^(BOOLEAN|U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|DECIMAL|FLOAT|DOUBLE)\b/.test(type);

/** The cell of a text that was stored without its type: "" where there was no value. */
export function cellOfStored(type: string, text: string): Cell {
  if (type === "VARCHAR") return text;
  if (text === "") return null;
  return isNested(type) && !isJson(text) ? text : cellOfType(type, text);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * The cell of a column with this type: numbers, booleans and nested values as JSON, dates and the like as text.
 * @param exact of a nested value, where its text has lost something
 */
export function cellOfType(type: string, text: string | null, exact = ""): Cell {
  if (text === null) return null;
  if (exact !== "") return { json: text, exact };
  if (isNested(type)) return cellOfJson(text);
  if (!isPlain(type)) return text;
  if (/^(true|false|-?(0|[1-9]\d*)(\.\d+)?(e[-+]?\d+)?)$/.test(text)) return { json: text };
  // JSON has no numbers that are not finite.
  return /^(nan|-?inf)/i.test(text) ? { json: "null", text } : text;
}
