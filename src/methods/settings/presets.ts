/** Settings by name, or from a user's file. */
import { readFile } from "node:fs/promises";
import { parse } from "yaml";
import { ArgumentError, messageOf } from "../../errors.js";
import { pearlBase, pearlSmall } from "../../pearl/presets.js";
import { fromScratch } from "./from-scratch.js";
import { type MethodSettings, withoutExtensions } from "./method-settings.js";

/** The paper's two trainings and one from scratch, by the name that `--preset` takes. */
export const presets = {
  "pearl-small": withoutExtensions(pearlSmall),
  "pearl-base": withoutExtensions(pearlBase),
  "from-scratch": fromScratch,
} as const satisfies Record<string, MethodSettings>;

export type PresetName = keyof typeof presets;

/** Settings that no preset has. */
const optional =
  "countPower synonymShares synonymSides runsBy prefixLoss contexts meanShares furtherContrast rateFactors".split(
    " ",
  );

/** The preset of a run that names none. */
const defaultPreset: PresetName = "pearl-small";

/**
 * The settings of a preset, or of a YAML or JSON file with changed settings; its key `preset` names the preset of the
 * others.
 * @throws ArgumentError for an unknown name, a file that cannot be read, or an unknown setting in it
 */
export async function readPreset(name: string = defaultPreset): Promise<MethodSettings> {
  if (Object.hasOwn(presets, name)) return presets[name as PresetName];
  const names = Object.keys(presets).join(", ");
  const text = await readFile(name, "utf8").catch((cause) => {
    throw new ArgumentError(`${name} is neither a preset (${names}) nor a file that can be read`, { cause });
  });
  let given: unknown;
  try {
    given = parse(text);
  } catch (error) {
    throw new ArgumentError(
      `${name}: not YAML (${messageOf(error)}). Write one setting per line, such as "epochs: 3".`,
      { cause: error },
    );
  }
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw new ArgumentError(`${name}: expected settings, one per line, such as "epochs: 3"`);
  const { preset = defaultPreset, ...changes } = given as { preset?: string };
  if (!Object.hasOwn(presets, preset))
    throw new ArgumentError(`${name}: preset ${preset} is not one of ${names}`);
  const known = [...Object.keys(presets[defaultPreset]), ...optional];
  const odd = Object.keys(changes).find((key) => !known.includes(key));
  if (odd !== undefined)
    throw new ArgumentError(`${name}: unknown setting "${odd}". Use ${known.join(", ")}`);
  return { ...presets[preset as PresetName], ...changes };
}
