/** What each command does first: it refuses to write over a file that it reads, or to write one file twice. */
import { existsSync } from "node:fs";
import { isObjectAddress } from "../files/object-storage/address.js";
import { isPostgresAddress } from "../table/postgres/address.js";
import { keysPathOf, refuseAsStore, refuseOverwriting } from "../table/write/output-names.js";

/** Options that name a file to write, as commander calls their values. */
const outputOptions = new Set([
  ...["output", "json", "report", "plot", "groups", "export", "chart"],
  ...["reviewOut", "explainOut", "pairsOut", "learn"],
]);

const isText = (value: unknown): value is string => typeof value === "string";

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
    inputs.filter((name) => existsSync(name) || isObjectAddress(name) || isPostgresAddress(name)),
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
