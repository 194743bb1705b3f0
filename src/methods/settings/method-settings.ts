/** The settings of a training on a corpus, as plain data: presets, and files that change them; training.json records them. */

import { readFile } from "node:fs/promises";
import { parse } from "yaml";
import type { Gates, ScratchShape } from "../../architectures/architecture.js";
import type { BlockLengths } from "../../architectures/compose.js";
import type { AugmentationSettings } from "../../augmentation/settings.js";
import { ArgumentError, messageOf } from "../../errors.js";
import { type PearlSettings, pearlBase, pearlSmall } from "../../pearl/presets.js";
import type { AdamOptions } from "../../training/optimiser/adam.js";
import type { Schedule } from "../../training/optimiser/optimiser.js";
import type { RunKey } from "./schema.js";
import { type schedulesByName, settingsFault } from "./schema.js";

/** What two phrases of a pair have in common: their spelling, their meaning, or both, as other forms of a name. */
export type PairSide = "characters" | "phrase" | "both";

/** A fraction for all sources of synonyms, or by source; 0 for a source that is not named. */
export type AugmentedFractions = number | Readonly<Record<string, number>>;

/** A schedule, or one that ends with the run: a line or half a cosine down to 0, or a warm-up and half a cosine. */
export type MethodSchedule =
  | Schedule
  | (typeof schedulesByName)[number]
  | { readonly kind: "warm-up-cosine-to-the-end"; readonly warmUp: number; readonly floor?: number };

/** How the weights move, besides the learning rate: of trainings on a corpus and on pairs. */
export interface UpdateSettings {
  /** Steps over which the learning rate first rises in a line from 0; below 1: a fraction of the run. Default: the schedule's. */
  readonly warmUp?: number;
  /** Decoupled weight decay (AdamW, Loshchilov and Hutter, 2019): fraction of a weight per unit of rate. Default 0. */
  readonly weightDecay?: number;
}

/** All settings of a training on a corpus, PEARL's and those beyond it, as a preset or a user's file gives them. */
export interface MethodSettings extends Omit<PearlSettings, "augmentation" | "schedule">, UpdateSettings {
  /** Shape of a transformer from scratch; 0 layers: no transformer. */
  readonly shape: ScratchShape;
  /** Lengths of both parts of the vector before they are joined; PEARL's is "as-they-come". */
  readonly blocks: BlockLengths | "as-they-come";
  /** Weights of an additional NT-Xent loss on each part of the vector; 0 in PEARL. */
  readonly partLosses: { readonly phrase: number; readonly characters: number };
  /** Weight of an additional NT-Xent loss on a word encoder's prefix, its shorter embedding; default 0. */
  readonly prefixLoss?: number;
  /** Number of spans of text in a batch, compared with their contexts, and the factor of this loss. */
  readonly contexts?: { readonly spans: number; readonly weight: number };
  /** Target means of a word encoder's gates over a batch, and the weight of the loss that enforces them. */
  readonly meanShares?: Gates & {
    /** Targets for pairs of the phrase part alone (`synonymSides`); those above then apply to the other pairs. */
    readonly meanings?: Gates;
    readonly weight: number;
  };
  /**
   * What the losses of parts and prefix compare: "all" phrases of a batch, as NT-Xent does, or anchors with positives
   * alone ("between"), at a quarter of the cost. Default "all".
   */
  readonly furtherContrast?: "all" | "between";
  /**
   * A phrase that the corpus counts c times is an anchor c^countPower times, rounded, where others are one once; at
   * most 1. Default 0: each phrase once.
   */
  readonly countPower?: number;
  /** Pairs of known synonyms in a batch. */
  readonly synonyms: number;
  /** Weights of the corpus's sources of synonyms; default their sizes. */
  readonly synonymShares?: Readonly<Record<string, number>>;
  /**
   * The part with its own loss on a source: "characters" for synonyms with similar spelling, "phrase" for those
   * that mean the same, or "both", as twins made by augmentation. Default: both parts for all sources.
   */
  readonly synonymSides?: Readonly<Record<string, PairSide>>;
  /** Rows of a table of pairs in a batch, where there is one. */
  readonly pairRows: number;
  /** Length of a run: synonym pairs that share words and go into one batch; 1: no runs. */
  readonly run: number;
  /** Which words the pairs of a run share, by source of synonyms; default "rarest". */
  readonly hardGroupBy?: Readonly<Record<string, RunKey>>;
  /** Fraction of synonym pairs whose second phrase is augmented too. */
  readonly augmentPairs: AugmentedFractions;
  readonly augmentation: AugmentationSettings | "none";
  /**
   * Factors of the learning rate by name of the weight. Few batches use a row of a table, and Adam's step does not grow
   * with the gradient: tables may need larger steps than weights that every phrase passes. Default 1.
   */
  readonly rateFactors?: Readonly<Record<string, number>>;
  readonly schedule: MethodSchedule;
}

