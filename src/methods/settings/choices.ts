/** Changes to a preset, as the command line and ablations name them, and the trainings that an ablation compares. */
import { join } from "node:path";
import { parse } from "yaml";
import { RULE_GROUPS } from "../../augmentation/rule.js";
import { resolveSettings } from "../../augmentation/settings.js";
import { ArgumentError, messageOf, UsageError } from "../../errors.js";
import { cachePath } from "../../files/package.js";
import { exists } from "../../files/whole-file.js";
import type { RunOptions } from "../../training/run.js";
import { type MethodSettings, shapeWith } from "./method-settings.js";
import { settingsFault } from "./schema.js";

/** Of character encoders that presets start from: `pearl pretrain-characters --vectors FILE` makes one. */
const prefix = "pretrained-";

/** The settings with a new character encoder in the place of a pretrained one. */
export function withNewCharacters(settings: MethodSettings): MethodSettings {
  const { characters } = settings;
  if (characters === "none" || !characters.from.startsWith(prefix)) return settings;
  return { ...settings, characters: { ...characters, from: characters.from.slice(prefix.length) } };
}

/** The folder of a name such as "pretrained-love"; other names are folders already. */
export const charactersFolder = (from: string): string =>
  from.startsWith(prefix) ? cachePath(from.slice(prefix.length)) : from;

/** The settings as they are, or with an untrained encoder and a note where there is no pretrained one. */
export async function withAvailableCharacters(
  settings: MethodSettings,
  { onNote }: Pick<RunOptions, "onNote">,
): Promise<MethodSettings> {
  const untrained = withNewCharacters(settings);
  if (untrained === settings || settings.characters === "none") return settings;
  const folder = charactersFolder(settings.characters.from);
  const isThere = await exists(join(folder, "config.json"));
  onNote?.(
    isThere
      ? `character encoder: pretrained, from ${folder}`
      : `character encoder: untrained, since ${folder} does not exist; pearl pretrain-characters --vectors FILE makes it`,
  );
  return isThere ? settings : untrained;
}

/** The settings without each part, as in the paper's ablation (table 3). */
const removals = {
  types: (settings) => ({ ...settings, types: "none" }),
  characters: (settings) => ({ ...settings, characters: "none" }),
  "character-pretraining": withNewCharacters,
  "hard-negatives": (settings) => ({ ...settings, hardNegatives: 0 }),
  "character-augmentation": withoutKinds("character", ...RULE_GROUPS.character, "transliteration"),
  "token-augmentation": withoutKinds(
    ...["synonym", "word-swap", ...RULE_GROUPS.synonym, ...RULE_GROUPS["word-swap"]],
    ...["punctuation", "name-words", ...RULE_GROUPS["name-words"]],
  ),
  "phrase-augmentation": withoutKinds(
    ...["paraphrase", "name-forms", "letter-case"],
    ...[...RULE_GROUPS.paraphrase, ...RULE_GROUPS["name-forms"]],
  ),
  averaging: (settings) => ({ ...settings, averageWithBase: 1 }),
} as const satisfies Record<string, (settings: MethodSettings) => MethodSettings>;

/** Name of a part of the method that an ablation leaves out. */
export type RemovablePart = keyof typeof removals;
export const removableParts = Object.keys(removals) as RemovablePart[];

/** The settings without one part of the method. */
export const without = (settings: MethodSettings, part: RemovablePart): MethodSettings =>
  removals[part](settings);

/** The kinds that are left keep their proportions; where none is left, twins are the phrases themselves. */
function withoutKinds(...kinds: readonly string[]): (settings: MethodSettings) => MethodSettings {
  return (settings) => {
    const { augmentation } = settings;
    if (augmentation === "none") return settings;
    const { probabilities } = resolveSettings(augmentation);
    const kept = Object.fromEntries(Object.entries(probabilities).filter(([kind]) => !kinds.includes(kind)));
    if (Object.values(kept).every((probability) => !probability))
      return { ...settings, augmentation: "none" };
    // the probabilities are adjusted already
    return { ...settings, augmentation: { ...augmentation, probabilities: kept, adjust: {} } };
  };
}

/** A training of an ablation. */
export interface Variant {
  /** Also the name of its files. */
  readonly name: string;
  readonly settings: MethodSettings;
  /** The run that it is compared with; absent for those that others are compared with. */
  readonly against?: string;
  /** The base is scored as it is. */
  readonly untrained?: true;
  readonly point?: GridPoint;
}

