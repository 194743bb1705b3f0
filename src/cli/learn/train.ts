/** `pearl train`: PEARL's method on a corpus of phrases; a model folder out. */
import { UsageError } from "../../errors.js";
import { alignColumns } from "../../files/text-table.js";
import type { CorpusFinetuneOptions, TrainingPlan } from "../../methods/corpus/corpus-finetune.js";
import { refuseStandardOutput } from "../addresses.js";
import { command, type OptionsOf } from "../command.js";
import { counted, formatCount, formatPercent } from "../format.js";
import { option, positiveInteger, repeatable } from "../options.js";
import type { Session } from "../session.js";
import {
  checkShape,
  checkTypes,
  lengthOptions,
  methodSettings,
  printPlan,
  printTraining,
  recipeOptions,
  runOptionsOf,
  stepLines,
  trainingOptions,
} from "./training.js";

const options = [
  option("--corpus <folder>", "corpus made by pearl corpus build (default: WordNet's phrases)"),
  option("--pairs <file>", "table with columns text and positive: more positives", repeatable),
  option("--types <file>", "table of phrase and type, for pairs without a type"),
  option("--base <model>", "model to start from: folder or hub id, or none (default: the preset's)"),
  option("--context <text...>", "texts that the word encoder was pretrained on, for presets that need them"),
  option("-o, --output <folder>", "folder of the new model", undefined, "pearl-model"),
  ...recipeOptions,
  option("--eval-data <folder>", "benchmark data: score after every epoch and keep the best weights"),
  option("--patience <n>", "end after n evaluations in a row that are no better", positiveInteger),
  ...lengthOptions,
  ...trainingOptions(500),
] as const;

export default command({
  name: "train",
  summary: "train a model with PEARL's method on a corpus of phrases",
  options,
  examples: [
    ["pearl train", "PEARL from WordNet's phrases and E5-small, into pearl-model"],
    ["pearl train --corpus corpus/ --plan", "time and memory that this takes here"],
    ["pearl train --corpus corpus/ --preset from-scratch --minutes 30 -o small", "no base, 30 minutes"],
    ["pearl train --corpus corpus/ --set anchors=85 --set warmUp=0.1 -o my-model", "other settings"],
    ["pearl train --corpus corpus/ --pairs pairs.csv --set types=none", "with pairs, without types"],
    ["pearl encode phrases.csv --model my-model", "use the model"],
  ],
  run: async (_, options, session) => {
    checkTypes(options);
    if (options.patience !== undefined && options.evalData === undefined)
      throw new UsageError("--patience counts evaluations: add --eval-data FOLDER");
    refuseStandardOutput(options.output, "my-model");
    const given = await corpusOptions(options, session);
    const { finetuneOnCorpus, planTraining } = await import("../../methods/corpus/corpus-finetune.js");
    if (options.plan) return printPlan(await planTraining(given), planText, session);
    const report = await finetuneOnCorpus(given);
    await printTraining(report, session, `${formatCount(report.corpus.phrases)} phrases`);
  },
});

type Options = OptionsOf<typeof options>;

async function corpusOptions(options: Options, session: Session): Promise<CorpusFinetuneOptions> {
  const { pairs: [pairs, ...further] = [] } = options;
  if (further.length > 0)
    throw new UsageError(
      "--pairs is given several times, and a training on a corpus takes pairs of one table into each batch: give one",
    );
  const chosen = await methodSettings(options);
  checkShape(options, [chosen.settings.base]);
  return {
    ...runOptionsOf(options, session),
    ...chosen,
    ...{ corpus: options.corpus, pairs, types: options.types, contextTexts: options.context },
    onPreparation: (_, done, total) => session.show("preparing", done, total, "phrases"),
  };
}

/** What is trained and how long it takes, and the paper's settings beside ours; a line below a difference says why. */
function planText(plan: TrainingPlan): string {
  const { settings, corpus, paper, unchanged } = plan;
  const { characters: encoder } = settings;
  const characters = encoder === "none" ? "no character encoder" : `character encoder: ${encoder.from}`;
  const types = plan.types > 0 ? counted(plan.types, "type") : "no types";
  const sizes = `${counted(corpus.phrases, "phrase")}, ${formatCount(corpus.typed)} with a type`;
  const batch = `${counted(settings.anchors, "phrase")} with ${counted(settings.hardNegatives, "hard negative")} each`;
  const percent = formatPercent(unchanged, unchanged < 0.1 ? 1 : 0);
  const trained = alignColumns([
    ["model", `${plan.base}, ${characters}, ${types}`],
    ["", `${plan.dimension} dimensions, ${counted(plan.parameters, "trainable parameter")}`],
    ["corpus", `${sizes}, ${counted(corpus.synonymPairs, "synonym pair")}`],
    [
      "batch",
      `${batch}, ${counted(settings.synonyms, "synonym pair")}: ${counted(plan.pairsPerBatch, "pair")}`,
    ],
    ["unchanged", `${percent} of the first batch's phrases are not changed by augmentation`],
    ...stepLines(plan),
    ...plan.before.map((what) => ["before", what]),
  ]);
  const beside = alignColumns([
    ["setting", "PEARL's paper", "here"],
    ...paper.map(({ setting, paper, here, because }) => [setting, paper, because ? here : "the same"]),
  ]);
  const reasons = paper.flatMap(({ setting, because }) => (because ? [[setting, because]] : []));
  const why = reasons.length > 0 ? ["Where they differ:", alignColumns(reasons)] : [];
  return [trained, beside, ...why].join("\n\n");
}
