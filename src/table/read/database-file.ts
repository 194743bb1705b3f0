/** Tables and views of SQLite and DuckDB files, `shop.db?table=customers`. Nothing is written into a file or beside it. */
import { isUtf8 } from "node:buffer";
import { createReadStream, createWriteStream, existsSync } from "node:fs";
import { copyFile, realpath, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { setImmediate } from "node:timers/promises";
import type { SQLiteValue, Statement } from "node-sqlite3-wasm";
import { isDiskFull, messageOf, TableError } from "../../errors.js";
import { databaseFingerprint } from "../../files/checksums/fingerprint.js";
import { isObjectAddress, tablePlace } from "../../files/place.js";
import { shellWord } from "../../shell-word.js";
import { listed, namedColumn, nearestName } from "../columns.js";
import { Database, identifier, literal, OutOfMemory } from "./database.js";
import { type Imported, rowsTable, typedTable } from "./import.js";
import { type Source, standardInput } from "./source.js";

type OnRead = (characters: number) => void;

/**
 * @param onRead receives the characters read so far; what it throws ends the reading
 * @returns undefined for another file
 * @throws TableError for another file with `?table=`, one that its database does not read, and a table that is not there
 */
export async function importDatabaseFile(
  database: Database,
  path: string,
  { signature, isPacked, chunks }: Source,
  onRead: OnRead,
): Promise<Imported | undefined> {
  const { file: named, table: wanted } = tablePlace(path);
  if (signature !== "sqlite" && signature !== "duckdb") {
    if (wanted === undefined) return undefined;
    throw new TableError(
      `${path}: the file is no SQLite or DuckDB database, or is encrypted. Leave out ?table=, or name a database.`,
    );
  }
  if (path === standardInput)
    throw new TableError("standard input: a database cannot be read from a pipe. Save it to a file first.");
  const isHere = !isPacked && !isObjectAddress(path) && (await stat(named)).isFile();
  const file = isHere ? await realpath(named) : join(database.folder, "unpacked.db");
  if (!isHere) await pipeline(chunks, createWriteStream(file));
  const [kind, read, other] =
    signature === "sqlite"
      ? ["SQLite", fromSqlite, "make a copy in UTF-8: sqlite3 FILE .dump | sqlite3 copy.db"]
      : ["DuckDB", fromDuckdb, "export the table as Parquet."];
  const { table, names, types } = await read(database, path, file, onRead).catch((error: Error) => {
    const cause = error.name === "SQLite3Error" ? error : error.cause;
    if (cause === undefined || isDiskFull(cause) || error instanceof OutOfMemory) throw error;
    const trouble = `${path}: ${kind} cannot read it (${messageOf(cause).split("\n", 1)[0]})`;
    throw new TableError(`${trouble}. Close what writes it, restore it if it is damaged, or ${other}`);
  });
  const identity = `${table} sha256 ${await databaseFingerprint(file)}`;
  const imported = await typedTable(database, path, names, types, identity);
  return { ...imported, layout: `${kind}, table "${table}"` };
}

/** The table that is named, in any letter case if none is exact; else the only one. @throws TableError */
function chosen(path: string, names: readonly string[]): string {
  const { file, table } = tablePlace(path);
  if (names.length === 0) throw new TableError(`${file} has no tables. Give a database with at least one.`);
  const found = table
    ? names[namedColumn(names, table.replace(/^main\./i, ""))]
    : names.length === 1 && names[0];
  if (found) return found;
  const near = nearestName(names, table ?? "");
  const cure = near === undefined ? "Choose one of these." : `Did you mean "${near}"?`;
  throw new TableError(
    table
      ? `${file}: no table "${table}". Its tables are ${listed(names)}. ${cure}`
      : `${file} has several tables. Name one: ${shellWord(`${file}?table=${names[0]}`)} (${listed(names)}).`,
  );
}

/** Opens a database by a link in the work folder: beside the name that it is given, SQLite makes its locks and logs. */
async function openSqlite(folder: string, path: string, file: string) {
  const journal = createReadStream(`${file}-journal`, { end: 0 });
  const [start] = await journal.toArray().catch(() => []);
  if (start?.[0] === 0xd9)
    throw new TableError(
      `${path}: another program writes it, or was stopped while it did. Wait, or let SQLite tidy up: sqlite3 FILE .tables`,
    );
  const link = join(folder, "sqlite.db");
  // Few users of Windows may make links.
  await symlink(file, link).catch(() => copyFile(file, link));
  const log = `${file}-wal`;
  // Copied by its content: SQLite wants to write into it, and the file may not allow that.
  if (existsSync(log)) await pipeline(createReadStream(log), createWriteStream(`${link}-wal`));
  const { default: sqlite } = await import("node-sqlite3-wasm");
  return new sqlite.Database(link, { readOnly: true });
}

async function fromSqlite(database: Database, path: string, file: string, onRead: OnRead) {
  const before = await stat(file, { bigint: true });
  const opened = await openSqlite(database.folder, path, file);
  try {
    // A write-ahead log without memory that processes share.
    opened.exec("PRAGMA locking_mode = EXCLUSIVE");
    const tables = opened.all(
      `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type <> 'shadow' AND name NOT GLOB 'sqlite_*' ORDER BY 1`,
    );
    const nameOf = ({ name }: (typeof tables)[number]): string => String(name);
    const table = chosen(path, tables.map(nameOf));
    const columns = opened.all("SELECT name, type FROM pragma_table_xinfo(?) WHERE hidden <> 1", table);
    const names = columns.map(nameOf);
    // Texts come as bytes, to see what is not UTF-8, and BLOBs as digits.
    const value = (name: string) =>
      `CASE typeof(${name}) WHEN 'text' THEN CAST(${name} AS BLOB) WHEN 'blob' THEN hex(${name}) ELSE ${name} END`;
    const values = names.map((name, index) => `${value(identifier(name))} AS c${index}`);
    // The order of the table itself, not that of an index which has all its columns.
    const select = opened.prepare(`SELECT ${values.join(", ")} FROM ${identifier(table)} NOT INDEXED`);
    const kinds = names.map(() => new Set<string>());
    const rows = textsOf(select, kinds, path, onRead);
    const stored = database.appendTexts(rowsTable, names.length, rows, (text) => text, path);
    await stored.finally(() => select.finalize());
    const types = columns.map(({ type }, index) => typeOf(String(type), kinds[index]));
    const casts = types.map((type, index) => `CAST(c${index} AS ${type}) AS c${index}`);
    await database.createTable(rowsTable, `SELECT ${casts.join(", ")} FROM ${rowsTable}`, path);
    if ((await stat(file, { bigint: true })).mtimeNs === before.mtimeNs) return { table, names, types };
    throw new TableError(`${path} was written while it was read. Run the command again when that has ended.`);
  } finally {
    opened.close();
  }
}

/** The cells of each row as text. @param kinds receives the kinds of values in each column @throws TableError for text that is not UTF-8 */
async function* textsOf(
  select: Statement,
  kinds: readonly Set<string>[],
  path: string,
  onRead: OnRead,
): AsyncGenerator<(string | null)[][]> {
  let [row, characters] = [0, 0];
  for (const cells of select.iterate() as Iterable<Record<string, SQLiteValue>>) {
    row++;
    const texts = Object.values(cells).map((value, column) => textOf(value, kinds[column]));
    if (texts.includes(undefined))
      throw new TableError(`${path}, row ${row}: text that is not UTF-8. Correct it in the database.`);
    characters += texts.join("").length;
    yield [texts as (string | null)[]];
    if (row % 4096 > 0) continue;
    // SQLite never waits, so signals and clocks get their turn here.
    await setImmediate();
    onRead(characters);
  }
}

/** A BLOB is text if it is UTF-8 without NUL, else hexadecimal digits. @returns undefined for text that is not UTF-8 */
function textOf(value: SQLiteValue, kinds: Set<string>): string | null | undefined {
  if (value === null) return null;
  kinds.add(typeof value === "number" && !Number.isSafeInteger(value) ? "real" : typeof value);
  if (value instanceof Uint8Array) {
    const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    return isUtf8(bytes) ? bytes.toString() : undefined;
  }
  if (typeof value !== "string") return String(value);
  const bytes = Buffer.from(value, "hex");
  return isUtf8(bytes) && !bytes.includes(0) ? bytes.toString() : value;
}

/** The type of number that holds all values as they are, else text; as declared where there are none. */
function typeOf(declared: string, kinds: ReadonlySet<string>): string {
  const isReal = kinds.has("real") || /REAL|FLOA|DOUB/i.test(declared);
  if (kinds.has("object") || kinds.has("string") || (isReal && kinds.has("bigint"))) return "VARCHAR";
  if (isReal) return "DOUBLE";
  return kinds.size > 0 || /INT/i.test(declared) ? "BIGINT" : "VARCHAR";
}

/** A view may name any file of the machine: a second DuckDB, which then opens no other file, reads it. */
async function fromDuckdb(database: Database, path: string, file: string) {
  const sealed = await Database.open(database.folder);
  const copy = literal(join(sealed.folder, "copy.db"));
  try {
    await sealed.run(`ATTACH ${literal(file)} AS source (READ_ONLY)`, path);
    await sealed.run(`ATTACH ${copy} AS copy`, path);
    await sealed.run("SET enable_external_access = false", path);
    const found = await sealed.run(
      "SELECT table_schema, table_name FROM information_schema.tables WHERE table_catalog = 'source' ORDER BY ALL",
      path,
    );
    const names = found.map(([schema, name]) => (schema === "main" ? String(name) : `${schema}.${name}`));
    const table = chosen(path, names);
    const from = ["source", ...found[names.indexOf(table)]].map((name) => identifier(String(name))).join(".");
    const columns = (await sealed.run(`DESCRIBE SELECT * FROM ${from}`, path)).map((row) => row.map(String));
    const stored = columns.map(([name], index) => `${identifier(name)} AS c${index}`);
    await sealed.createTable("copy.whole", `SELECT ${stored.join(", ")} FROM ${from}`, path);
    await sealed.run("DETACH copy", path);
    await database.run(`ATTACH ${copy} AS copy (READ_ONLY)`, path);
    await database.createTable(rowsTable, "FROM copy.whole", path);
    await database.run("DETACH copy", path);
    return { table, names: columns.map(([name]) => name), types: columns.map(([, type]) => type) };
  } finally {
    await sealed.close();
  }
}
