/** `pearl finetune`: PEARL's method on a corpus, or a base model trained further on pairs; a model folder out. */
import { InvalidArgumentError } from "commander";
import { UsageError } from "../../errors.js";
import { alignColumns } from "../../files/text-table.js";
import type { CorpusFinetuneOptions } from "../../methods/corpus/corpus-finetune.js";
import { viewNames } from "../../methods/pairs/views.js";
import type { TrainingPlan } from "../../methods/plan.js";
import { objectiveNames } from "../../objectives/registry.js";
import { averageText } from "../../training/run.js";
import { refuseStandardOutput } from "../addresses.js";
import { command, type OptionsOf } from "../command.js";
import { counted, formatCount, formatPercent } from "../format.js";
import {
  choice,
  flagOf,
  fractionBelowOne,
  namedValues,
  nonNegative,
  option,
  positiveInteger,
  positiveNumber,
} from "../options.js";
import type { Session } from "../session.js";
import {
  announcePlan,
  checkLength,
  checkShape,
  checkTypes,
  methodOptions,
  methodSettings,
  printTraining,
  runPlanText,
  stepLines,
  trainingOptions,
  trainingSettings,
  typesFile,
} from "./training.js";

/** Parser of `1-3`, or `1`. */
function marksRange(text: string): { least: number; most: number } {
  const [, least, most = least] = /^([1-9]\d*)(?:-([1-9]\d*))?$/.exec(text) ?? [];
  if (least !== undefined && Number(most) >= Number(least))
    return { least: Number(least), most: Number(most) };
  throw new InvalidArgumentError("It must be a number or a range from 1 on, such as 1-3.");
}

/** Parser of whole numbers from 1 on, separated by commas. */
const wholeNumbers = (text: string): number[] => text.split(",").map((part) => positiveInteger(part.trim()));

/** Parser of a number below 1, or a file. */
const fractionOrFile = (text: string): number | string =>
  Number.isNaN(Number(text)) ? text : fractionBelowOne(text);

const options = [
  option("--corpus <folder>", "corpus made by pearl corpus build (default: WordNet's phrases)"),
  option("--pairs <file>", "table with columns text and positive, optionally negative, type, label, score"),
  choice(
    "--objective <name>",
    "with --pairs alone: the loss (default: nt-xent; with --teacher distill)",
    objectiveNames,
  ),
  option(
    "--teacher <model>",
    "with --pairs alone: a larger model to imitate, or to find false negatives with",
  ),
  option(
    "--dims <n,...>",
    "with --pairs alone: shorter embeddings to train too, as in 128,256",
    wholeNumbers,
  ),
  option("--objective-settings <name=value,...>", "its settings: margin=0.3,mining=all", namedValues),
  choice("--view <name>", "with --pairs alone, or phrases alone: a second view of each phrase", viewNames),
  option("--view-weight <λ>", "weight of the view punctuation (default: 0.6)", nonNegative),
  option("--view-marks <least-most>", "marks that it inserts into a phrase (default: 1-3)", marksRange),
  option("--view-calm", "leave ! and ? out of the marks"),
  option("--context <text...>", "texts that the word encoder was pretrained on, for presets that need them"),
  option("-o, --output <folder>", "folder of the new model", undefined, "pearl-model"),
  option("--plan", "print what would be trained, the time and the memory; write nothing"),
  option("-y, --yes", "start a training of more than ten minutes without asking"),
  ...methodOptions,
  option(
    "--batch-size <n>",
    "with --pairs alone: most pairs in a batch (default: a thirtieth of them, 32 to 512)",
    positiveInteger,
  ),
  option(
    "--validate <fraction|file>",
    "with --pairs alone: held-out pairs, which choose the weights (default: 0.1 from 200 pairs on; 0: none)",
    fractionOrFile,
  ),
  option(
    "--patience <n>",
    "end after n evaluations in a row that are no better (default: 5 with held-out pairs)",
    positiveInteger,
  ),
  option("--steps <n>", "number of training steps, instead of --epochs", positiveInteger),
  option("--minutes <n>", "training time, instead of --epochs; the first steps are measured", positiveNumber),
  ...trainingOptions(500),
  option("--eval-data <folder>", "benchmark data: score after every epoch and keep the best weights"),
] as const;

type FinetuneOptions = OptionsOf<typeof options>;

export default command({
  name: "finetune",
  summary:
    "train a model: PEARL's method on a corpus of phrases, or a base model on pairs that mean the same",
  options,
  examples: [
    ["pearl finetune", "PEARL from WordNet's phrases and E5-small, into pearl-model"],
    ["pearl finetune --corpus corpus/ --plan", "time and memory that this takes here"],
    ["pearl finetune --corpus corpus/ --preset from-scratch --minutes 30 -o small", "no base, 30 minutes"],
    ["pearl finetune --pairs pairs.csv -o my-model", "pearl-mini on pairs"],
    ["pearl finetune --base intfloat/e5-small-v2 --pairs pairs.csv -o my-model", "a hub model on pairs"],
    ["pearl finetune --pairs labelled.csv --objective sup-con -o my-model", "on phrases with labels"],
    ["pearl finetune --pairs phrases.csv --view cutoff -o my-model", "on phrases alone"],
    [
      "pearl finetune --pairs phrases.csv --teacher ORG/LARGE -o my-model",
      "imitate a large model on phrases",
    ],
    ["pearl finetune --pairs sentences.csv --view punctuation --view-weight 0.3 -o my-model", "EdaCSE"],
    ["pearl finetune --corpus corpus/ --pairs pairs.csv --no-types -o my-model", "both, without types"],
    ["pearl encode phrases.csv --model my-model", "use the model"],
  ],
  run: async (_, options, session) => {
    checkUse(options);
    refuseStandardOutput(options.output, "my-model");
    if (isPairsAlone(options)) {
      const { finetune, planFinetune } = await import("../../methods/pairs/finetune.js");
      const given = pairOptions(options, session);
      if (options.plan) return printPlan(await planFinetune(given), runPlanText, session);
      const report = await finetune(given);
      return printTraining(report, session, counted(report.data.pairs, "pair"));
    }
    const given = await corpusOptions(options, session);
    if (options.plan) {
      const { planTraining } = await import("../../methods/plan.js");
      return printPlan(await planTraining(given), planText, session);
    }
    const { finetuneOnCorpus } = await import("../../methods/corpus/corpus-finetune.js");
    const report = await finetuneOnCorpus(given);
    await printTraining(report, session, `${formatCount(report.corpus.phrases)} phrases`);
  },
});

