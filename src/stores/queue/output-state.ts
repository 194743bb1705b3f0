/** How the output of a run is, to know whether it is still as the merge left it. */
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { isObjectAddress } from "../../files/object-storage/address.js";
import { isPostgresAddress } from "../../table/postgres/address.js";
import type { QueuedRun } from "./job.js";

/** A text that differs after each change; undefined where there is no output, and for a table in PostgreSQL. */
export async function outputState({
  folder,
  output,
}: Pick<QueuedRun, "folder" | "output">): Promise<string | undefined> {
  if (output === undefined || isPostgresAddress(output)) return undefined;
  if (isObjectAddress(output)) {
    const { findObject } = await import("../../files/object-storage/read.js");
    return (await findObject(output))?.etag;
  }
  const found = await stat(resolve(folder, output)).catch(() => undefined);
  return found && `${found.size} bytes of ${found.mtime.toISOString()}`;
}
