/** Options of the training method: preset, base, parts left out, and numbers. */
import type { MethodSettings } from "../../methods/settings/method-settings.js";
import type { OptionsOf } from "../command.js";
import {
  fraction,
  option,
  positiveInteger,
  positiveNumber,
  shared,
  weights,
  wholeNumber,
} from "../options.js";

/** All but --base, which an ablation takes several times. */
export const settingOptions = [
  option("--preset <name>", "settings: pearl-small (the default), pearl-base, from-scratch, or a YAML file"),
  option("--hidden <n>", "with --base none: width of the transformer", positiveInteger),
  option("--layers <n>", "with --base none: layers of the transformer; 0 leaves it out", wholeNumber),
  option("--vocab <n>", "with --base none: vocabulary size of the trained tokenizer", positiveInteger),
  option("--characters <kind>", "character encoder: love, bilstm, bag, ngrams, or a pretrained folder"),
  option("--character-width <n>", "dimensions that the character encoder fills", positiveInteger),
  option("--types <file>", "table of phrase and type, for pairs without a type"),
  option("--hard-negatives <n>", "hard negatives for each phrase in a batch", wholeNumber),
  option("--no-types", "leave out phrase types"),
  option("--no-characters", "leave out the character encoder"),
  option("--no-character-pretraining", "begin with an untrained LOVE"),
  option("--no-hard-negatives", "leave out hard negatives"),
  option("--no-character-augmentation", "leave out typing errors"),
  option("--no-token-augmentation", "leave out synonyms and swapped words"),
  option("--no-phrase-augmentation", "leave out paraphrases"),
  option("--no-averaging", "do not average the weights with the base's"),
  option("--augment <kind=weight,...>", "augmentations and their weights: character=.3,synonym=.2", weights),
  option("--anchors <n>", "phrases of the corpus in a batch", positiveInteger),
  option("--synonyms <n>", "synonym pairs of the corpus in a batch", wholeNumber),
  option("--epochs <n>", "passes over the data (default: 2)", positiveInteger),
  option("--lr <rate>", "learning rate (default: 3e-5)", positiveNumber),
  option(
    "--temperature <t>",
    "temperature of the contrastive loss (NT-Xent's default: 0.07)",
    positiveNumber,
  ),
  option("--dropout <p>", "dropout of the transformer", fraction),
  option("--clip <norm>", "clip gradients to this norm (default: no clipping)", positiveNumber),
  option("--average <weight>", "weight of the trained model in the average with the base", fraction),
  shared.seed,
] as const;

export const methodOptions = [
  option(
    "--base <model>",
    "model to start from: folder or hub id, or none (default: pearl-mini with --pairs alone, else the preset's)",
  ),
  ...settingOptions,
] as const;

export type MethodOptions = OptionsOf<typeof methodOptions>;

/** The file of `--types`; undefined where none is given and with --no-types. */
export const typesFile = ({ types }: Pick<MethodOptions, "types">): string | undefined =>
  typeof types === "string" ? types : undefined;

/** The preset with the user's changes; `otherwise` replaces it where no base is named and none can be loaded. */
export async function methodSettings(options: MethodOptions) {
  const settings = await presetWith(options);
  const otherwise =
    options.base === undefined ? await presetWith({ ...options, preset: "from-scratch" }) : undefined;
  return { settings, otherwise };
}

async function presetWith(options: MethodOptions): Promise<MethodSettings> {
  const { readPreset } = await import("../../methods/settings/presets.js");
  const { removableParts, withChoices } = await import("../../methods/settings/choices.js");
  const { base, hidden, layers, preset = base === "none" ? "from-scratch" : undefined } = options;
  const { characters, characterWidth, hardNegatives, anchors, synonyms, epochs, augment } = options;
  return withChoices(await readPreset(preset), {
    ...{ base, hidden, layers, vocabulary: options.vocab, characterWidth },
    ...{ anchors, synonyms, epochs, augment },
    characters: typeof characters === "string" ? characters : undefined,
    hardNegatives: typeof hardNegatives === "number" ? hardNegatives : undefined,
    ...{ learningRate: options.lr, temperature: options.temperature, dropout: options.dropout },
    ...{ clipNorm: options.clip, averageWithBase: options.average },
    // --no-hard-negatives sets hardNegatives to false
    without: removableParts.filter((part) => (options as Record<string, unknown>)[camelCase(part)] === false),
  });
}

const camelCase = (name: string): string => name.replace(/-(.)/g, (_, letter) => letter.toUpperCase());
