/** Settings by name, or from a user's file. */
import { readFile } from "node:fs/promises";
import { parse } from "yaml";
import { ArgumentError, messageOf } from "../../errors.js";
import type { MethodSettings } from "../method.js";
import { fromScratch } from "./from-scratch.js";
import { pearlBase } from "./pearl-base.js";
import { pearlSmall } from "./pearl-small.js";

export const presets = {
  "pearl-small": pearlSmall,
  "pearl-base": pearlBase,
  "from-scratch": fromScratch,
} as const satisfies Record<string, MethodSettings>;

export type PresetName = keyof typeof presets;

/** What a run takes where no preset is named. */
export const defaultPreset: PresetName = "pearl-small";

/**
 * The settings of a preset, or of a YAML or JSON file that names those it changes; its key `preset` says which
 * preset the others come from.
 * @throws ArgumentError for an unknown name, a file that cannot be read, or an unknown setting in it
 */
export async function readPreset(name: string = defaultPreset): Promise<MethodSettings> {
  if (Object.hasOwn(presets, name)) return presets[name as PresetName];
  let text: string;
  try {
    text = await readFile(name, "utf8");
  } catch (error) {
    throw new ArgumentError(
      `${name} is neither a preset (${Object.keys(presets).join(", ")}) nor a file that can be read`,
      { cause: error },
    );
  }
  let given: unknown;
  try {
    given = parse(text);
  } catch (error) {
    throw new ArgumentError(`${name}: not YAML (${messageOf(error)})`, { cause: error });
  }
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw new ArgumentError(`${name}: expected settings, one a line, such as "epochs: 3"`);
  const { preset = defaultPreset, ...changes } = given as { preset?: string };
  if (!Object.hasOwn(presets, preset))
    throw new ArgumentError(`${name}: preset ${preset} is not one of ${Object.keys(presets).join(", ")}`);
  const base: MethodSettings = presets[preset as PresetName];
  const known = new Set([
    ...Object.keys(pearlSmall),
    "synonymShares",
    "synonymSides",
    "runsBy",
    "prefixLoss",
    "contexts",
    "meanShares",
    "furtherContrast",
    "rateFactors",
  ]);
  const odd = Object.keys(changes).find((key) => !known.has(key));
  if (odd !== undefined)
    throw new ArgumentError(`${name}: unknown setting "${odd}": use ${[...known].join(", ")}`);
  return { ...base, ...changes };
}
