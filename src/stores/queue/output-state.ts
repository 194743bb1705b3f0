/** How the output of a run is, to know whether it is still as the merge left it. */
import { resolve } from "node:path";
import { isObjectAddress } from "../../files/object-storage/address.js";
import { isPostgresAddress } from "../../table/postgres/address.js";
import { stateOf } from "../../table/write/output-state.js";
import type { QueuedRun } from "./job.js";

/** A text that differs after each change; undefined where there is no output. @throws ObjectStorageError, TableError */
export async function outputState({
  folder,
  output,
}: Pick<QueuedRun, "folder" | "output">): Promise<string | undefined> {
  if (output === undefined) return undefined;
  const isAddress = isPostgresAddress(output) || isObjectAddress(output);
  return stateOf(isAddress ? output : resolve(folder, output));
}