function printPlan<Plan extends object>(plan: Plan, text: (plan: Plan) => string, session: Session) {
  session.print(text(plan));
  return session.record(plan);
}

/** Pairs alone are enough, unless something asks for the whole method. */
const isPairsAlone = ({ pairs, base, corpus, preset }: FinetuneOptions): boolean =>
  pairs !== undefined && corpus === undefined && preset === undefined && base !== "none";

const ofCorpus = [
  ...(["hidden", "layers", "vocab", "characters", "characterWidth", "hardNegatives"] as const),
  ...(["augment", "anchors", "synonyms", "context"] as const),
];
/** What --no-... leaves out of a training on a corpus, and pairs alone do not have. */
const partsOfCorpus = [
  ...(["characters", "characterPretraining", "hardNegatives"] as const),
  ...(["characterAugmentation", "tokenAugmentation", "phraseAugmentation"] as const),
];
const ofPairs = [
  ...(["objective", "objectiveSettings", "view", "viewWeight", "viewMarks", "viewCalm", "validate"] as const),
  ...(["teacher", "dims"] as const),
] as const;

/** Refuses options that would be ignored. */
function checkUse(options: FinetuneOptions): void {
  checkLength(options);
  if (!isPairsAlone(options)) {
    const odd = ofPairs.find((name) => options[name] !== undefined);
    if (odd !== undefined)
      throw new UsageError(`${flagOf(odd)} is for --pairs alone; a corpus is trained with PEARL's loss`);
    if (options.batchSize !== undefined)
      throw new UsageError(
        "--batch-size is for --pairs alone; on a corpus, set --anchors, --hard-negatives and --synonyms",
      );
  }
  checkTypes(options);
  const { evalData, validate, patience } = options;
  if (evalData !== undefined && validate !== undefined)
    throw new UsageError(
      "--validate and --eval-data each choose the weights that are kept: give one of them",
    );
  if (patience !== undefined && evalData === undefined && (!isPairsAlone(options) || validate === 0))
    throw new UsageError("--patience counts evaluations: add --eval-data FOLDER, or hold pairs out");
  const { view, viewWeight, viewMarks, viewCalm } = options;
  if (view !== "punctuation" && (viewWeight ?? viewMarks ?? viewCalm) !== undefined)
    throw new UsageError("--view-weight, --view-marks and --view-calm are settings of --view punctuation");
  if (!isPairsAlone(options)) return;
  // true stands for options that were not given, false for --no-...
  const unused = ofCorpus.find((name) => options[name] !== undefined && typeof options[name] !== "boolean");
  const left = partsOfCorpus.find((name) => options[name] === false);
  if ((unused ?? left) === undefined) return;
  const flag = unused === undefined ? `--no-${flagOf(left as string).slice(2)}` : flagOf(unused);
  throw new UsageError(
    `${flag} is for training on a corpus: add --corpus FOLDER, or --preset NAME for WordNet's phrases`,
  );
}

const commonOptions = (options: FinetuneOptions, session: Session) => ({
  ...trainingSettings(options, session),
  ...{ output: options.output, seed: options.seed, types: typesFile(options) },
  ...{ evaluationData: options.evalData, patience: options.patience },
  onPlan: announcePlan(options, session),
  onDownload: session.onDownload,
  onEvaluation: (
    step: number,
    score: number,
    measure: string,
    figures: Readonly<Record<string, number>> = { [measure]: score },
    share = 1,
  ) => {
    const list = Object.entries(figures).map(([name, value]) => `${name} ${value.toFixed(4)}`);
    session.say(`after ${counted(step, "step")}${averageText(share)}: ${list.join(", ")}`);
  },
});

const pairOptions = (options: FinetuneOptions, session: Session) => ({
  ...options,
  ...commonOptions(options, session),
  pairs: options.pairs as string,
  types: options.types === false ? "none" : typesFile(options),
  ...{ learningRate: options.lr, clipNorm: options.clip, averageWithBase: options.average },
  punctuation: {
    ...(options.viewWeight !== undefined && { weight: options.viewWeight }),
    ...options.viewMarks,
    ...(options.viewCalm && { marks: "calm" as const }),
  },
});

async function corpusOptions(options: FinetuneOptions, session: Session): Promise<CorpusFinetuneOptions> {
  const chosen = await methodSettings(options);
  checkShape(options, [chosen.settings.base]);
  return {
    ...commonOptions(options, session),
    ...chosen,
    contextTexts: options.context,
    ...{ corpus: options.corpus, pairs: options.pairs, steps: options.steps, minutes: options.minutes },
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
  const batch = `${settings.anchors} phrases with ${settings.hardNegatives} hard negatives each`;
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
