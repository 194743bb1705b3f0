/** What a command that is given addresses in place of files does first: it stops cleanly, and refuses what it cannot write. */
import { UsageError } from "../errors.js";
import { isObjectAddress, isPostgresAddress, refuseUnknownAddress } from "../files/place.js";
import { standardOutput } from "../table/write/standard-output.js";
import type { AnyCommand } from "./command.js";
import type { Session } from "./session.js";

interface Options {
  readonly output?: unknown;
  /** Of indexes alone. */
  readonly backend?: unknown;
}

const isText = (value: unknown): value is string => typeof value === "string";

/** What arguments and options are called that name files, folders, models or indexes. */
const places =
  /^(<|\[)?(file|folders?|left|right|review|index(es)?|model|corpus|text|part|support|examples)\b/;

/** @throws UsageError where a file, folder, model or index is an address that the command cannot have */
export function refuseUnknownAddresses(
  { arguments: given = [], options: declared = [] }: Pick<AnyCommand, "arguments" | "options">,
  words: readonly unknown[],
  options: Readonly<Record<string, unknown>>,
): void {
  const named = [
    ...given.map(([usage], place) => [usage, words[place]] as const),
    ...declared.map(
      (option) => [/[<[].*/.exec(option.flags)?.[0] ?? "", options[option.attributeName()]] as const,
    ),
  ];
  for (const [usage, value] of named)
    if (places.test(usage)) for (const name of [value].flat().filter(isText)) refuseUnknownAddress(name);
}

/** @throws ObjectStorageError, TableError where the output cannot be written */
export async function prepareAddresses(
  words: readonly unknown[],
  { output, backend, ...others }: Options,
  session: Session,
): Promise<void> {
  const named = [...words, output, ...Object.values(others)].flat().filter(isText);
  if (named.some(isObjectAddress)) {
    const { endTransfersOn } = await import("../files/object-storage/client.js");
    endTransfersOn(session.signal);
  }
  if (!isText(output)) return;
  if (isObjectAddress(output)) {
    const { checkWritable } = await import("../files/object-storage/write.js");
    await checkWritable(output);
  }
  if (isPostgresAddress(output) && backend === undefined) {
    const { checkPostgresOutput } = await import("../table/postgres/write.js");
    await checkPostgresOutput(output);
  }
}

/** @param example a name @throws UsageError for an output that only a file or folder can hold */
export function refuseStandardOutput(output: string, example: string): void {
  if (output === standardOutput)
    throw new UsageError(
      `-o -: other commands read this output by its name, so it cannot go to standard output. Name it, such as -o ${example}`,
    );
}

/** @throws UsageError for an output with which the command continues when it is run again */
export function refuseStreams(output: string): void {
  if (output === standardOutput || isObjectAddress(output))
    throw new UsageError(
      `${output}: the same command continues an interrupted run, so its output (-o) must be a file or folder`,
    );
}
