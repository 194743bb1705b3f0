/** What each command does first: it stops cleanly, and refuses what it cannot write, or would write over what it reads. */
import { existsSync } from "node:fs";
import { UsageError } from "../errors.js";
import { isObjectAddress, isPostgresAddress, refuseUnknownAddress, tablePlace } from "../files/place.js";
import { keysPathOf, refuseAsStore, refuseOverwriting } from "../table/write/output-names.js";
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

/** Options that name a file to write, as commander calls their values. */
const outputOptions = new Set([
  ...["output", "json", "report", "plot", "groups", "export", "chart"],
  ...["reviewOut", "explainOut", "pairsOut", "learn"],
]);

/**
 * @param words the arguments of a command
 * @throws ArgumentError where an output is a file that an argument or another option names, or is named twice
 */
export function refuseOwnInputs(words: readonly unknown[], options: object): void {
  const given = Object.entries(options);
  const valuesOf = (areOutputs: boolean): string[] =>
    given
      .filter(([name]) => outputOptions.has(name) === areOutputs)
      .flatMap(([, value]) => value)
      .filter(isText);
  const store = given.find(([name]) => name === "store")?.[1];
  // a table may have a weight behind it: pairs.csv=2
  const inputs = [...words.flat().filter(isText), ...valuesOf(false)].flatMap((name) => [
    ...new Set([name, name.replace(/=[\d.]+$/, "")]),
  ]);
  if (isText(store)) refuseAsStore(store, [...words.flat().filter(isText), ...valuesOf(true)]);
  // a word that is no file is a phrase or a choice
  refuseOverwriting(
    inputs.filter(
      (name) => existsSync(tablePlace(name).file) || isObjectAddress(name) || isPostgresAddress(name),
    ),
    [...valuesOf(true), ...keysBeside(given)],
  );
}

/** The file of keys beside an .npy file. */
function keysBeside(given: readonly (readonly [string, unknown])[]): string[] {
  const { output, format } = Object.fromEntries(given) as Readonly<Record<string, unknown>>;
  if (!isText(output)) return [];
  const isNpy = isText(format) ? format === "npy" : output.toLowerCase().endsWith(".npy");
  return isNpy ? [keysPathOf(output)] : [];
}
