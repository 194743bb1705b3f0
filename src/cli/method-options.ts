/** Options that say what is trained: preset, base, parts switched off, and the numbers of the method. */
import { type Command, InvalidArgumentError } from "commander";
import type { MethodSettings, RemovablePart } from "../training/index.js";
import { fraction, positiveInteger, wholeNumber } from "./options.js";

export interface MethodCommandOptions {
  readonly preset?: string;
  readonly base?: string;
  readonly hidden?: number;
  readonly layers?: number;
  readonly vocab?: number;
  /** False: switched off. */
  readonly characters?: string | false;
  readonly characterWidth?: number;
  /** A file, or false: switched off. */
  readonly types?: string | false;
  readonly hardNegatives?: number | false;
  readonly characterAugmentation?: boolean;
  readonly tokenAugmentation?: boolean;
  readonly phraseAugmentation?: boolean;
  readonly averaging?: boolean;
  readonly average?: number;
  readonly augment?: Readonly<Record<string, number>>;
  readonly anchors?: number;
  readonly synonyms?: number;
  readonly epochs?: number;
  readonly lr?: number;
  readonly temperature?: number;
  readonly dropout?: number;
  readonly clip?: number;
}

/** Adds them; the settings they make are {@link methodSettings}. */
export function addMethodOptions(command: Command): Command {
  return command
    .option(
      "--preset <name>",
      "settings: pearl-small (the default), pearl-base, from-scratch, or a YAML file",
    )
    .option("--base <model>", "what to start from: a folder or hub id, or none (default: the preset's)")
    .option("--hidden <n>", "with --base none: width of the transformer", positiveInteger)
    .option("--layers <n>", "with --base none: its layers; 0 leaves it out", wholeNumber)
    .option("--vocab <n>", "with --base none: entries of the tokenizer that is trained", positiveInteger)
    .option("--characters <kind>", "character encoder: love, bilstm, bag, ngrams, or a pretrained folder")
    .option("--character-width <n>", "numbers of the vector that are its", positiveInteger)
    .option("--types <file>", "table of phrase and type, for pairs without a type")
    .option("--hard-negatives <n>", "hard negatives for each phrase of a batch", wholeNumber)
    .option("--no-types", "leave the phrase types out")
    .option("--no-characters", "leave the character encoder out")
    .option("--no-hard-negatives", "leave hard negatives out")
    .option("--no-character-augmentation", "no typing errors in twins")
    .option("--no-token-augmentation", "no synonyms and swapped words in twins")
    .option("--no-phrase-augmentation", "no paraphrases as twins")
    .option("--no-averaging", "no average with the base's weights")
    .option("--augment <kind=weight,...>", "what twins are made by, such as character=.3,synonym=.2", weights)
    .option("--anchors <n>", "phrases of the corpus in a batch", positiveInteger)
    .option("--synonyms <n>", "pairs of the corpus's synonyms in a batch", wholeNumber)
    .option("--epochs <n>", "passes over the data (default: 2)", positiveInteger)
    .option("--lr <rate>", "learning rate (default: 3e-5)", positiveNumber)
    .option("--temperature <t>", "of the contrastive loss (default: 0.07)", positiveNumber)
    .option("--dropout <share>", "of the transformer's inner values in training", fraction)
    .option("--clip <norm>", "scale gradients of a larger norm down to it (default: never)", positiveNumber)
    .option("--average <share>", "average with the base: share of the trained weights", fraction);
}

/** Parser of a number above 0, such as `--lr 3e-5`. */
export function positiveNumber(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !(value > 0 && Number.isFinite(value)))
    throw new InvalidArgumentError("It must be a number above 0.");
  return value;
}

/** Parser of `--augment character=.3,synonym=.2`. */
function weights(text: string): Record<string, number> {
  const entries = text.split(",").map((part): [string, number] => {
    const [kind, weight, ...rest] = part.split("=");
    const value = Number(weight);
    if (rest.length > 0 || kind.trim() === "" || !weight?.trim() || !(value >= 0 && Number.isFinite(value)))
      throw new InvalidArgumentError("It must name kinds with weights, such as character=.3,synonym=.2.");
    return [kind.trim(), value];
  });
  return Object.fromEntries(entries);
}

/** The preset with what the options change. */
export async function methodSettings(options: MethodCommandOptions): Promise<MethodSettings> {
  const { readPreset, withChoices } = await import("../training/index.js");
  const { base, hidden, layers, preset = base === "none" ? "from-scratch" : undefined } = options;
  const off: [RemovablePart, boolean][] = [
    ["types", options.types === false],
    ["characters", options.characters === false],
    ["hard-negatives", options.hardNegatives === false],
    ["character-augmentation", options.characterAugmentation === false],
    ["token-augmentation", options.tokenAugmentation === false],
    ["phrase-augmentation", options.phraseAugmentation === false],
    ["averaging", options.averaging === false],
  ];
  return withChoices(await readPreset(preset), {
    ...{ base, hidden, layers, vocabulary: options.vocab },
    characters: options.characters || undefined,
    characterWidth: options.characterWidth,
    hardNegatives: options.hardNegatives === false ? undefined : options.hardNegatives,
    ...{ anchors: options.anchors, synonyms: options.synonyms, epochs: options.epochs },
    ...{ learningRate: options.lr, temperature: options.temperature, dropout: options.dropout },
    ...{ clipNorm: options.clip, averageWithBase: options.average, augment: options.augment },
    without: off.filter(([, isOff]) => isOff).map(([part]) => part),
  });
}
