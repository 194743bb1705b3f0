/** How an output is that an earlier run may have left: a file, an object in object storage, or a table in PostgreSQL. */
import { stat } from "node:fs/promises";
import { isObjectAddress } from "../../files/object-storage/address.js";
import { isPostgresAddress } from "../postgres/address.js";

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
