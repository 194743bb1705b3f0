/** Pairs of phrases from a table: text and positive, and where given a hard negative and a type. */
import { createHash } from "node:crypto";
import { basename } from "node:path";
import { TableError } from "../../errors.js";
import { Table } from "../../table/table.js";

/** Two phrases that mean the same, as the table has them. */
export interface Pair {
  readonly text: string;
  readonly positive: string;
  /** A phrase that looks alike but means something else; "" where there is none. */
  readonly negative: string;
  /** Phrase type of text and positive; "" where unknown. */
  readonly type: string;
}

/** What a table of pairs held. */
export interface PairTable {
  readonly pairs: readonly Pair[];
  /** Rows of the table. */
  readonly rows: number;
  /** Rows left out, since text or positive was empty. */
  readonly empty: number;
  /** Rows left out, since an earlier row was the same. */
  readonly repeated: number;
  /** SHA-256 over the pairs, 16 hexadecimal digits. */
  readonly fingerprint: string;
  /** One line for people: how the table was read. */
  readonly summary: string;
}

/** Columns by name. */
const columnNames = ["text", "positive", "negative", "type"] as const;

/**
 * Reads pairs from a table of any format. Columns are found by name; where text and positive are not among the
 * names, the first two columns are they.
 * @param typesPath a table of phrase and type (its first two columns), for pairs without a type of their own
 * @throws TableError for a table that has no two columns, or no two different pairs
 */
export async function readPairs(
  path: string,
  { typesPath }: { typesPath?: string } = {},
): Promise<PairTable> {
  const types = typesPath === undefined ? new Map<string, string>() : await readTypes(typesPath);
  const table = await Table.open(path, { column: "1" });
  try {
    const { columns, rowCount } = table.description;
    const name = basename(path);
    const found = columnsOf(name, columns);
    const values = await Promise.all(
      found.map((column) => (column === undefined ? [] : wholeColumn(table, column))),
    );
    const rows = Array.from({ length: rowCount }, (_, row) =>
      values.map((column) => (column[row] ?? "").trim()),
    );
    const complete = rows.filter(([text, positive]) => text !== "" && positive !== "");
    const distinct = new Map<string, Pair>();
    for (const [text, positive, negative, ownType] of complete) {
      const pair = {
        text,
        positive,
        negative,
        type: ownType || types.get(text) || types.get(positive) || "",
      };
      distinct.set(JSON.stringify(pair), pair);
    }
    const pairs = [...distinct.values()];
    const used = found.filter((column) => column !== undefined).join(", ");
    checkPairs(name, pairs, complete.length, rowCount);
    return {
      pairs,
      rows: rowCount,
      empty: rowCount - complete.length,
      repeated: complete.length - pairs.length,
      fingerprint: createHash("sha256")
        .update([...distinct.keys()].join("\n"))
        .digest("hex")
        .slice(0, 16),
      summary: `${name}: ${pairs.length.toLocaleString("en-US")} pairs from the columns ${used}`,
    };
  } finally {
    await table.close();
  }
}

/** The table's names of text, positive, negative and type. */
function columnsOf(path: string, columns: readonly string[]): (string | undefined)[] {
  const byName = columnNames.map((name) => columns.find((column) => column.trim().toLowerCase() === name));
  if (byName[0] !== undefined && byName[1] !== undefined) return byName;
  if (columns.length < 2)
    throw new TableError(
      `${path}: found one column (${columns[0]}), expected two: a phrase and one that means the same ` +
        "(columns text and positive, if wanted also negative and type).",
    );
  return [columns[0], columns[1], undefined, undefined];
}

async function wholeColumn(table: Table, column: string): Promise<string[]> {
  const values: string[] = [];
  for await (const chunk of table.columnValues(column)) for (const value of chunk) values.push(value);
  return values;
}

async function readTypes(path: string): Promise<Map<string, string>> {
  const table = await Table.open(path, { column: "1" });
  try {
    const [phrase, type] = table.description.columns;
    if (type === undefined)
      throw new TableError(`${basename(path)}: found one column, expected two: a phrase and its type.`);
    const [phrases, types] = [await wholeColumn(table, phrase), await wholeColumn(table, type)];
    return new Map(phrases.map((text, row) => [text.trim(), types[row].trim()]));
  } finally {
    await table.close();
  }
}

function checkPairs(path: string, pairs: readonly Pair[], complete: number, rows: number): void {
  if (rows === 0) throw new TableError(`${path}: the table has no rows.`);
  if (complete === 0)
    throw new TableError(`${path}: text or positive is empty in all ${rows} rows. Fill both columns.`);
  const [first] = pairs;
  if (pairs.every(({ text, positive }) => text === first.text && positive === first.positive))
    throw new TableError(
      `${path}: all rows hold the same pair, so there is nothing to tell apart. Give at least two different pairs.`,
    );
}
