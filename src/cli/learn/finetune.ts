/** `pearl finetune`: a base model trained further on pairs; a model folder out. */
import { UsageError } from "../../errors.js";
import type { FinetuneOptions } from "../../methods/pairs/finetune.js";
import { viewNames } from "../../methods/pairs/views.js";
import { objectiveNames } from "../../objectives/registry.js";
import { refuseStandardOutput } from "../addresses.js";
import { command, type OptionsOf } from "../command.js";
import { counted } from "../format.js";
import {
  choice,
  fractionBelowOne,
  many,
  option,
  positiveInteger,
  positiveNumber,
  repeatable,
  required,
  shared,
} from "../options.js";
import type { Session } from "../session.js";
import {
  lengthOptions,
  printPlan,
  printTraining,
  runOptionsOf,
  runPlanText,
  trainingOptions,
} from "./training.js";

/** Parser of whole numbers from 1 on, separated by commas. */
const wholeNumbers = (text: string): number[] => text.split(",").map((part) => positiveInteger(part.trim()));

/** Parser of a number below 1, or a file. */
const fractionOrFile = (text: string): number | string =>
  Number.isNaN(Number(text)) ? text : fractionBelowOne(text);

const options = [
  required(
    "--pairs <file>",
    "table with columns text and positive, optionally negative, type, label, score; repeatable; FILE=2 is trained on twice as often",
    repeatable,
  ),
  option("--base <model>", "model to start from: folder or hub id (default: pearl-mini)"),
  option("-o, --output <folder>", "folder of the new model", undefined, "pearl-model"),
  choice("--objective <name>", "the loss (default: nt-xent; with --teacher distill)", objectiveNames),
  many("--teacher <model>", "a larger model to imitate, or to find false negatives by other losses"),
  option(
    "--dims <n,...>",
    "shorter lengths to train too, such as 128,256 (default: the base's)",
    wholeNumbers,
  ),
  choice("--view <name>", "for phrases alone: a second view of each is its positive", viewNames),
  option(
    "--validate <fraction|file>",
    "pairs held out to choose the weights (default: 0.1 of at least 200 pairs; 0: none)",
    fractionOrFile,
  ),
  option("--eval-data <folder>", "benchmark data to score instead").conflicts("validate"),
  option(
    "--patience <n>",
    "end after n evaluations in a row that are no better (default: 5 with held-out pairs)",
    positiveInteger,
  ),
  option(
    "--epochs <n>",
    "passes over the pairs (default: 2, or more for at least 100 steps, 200 with held-out pairs)",
    positiveInteger,
  ),
  ...lengthOptions,
  option("--lr <rate>", "learning rate (default: 6e-4; of a transformer 3e-5)", positiveNumber),
  option("--batch-size <n>", "most pairs in a batch (default: a thirtieth, 32 to 512)", positiveInteger),
  many("--set <name=value>", "another setting, such as temperature=0.05, warmUp=0.1, schedule=linear"),
  shared.seed,
  ...trainingOptions(500),
] as const;

type Options = OptionsOf<typeof options>;

export default command({
  name: "finetune",
  summary: "train a model further on pairs that mean the same",
  options,
  examples: [
    ["pearl finetune --pairs pairs.csv -o my-model", "pearl-mini on pairs"],
    ["pearl finetune --base intfloat/e5-small-v2 --pairs pairs.csv -o my-model", "a hub model on pairs"],
    ["pearl finetune --pairs names.csv=2 --pairs terms.csv", "two tables, the first twice as often"],
    ["pearl finetune --pairs labelled.csv --objective sup-con -o my-model", "on phrases with labels"],
    ["pearl finetune --pairs phrases.csv --view cutoff -o my-model", "on phrases alone"],
    ["pearl finetune --pairs phrases.csv --teacher ORG/LARGE", "imitate a large model on phrases"],
    ["pearl finetune --pairs pairs.csv --set schedule=linear --set warmUp=0.1 -o my-model", "other settings"],
    ["pearl encode phrases.csv --model my-model", "use the model"],
  ],
  run: async (_, options, session) => {
    refuseStandardOutput(options.output, "my-model");
    const { finetune, planFinetune } = await import("../../methods/pairs/finetune.js");
    const given = await pairOptions(options, session);
    if (options.plan) return printPlan(await planFinetune(given), runPlanText, session);
    const report = await finetune(given);
    return printTraining(report, session, counted(report.data.pairs, "pair"));
  },
});

/** Refuses options of which one would be ignored. */
function checkUse(options: Options): void {
  const { evalData, validate, patience } = options;
  if (patience !== undefined && evalData === undefined && validate === 0)
    throw new UsageError("--patience counts evaluations: add --eval-data FOLDER, or hold pairs out");
}

async function pairOptions(options: Options, session: Session): Promise<FinetuneOptions> {
  checkUse(options);
  const { withAssigned } = await import("../../methods/settings/choices.js");
  const { sourceOf } = await import("../../methods/pairs/pairs.js");
  const { epochs, batchSize, lr: learningRate, view, base, objective, validate, teacher, dims } = options;
  const given: Partial<FinetuneOptions> = { epochs, batchSize, learningRate, view };
  const settings = withAssigned(given, options.set ?? [], "pairs");
  if (settings.punctuation !== undefined && settings.view !== "punctuation")
    throw new UsageError("--set punctuation is for --view punctuation: add it");
  return {
    ...{ ...settings, ...runOptionsOf(options, session), base, objective, validate, teacher, dims },
    pairs: await Promise.all(options.pairs.map(sourceOf)),
  };
}