/** A value of a setting on a grid. */
export interface GridPoint {
  readonly setting: GridSetting;
  readonly value: number;
}

/** What a grid may vary: the paper's figure 5 (temperature, batch size, weights of the losses, dimensions), and the rest. */
const axes = {
  temperature: ["temperature"],
  anchors: ["anchors"],
  "type-weight": ["typeWeight"],
  "character-width": ["characters", "width"],
  "hard-negatives": ["hardNegatives"],
  lr: ["learningRate"],
  dropout: ["dropout"],
  average: ["averageWithBase"],
} as const;

/** Name of a setting on a grid. */
export type GridSetting = keyof typeof axes;
export const gridSettings = Object.keys(axes) as GridSetting[];

/** One change at a time, each compared with the whole. @throws ArgumentError for a value that the setting cannot have */
export function gridVariants(settings: MethodSettings, points: readonly GridPoint[]): Variant[] {
  return points.map((point) => {
    const { setting, value } = point;
    if (setting === "character-width" && settings.characters === "none")
      throw new ArgumentError(
        "a grid of character-width needs a character encoder, which these settings lack",
      );
    const changed = withValue(settings, axes[setting], value) as MethodSettings;
    const fault = setting === "anchors" && value === 0 ? "a batch needs anchors" : settingsFault(changed);
    if (fault !== undefined) throw new ArgumentError(`the grid cannot set ${setting} to ${value}: ${fault}`);
    return { name: `${setting}=${value}`, settings: changed, against: "whole", point };
  });
}

/** Each base as it is, and trained (the paper's table 4); "none" has no model of its own. */
export function baseVariants(settings: MethodSettings, bases: readonly string[]): Variant[] {
  const taken = new Set<string>();
  const isTaken = (name: string) => [name, `${name}-trained`].some((own) => taken.has(own));
  return bases.flatMap((base, place): Variant[] => {
    const own = { ...settings, base };
    const plain = base.replaceAll(/[^\w.-]+/g, "-");
    // The names of files: "a/b" is not "a-b", and the base "a-trained" is not "a" after its training.
    let name = plain;
    for (let number = place + 1; isTaken(name); number++) name = `${plain}-${number}`;
    taken.add(name).add(`${name}-trained`);
    const trained = { name: `${name}-trained`, settings: own };
    if (base === "none") return [trained];
    return [
      { name, settings: own, untrained: true },
      { ...trained, against: name },
    ];
  });
}

/** Settings by `--set name=value`: names, values and checks are those of a settings file, a setting at a time. */
type Tree = Readonly<Record<string, unknown>>;

/**
 * The settings with each assignment applied, in order. A name with dots is within a setting, such as `shape.hidden`; a
 * value is YAML.
 * @param of what is trained on: decides which settings there are
 * @throws UsageError for a text that is no assignment, an unknown name with the nearest right one, or a wrong value
 */
export function withAssigned<Settings extends object>(
  settings: Settings,
  assignments: readonly string[],
  of: "corpus" | "pairs",
): Settings {
  return assignments.reduce<Settings>((before, assignment) => {
    const { name, value } = assignmentOf(assignment);
    const after = withValue(before as Tree, name.split("."), value) as Settings & { shape?: object };
    const changed =
      name === "shape.hidden"
        ? { ...after, shape: shapeWith({ ...after.shape }, { hidden: value as number }) }
        : after;
    const fault = settingsFault(changed, of);
    if (fault !== undefined) throw new UsageError(`--set ${assignment}: ${fault}`);
    return changed;
  }, settings);
}

function assignmentOf(assignment: string): { readonly name: string; readonly value: unknown } {
  const [, name, text] = /^\s*([^=]+?)\s*=(.*)$/s.exec(assignment) ?? [];
  if (name === undefined)
    throw new UsageError(
      `--set ${assignment}: expected a name and a value. Write name=value, such as temperature=0.05.`,
    );
  try {
    return { name, value: parse(text, { logLevel: "error" }) };
  } catch (error) {
    throw new UsageError(
      `--set ${assignment}: the value is not YAML (${messageOf(error).split("\n")[0]}). Write a number, a word, or settings such as {warmUp: 100}.`,
      { cause: error },
    );
  }
}

const isTree = (value: unknown): value is Tree =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function withValue(old: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value;
  const own = isTree(old) ? old : {};
  return { ...own, [key]: withValue(own[key], rest, value) };
}
