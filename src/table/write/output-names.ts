/** Outputs by their names: none is an input, none is given twice; and whether one is as an earlier run left it. */
import { existsSync, realpathSync, statSync } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { ArgumentError } from "../../errors.js";
import { isObjectAddress, isPostgresAddress, tablePlace } from "../../files/place.js";
import { standardOutput } from "./standard-output.js";

type Name = string | undefined;

/** The table of keys that is written beside vectors in an .npy file. */
export const keysPathOf = (output: string): string => `${output}.keys.csv`;

/**
 * Keeps a command from writing over what it reads, or over what it has just written. Files count,
 * and standard output; `/dev/null` may be named twice.
 * @throws ArgumentError
 */
export function refuseOverwriting(inputs: readonly Name[], outputs: readonly Name[]): void {
  const read = new Set(inputs.map(fileOf));
  const written = new Set<string>();
  for (const name of outputs) {
    const file = name === standardOutput ? name : fileOf(name);
    if (file === undefined) continue;
    if (name !== undefined && tablePlace(name).table !== undefined)
      throw new ArgumentError(
        `${name}: pearl writes no databases. Name a .csv, .tsv, .jsonl, .parquet or .xlsx file.`,
      );
    if (read.has(file)) throw new ArgumentError(`${name} is an input. Choose another output name.`);
    if (written.has(file)) throw new ArgumentError(`Two outputs are named ${name}. Choose different names.`);
    written.add(file);
  }
}

/** Keeps a store, and the log that DuckDB keeps beside it, from being a table or an output of its own run. @throws ArgumentError */
export function refuseAsStore(store: string, names: readonly Name[]): void {
  const own = [store, `${store}.wal`].map(fileOf);
  if (names.some((name) => name !== undefined && own.includes(fileOf(name))))
    throw new ArgumentError(`${store} is the store. Choose another name for the table or the output.`);
}

/** What is equal for two names of a file, of a file to come, or of an address. */
function fileOf(name: Name): string | undefined {
  if (name === undefined || name === standardOutput) return undefined;
  if (/^\w+:\/\//.test(name))
    return name.replace(/^\w+/, (scheme) => scheme.toLowerCase()).replace(/\/+$/, "");
  const { file } = tablePlace(name);
  try {
    const found = statSync(file);
    return found.isFile() ? `${found.dev}:${found.ino}` : undefined;
  } catch {
    const folder = dirname(resolve(file));
    return existsSync(folder) ? join(realpathSync(folder), basename(file)) : resolve(file);
  }
}

/**
 * A text that differs after each time that the output is written; undefined where there is none. A table that pearl did not
 * write is no output.
 * @throws ObjectStorageError, TableError where the place cannot be reached
 */
export async function stateOf(output: string): Promise<string | undefined> {
  if (isPostgresAddress(output)) {
    const { writtenTable } = await import("../postgres/write.js");
    return writtenTable(output);
  }
  if (isObjectAddress(output)) {
    const { findObject } = await import("../../files/object-storage/read.js");
    return (await findObject(output))?.etag;
  }
  const found = await stat(output).catch(() => undefined);
  return found && `${found.size} bytes of ${found.mtime.toISOString()}`;
}