/** PEARL's settings with everything beyond them left off. */
function withoutExtensions(pearl: PearlSettings): MethodSettings {
  const { base, characters, types, typeWeight, anchors, hardNegatives, ...others } = pearl;
  return {
    ...{ base, shape: {}, characters, blocks: "as-they-come" as const },
    ...{ partLosses: { phrase: 0, characters: 0 }, types, typeWeight, anchors, hardNegatives },
    ...{ synonyms: 0, pairRows: 5, run: 1, augmentPairs: 0, ...others },
  };
}

/** The schedule of a run of `steps` steps. */
export function scheduleOf(
  { schedule, warmUp }: Pick<MethodSettings, "schedule" | "warmUp">,
  steps: number,
): Schedule {
  const ended = endedSchedule(schedule, steps);
  if (warmUp === undefined) return ended;
  return { ...ended, warmUp: warmUp < 1 ? Math.ceil(warmUp * steps) : Math.min(warmUp, steps) };
}

function endedSchedule(schedule: MethodSchedule, steps: number): Schedule {
  if (schedule === "constant") return { kind: schedule };
  if (typeof schedule === "string") return { kind: `warm-up-${schedule}`, warmUp: 0, steps };
  if (schedule.kind !== "warm-up-cosine-to-the-end") return schedule;
  const { warmUp, floor } = schedule;
  return { kind: "warm-up-cosine", warmUp: Math.min(warmUp, Math.ceil(steps / 10)), steps, floor };
}

/** Adam's options for a weight decay: where there is none, Adam is PEARL's. */
export const decayOf = ({ weightDecay = 0 }: UpdateSettings): AdamOptions =>
  weightDecay > 0 ? { kind: "adamw", weightDecay } : {};

/**
 * A small model without a pretrained base, for a CPU: hashed n-grams with TF-IDF weights at first, and a small
 * transformer. The method is PEARL's with larger batches, known synonyms as positives in runs that share a word, and a
 * contrastive loss for each part of the vector, so that neither depends on the other.
 */
const fromScratch: MethodSettings = {
  ...withoutExtensions(pearlSmall),
  base: "none",
  shape: { hidden: 256, layers: 2, heads: 4, vocabulary: 16_000, maximumLength: 24 },
  characters: { from: "ngrams", width: 192, buckets: 2 ** 16 },
  // a cosine is .64 characters and .36 meaning; times 10, so that the type head's scores can be large
  blocks: { phrase: 6, characters: 8 },
  partLosses: { phrase: 0.7, characters: 0.5 },
  typeWeight: 0.5,
  anchors: 96,
  hardNegatives: 1,
  synonyms: 160,
  pairRows: 128,
  run: 8,
  augmentPairs: 0.3,
  augmentation: { preset: "house" },
  epochs: 3,
  learningRate: 1e-3,
  schedule: { kind: "warm-up-cosine-to-the-end", warmUp: 100, floor: 0.02 },
  dropout: 0.1,
  averageWithBase: 1,
};

/** The paper's two trainings and one from scratch, by the name that `--preset` takes. */
export const presets = {
  "pearl-small": withoutExtensions(pearlSmall),
  "pearl-base": withoutExtensions(pearlBase),
  "from-scratch": fromScratch,
} as const satisfies Record<string, MethodSettings>;

export type PresetName = keyof typeof presets;

/** The preset of a run that names none. */
const defaultPreset: PresetName = "pearl-small";

/**
 * The settings of a preset, or of a YAML or JSON file with changed settings; its key `preset` names the preset of the
 * others, also of those within a setting that the file gives in part.
 * @throws ArgumentError for an unknown name, a file that cannot be read, or an unknown or wrong setting in it
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
  const settings = merged(presets[preset as PresetName], changes);
  const fault = settingsFault(settings);
  if (fault !== undefined) throw new ArgumentError(`${name}: ${fault}`);
  return settings as MethodSettings;
}

/** A shape with changes. Another width has another number of heads. */
export const shapeWith = (shape: ScratchShape, changes: ScratchShape): ScratchShape => ({
  ...shape,
  ...(changes.hidden !== undefined && { heads: undefined }),
  ...changes,
});

/** Objects are merged, but for a schedule: its kinds have different settings. */
function merged(preset: MethodSettings, changes: Readonly<Record<string, unknown>>): object {
  const isObject = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value);
  const entries = Object.entries(changes).map(([key, value]) => {
    const old = (preset as unknown as Record<string, unknown>)[key];
    if (key === "schedule" || !isObject(old) || !isObject(value)) return [key, value];
    return [key, key === "shape" ? shapeWith(preset.shape, value as object) : Object.assign({}, old, value)];
  });
  return { ...preset, ...Object.fromEntries(entries) };
}
