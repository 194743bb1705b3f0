/** Pairs of phrases from a table: text and positive, and optionally a hard negative and a type. */
import { basename } from "node:path";
import { TableError } from "../../errors.js";
import { formatCount } from "../../files/count-text.js";
import { fingerprint } from "../../files/fingerprint.js";
import { readWholeTable } from "../../table/whole-table.js";

export interface Pair {
  readonly text: string;
  readonly positive: string;
  /** A phrase of similar spelling and another meaning; "" where there is none. */
  readonly negative: string;
  /** Phrase type of text and positive; "" where unknown. */
  readonly type: string;
}

export interface PairTable {
  /** Distinct and complete. */
  readonly pairs: readonly Pair[];
  /** Rows left out because text or positive is empty. */
  readonly empty: number;
  /** Rows left out because an earlier row is the same. */
  readonly repeated: number;
  readonly fingerprint: string;
  readonly summary: string;
}

/**
 * Reads pairs from a table of any format. Columns are found by name; without the names text and positive, the first
 * two columns are used.
 * @param typesPath a table with phrase and type as its first two columns, for pairs without a type; "none" ignores types
 * @throws TableError for a table without two columns or without two different pairs
 */
export async function readPairs(
  path: string,
  { typesPath }: { typesPath?: string } = {},
): Promise<PairTable> {
  const name = basename(path);
  const isUntyped = typesPath === "none";
  const { rows: typed } =
    typesPath === undefined || isUntyped ? { rows: [] } : await readRows(typesPath, typeColumns);
  const types = new Map(typed.map(([phrase, type]) => [phrase, type]));
  const { columns, rows } = await readRows(path, pairColumns);
  const complete = rows.filter(([text, positive]) => text !== "" && positive !== "");
  const distinct = new Map<string, Pair>();
  for (const [text, positive, negative, ownType] of complete) {
    const type = isUntyped ? "" : ownType || types.get(text) || types.get(positive) || "";
    const pair = { text, positive, negative, type };
    distinct.set(JSON.stringify(pair), pair);
  }
  const pairs = [...distinct.values()];
  checkPairs(name, pairs, rows.length);
  const used = columns.filter((column) => column !== undefined).join(", ");
  return {
    pairs,
    empty: rows.length - complete.length,
    repeated: complete.length - pairs.length,
    fingerprint: fingerprint([...distinct.keys()].join("\n")),
    summary: `${name}: ${formatCount(pairs.length)} pairs from the columns ${used}`,
  };
}

type Columns = readonly (string | undefined)[];

function pairColumns(name: string, columns: readonly string[]): Columns {
  const byName = ["text", "positive", "negative", "type"].map((wanted) =>
    columns.find((column) => column.trim().toLowerCase() === wanted),
  );
  if (byName[0] !== undefined && byName[1] !== undefined) return byName;
  if (columns.length < 2)
    throw new TableError(
      `${name}: found one column (${columns[0]}), expected two: a phrase and one that means the same ` +
        "(columns text and positive, optionally negative and type).",
    );
  return [columns[0], columns[1], undefined, undefined];
}

function typeColumns(name: string, [phrase, type]: readonly string[]): Columns {
  if (type === undefined)
    throw new TableError(
      `${name}: found one column, expected two: a phrase and its type. Add the type to each row.`,
    );
  return [phrase, type];
}

/** Trimmed cells of the chosen columns; cells of an absent column are empty. */
async function readRows(path: string, choose: (name: string, columns: readonly string[]) => Columns) {
  const { description, columns: cells } = await readWholeTable(path, { column: "1" });
  const columns = choose(basename(path), description.columns);
  const rows = Array.from({ length: description.rowCount }, (_, row) =>
    columns.map((column) => (column === undefined ? "" : cells[column][row].trim())),
  );
  return { columns, rows };
}

function checkPairs(name: string, pairs: readonly Pair[], rows: number): void {
  if (rows === 0) throw new TableError(`${name}: the table has no rows. Give at least two different pairs.`);
  if (pairs.length === 0)
    throw new TableError(`${name}: text or positive is empty in all ${rows} rows. Fill both columns.`);
  const [first] = pairs;
  if (pairs.every(({ text, positive }) => text === first.text && positive === first.positive))
    throw new TableError(`${name}: all rows hold the same pair. Give at least two different pairs.`);
}
