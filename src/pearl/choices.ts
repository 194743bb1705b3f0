/** Changes to a preset: parts of the method switched off or exchanged, as the command line and ablations name them. */

import type { PartSettings } from "../architectures/architecture.js";
import { RULE_GROUPS } from "./augmentation/rule.js";
import { type AugmentationSettings, type Probabilities, resolveSettings } from "./augmentation/settings.js";
import type { MethodSettings } from "./method.js";

/** Parts of the method that can be left out, as in the paper's ablation (table 3). */
export const removableParts = [
  "types",
  "characters",
  "hard-negatives",
  "character-augmentation",
  "token-augmentation",
  "phrase-augmentation",
  "averaging",
] as const;
export type RemovablePart = (typeof removableParts)[number];

/** What each granularity of augmentation draws, by kind. */
const granularities = {
  "character-augmentation": ["character", ...RULE_GROUPS.character, "transliteration"],
  "token-augmentation": [
    ...["synonym", "word-swap", ...RULE_GROUPS.synonym, ...RULE_GROUPS["word-swap"]],
    ...["punctuation", "name-words", ...RULE_GROUPS["name-words"]],
  ],
  "phrase-augmentation": [
    ...["paraphrase", "name-forms", "letter-case"],
    ...[...RULE_GROUPS.paraphrase, ...RULE_GROUPS["name-forms"]],
  ],
} as const satisfies Partial<Record<RemovablePart, readonly string[]>>;

/** The settings without a part. */
export function without(settings: MethodSettings, part: RemovablePart): MethodSettings {
  switch (part) {
    case "types":
      return { ...settings, types: "none" };
    case "characters":
      return { ...settings, characters: "none" };
    case "hard-negatives":
      return { ...settings, hardNegatives: 0 };
    case "averaging":
      return { ...settings, averageWithBase: 1 };
    default:
      return { ...settings, augmentation: withoutKinds(settings.augmentation, granularities[part]) };
  }
}

/** What a run was told beside its preset; what is absent stays as the preset has it. */
export interface MethodChoices
  extends Partial<
    Pick<
      MethodSettings,
      | "base"
      | "anchors"
      | "hardNegatives"
      | "synonyms"
      | "epochs"
      | "learningRate"
      | "temperature"
      | "dropout"
      | "clipNorm"
      | "averageWithBase"
    >
  > {
  readonly hidden?: number;
  readonly layers?: number;
  readonly vocabulary?: number;
  /** A kind of character encoder, or the folder of a pretrained one. */
  readonly characters?: string;
  readonly characterWidth?: number;
  /** Weights of augmentations by kind, which take the preset's place as a whole. */
  readonly augment?: Probabilities;
  readonly without?: readonly RemovablePart[];
}

/** @throws ArgumentError for unknown augmentations */
export function withChoices(preset: MethodSettings, choices: MethodChoices): MethodSettings {
  const {
    hidden,
    layers,
    vocabulary,
    characters,
    characterWidth,
    augment,
    without: parts = [],
    ...plain
  } = choices;
  const given = <Value extends object>(value: Value): Partial<Value> =>
    Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined)) as Partial<Value>;
  // heads follow the width anew where it changes
  const { heads, ...others } = preset.shape;
  const shape = {
    ...others,
    ...(hidden === undefined && { heads }),
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
  const settings: AugmentationSettings = augmentation === "none" ? {} : augmentation;
  if (Object.values(probabilities).every((probability) => probability === 0)) return "none";
  return resolveSettings({ ...settings, probabilities, adjust: {} });
}

/** Kinds that are left keep their proportions; where none is left, twins are the phrases themselves. */
function withoutKinds(
  augmentation: MethodSettings["augmentation"],
  kinds: readonly string[],
): MethodSettings["augmentation"] {
  if (augmentation === "none") return "none";
  const { probabilities } = resolveSettings(augmentation);
  const kept = Object.fromEntries(Object.entries(probabilities).filter(([kind]) => !kinds.includes(kind)));
  if (Object.values(kept).every((probability) => !probability)) return "none";
  // these have their adjustments already
  return { ...augmentation, probabilities: kept, adjust: {} };
}
