/** Changes to a preset, as the command line and ablations name them. */
import type { PartSettings } from "../../architectures/architecture.js";
import { RULE_GROUPS } from "../../augmentation/named-rule.js";
import { type Probabilities, resolveSettings } from "../../augmentation/settings.js";
import { withNewCharacters } from "../characters/pretrained.js";
import type { MethodSettings } from "./method-settings.js";

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

/** Changes to a preset; the preset decides what is absent. */
export interface MethodChoices
  extends Partial<Pick<MethodSettings, "base" | "anchors" | "hardNegatives" | "synonyms" | "epochs">>,
    Partial<Pick<MethodSettings, "learningRate" | "temperature" | "dropout">>,
    Partial<Pick<MethodSettings, "clipNorm" | "averageWithBase">> {
  readonly hidden?: number;
  readonly layers?: number;
  readonly vocabulary?: number;
  /** A kind of character encoder, or the folder of a pretrained one. */
  readonly characters?: string;
  readonly characterWidth?: number;
  /** Weights of augmentations by kind; they replace all of the preset's. */
  readonly augment?: Probabilities;
  readonly without?: readonly RemovablePart[];
}

/** The preset's settings with the user's choices applied. @throws ArgumentError for unknown augmentations */
export function withChoices(preset: MethodSettings, choices: MethodChoices): MethodSettings {
  const { hidden, layers, vocabulary, characterWidth, augment, ...further } = choices;
  const { characters, without: parts = [], ...plain } = further;
  const given = <Value extends object>(value: Value): Partial<Value> =>
    Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined)) as Partial<Value>;
  // another width has another number of heads
  const { heads: _, ...others } = preset.shape;
  const shape = {
    ...(hidden === undefined ? preset.shape : others),
    ...given({ hidden, layers, vocabulary }),
  };
  const old: Partial<PartSettings> = preset.characters === "none" ? {} : preset.characters;
  const from = characters ?? old.from;
  const changed: MethodSettings = {
    ...preset,
    ...given(plain),
    shape,
    characters: from === undefined ? "none" : { ...old, from, ...given({ width: characterWidth }) },
    augmentation:
      augment === undefined ? preset.augmentation : withProbabilities(preset.augmentation, augment),
  };
  return parts.reduce(without, changed);
}

function withProbabilities(
  augmentation: MethodSettings["augmentation"],
  probabilities: Probabilities,
): MethodSettings["augmentation"] {
  if (Object.values(probabilities).every((probability) => probability === 0)) return "none";
  const settings = augmentation === "none" ? {} : augmentation;
  return resolveSettings({ ...settings, probabilities, adjust: {} });
}

/** The kinds that are left keep their proportions; where none is left, twins are the phrases themselves. */
function withoutKinds(...kinds: readonly string[]): (settings: MethodSettings) => MethodSettings {
  return (settings) => {
    const { augmentation } = settings;
    if (augmentation === "none") return settings;
    const { probabilities } = resolveSettings(augmentation);
    const kept = Object.fromEntries(Object.entries(probabilities).filter(([kind]) => !kinds.includes(kind)));
    const isEmpty = Object.values(kept).every((probability) => !probability);
    // the probabilities are adjusted already
    return {
      ...settings,
      augmentation: isEmpty ? "none" : { ...augmentation, probabilities: kept, adjust: {} },
    };
  };
}
