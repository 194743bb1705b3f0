/** What a command that is given addresses in object storage does first: it stops cleanly, and refuses what it cannot write. */
import { UsageError } from "../errors.js";
import { isObjectAddress } from "../files/object-storage/address.js";
import { standardOutput } from "../table/write/standard-output.js";
import type { Session } from "./session.js";

interface Options {
  readonly output?: unknown;
  readonly backend?: unknown;
}

const isAddress = (value: unknown): value is string => typeof value === "string" && isObjectAddress(value);

/** @throws ObjectStorageError where the output cannot be written */
export async function prepareObjectStorage(
  words: readonly unknown[],
  options: Options,
  session: Session,
): Promise<void> {
  if (![...words, ...Object.values(options)].flat().some(isAddress)) return;
  const { endTransfersOn } = await import("../files/object-storage/client.js");
  endTransfersOn(session.signal);
  if (!isAddress(options.output) || options.backend === "lancedb") return;
  const { checkWritable } = await import("../files/object-storage/write.js");
  await checkWritable(options.output);
}

/** @throws UsageError for an output with which the command continues when it is run again */
export function refuseStreams(output: string): void {
  if (output === standardOutput || isObjectAddress(output))
    throw new UsageError(
      `${output}: the same command continues an interrupted run, so its output (-o) must be a file or folder`,
    );
}
