/** `pearl finetune`: a base model trained further on pairs; a model folder out. */
import { InvalidArgumentError } from "commander";
import { UsageError } from "../../errors.js";
import type { FinetuneOptions } from "../../methods/pairs/finetune.js";
import { viewNames } from "../../methods/pairs/views.js";
import { objectiveNames } from "../../objectives/registry.js";
import { refuseStandardOutput } from "../addresses.js";
import { command, type OptionsOf } from "../command.js";
import { counted } from "../format.js";
import {
  choice,
  flagOf,
  fractionBelowOne,
  hidden,
  namedValues,
  nonNegative,
  option,
  positiveInteger,
  positiveNumber,
  repeatable,
  shared,
} from "../options.js";
import type { Session } from "../session.js";
import { trainOnCorpus } from "./train.js";
import {
  checkLength,
  checkTypes,
  lengthOptions,
  olderOptions,
  printPlan,
  printTraining,
  runOptionsOf,
  runPlanText,
  trainingOptions,
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

const [checkpoints, ...running] = trainingOptions(500);

/** Earlier spellings of settings, and options of `pearl train`. */
const older = [
  ...olderOptions,
  ...hidden([
    option("--corpus <folder>", "pearl train --corpus"),
    option("--preset <name>", "pearl train --preset"),
    option("--context <text...>", "pearl train --context"),
    option("--eval-data <folder>", "benchmark data: score after every epoch and keep the best weights"),
    option("--types <file>", "types=FILE"),
    option("--objective-settings <name=value,...>", "objectiveSettings", namedValues),
    option("--view-weight <λ>", "punctuation.weight", nonNegative),
    option("--view-marks <least-most>", "punctuation.least, punctuation.most", marksRange),
    option("--view-calm", "punctuation.marks=calm"),
    checkpoints,
  ] as const),
] as const;

const options = [
  option(
    "--pairs <file>",
    "table with columns text and positive, optionally negative, type, label, score; repeatable; FILE=2 is trained on twice as often",
    repeatable,
  ),
  option("--base <model>", "model to start from: folder or hub id (default: pearl-mini)"),
  option("-o, --output <folder>", "folder of the new model", undefined, "pearl-model"),
  choice("--objective <name>", "the loss (default: nt-xent; with --teacher distill)", objectiveNames),
  option(
    "--teacher <model>",
    "a larger model: imitated by distill and margin-mse, finds false negatives for other losses; repeatable",
    repeatable,
  ),
  option(
    "--dims <n,...>",
    "shorter lengths of the embedding to train too, such as 128,256 (default: the base's)",
    wholeNumbers,
  ),
  choice("--view <name>", "for phrases alone: a second view of each is its positive", viewNames),
  option(
    "--validate <fraction|file>",
    "pairs held out to choose the weights (default: 0.1 of at least 200 pairs; 0: none)",
    fractionOrFile,
  ),
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
  option(
    "--lr <rate>",
    "learning rate (default: 6e-4 for pearl-mini, 3e-5 for a transformer)",
    positiveNumber,
  ),
  option(
    "--batch-size <n>",
    "most pairs in a batch (default: a thirtieth of them, 32 to 512)",
    positiveInteger,
  ),
  option(
    "--set <name=value>",
    "another setting, such as temperature=0.05, warmUp=0.1, schedule=linear, weightDecay=0.01; repeatable",
    repeatable,
  ),
  shared.seed,
  ...running,
  ...older,
] as const;

type Options = OptionsOf<typeof options>;

export default command({
  name: "finetune",
  summary: "train a model further on pairs that mean the same",
  options,
  examples: [
    ["pearl finetune --pairs pairs.csv -o my-model", "pearl-mini on pairs"],
    ["pearl finetune --base intfloat/e5-small-v2 --pairs pairs.csv -o my-model", "a hub model on pairs"],
    [
      "pearl finetune --pairs names.csv=2 --pairs terms.csv -o my-model",
      "two tables, the first twice as often",
    ],
    ["pearl finetune --pairs labelled.csv --objective sup-con -o my-model", "on phrases with labels"],
    ["pearl finetune --pairs phrases.csv --view cutoff -o my-model", "on phrases alone"],
    [
      "pearl finetune --pairs phrases.csv --teacher ORG/LARGE -o my-model",
      "imitate a large model on phrases",
    ],
    ["pearl finetune --pairs pairs.csv --set schedule=linear --set warmUp=0.1 -o my-model", "other settings"],
    ["pearl encode phrases.csv --model my-model", "use the model"],
  ],
  run: async (_, options, session) => {
    if (!isPairsAlone(options)) {
      checkOfPairs(options);
      session.say("a training on a corpus is pearl train now; it takes the same options");
      return trainOnCorpus(options, session);
    }
    refuseStandardOutput(options.output, "my-model");
    const { finetune, planFinetune } = await import("../../methods/pairs/finetune.js");
    const given = await pairOptions(options, session);
    if (options.plan) return printPlan(await planFinetune(given), runPlanText, session);
    const report = await finetune(given);
    return printTraining(report, session, counted(report.data.pairs, "pair"));
  },
});

/** Pairs alone are enough, unless something asks for the whole method. */
const isPairsAlone = ({ pairs, base, corpus, preset }: Options): boolean =>
  pairs !== undefined && corpus === undefined && preset === undefined && base !== "none";

const ofPairs = [
  "objective",
  "objectiveSettings",
  "view",
  "viewWeight",
  "viewMarks",
  "viewCalm",
  "validate",
  "teacher",
  "dims",
] as const;

/** Refuses options of pairs where there is a corpus. */
function checkOfPairs(options: Options): void {
  const odd = ofPairs.find((name) => options[name] !== undefined);
  if (odd !== undefined)
    throw new UsageError(
      `${flagOf(odd)} is for a training on pairs alone. Give --pairs FILE without --corpus, --preset and --base none.`,
    );
  if (options.batchSize !== undefined)
    throw new UsageError(
      "--batch-size is for a training on pairs alone. On a corpus, set anchors, hardNegatives and synonyms (--set anchors=64)",
    );
}

const ofCorpus = [
  ...(["hidden", "layers", "vocab", "characters", "characterWidth", "hardNegatives"] as const),
  ...(["augment", "anchors", "synonyms", "context"] as const),
];
/** What --no-... leaves out of a training on a corpus, and pairs alone do not have. */
const partsOfCorpus = [
  ...(["characters", "characterPretraining", "hardNegatives"] as const),
  ...(["characterAugmentation", "tokenAugmentation", "phraseAugmentation"] as const),
];

/** Refuses options that a training on pairs alone would ignore. */
function checkUse(options: Options): void {
  checkLength(options);
  checkTypes(options);
  const { evalData, validate, patience } = options;
  if (evalData !== undefined && validate !== undefined)
    throw new UsageError(
      "--validate and --eval-data each choose the weights that are kept: give one of them",
    );
  if (patience !== undefined && evalData === undefined && validate === 0)
    throw new UsageError("--patience counts evaluations: add --eval-data FOLDER, or hold pairs out");
  // true stands for options that were not given, false for --no-...
  const unused = ofCorpus.find((name) => options[name] !== undefined && typeof options[name] !== "boolean");
  const left = partsOfCorpus.find((name) => options[name] === false);
  if ((unused ?? left) === undefined) return;
  const flag = unused === undefined ? `--no-${flagOf(left as string).slice(2)}` : flagOf(unused);
  throw new UsageError(
    `${flag} is for training on a corpus: add --corpus FOLDER, or --preset NAME for WordNet's phrases`,
  );
}

async function pairOptions(options: Options, session: Session): Promise<FinetuneOptions> {
  checkUse(options);
  const settings = await settingsOf(options);
  if (settings.punctuation !== undefined && settings.view !== "punctuation")
    throw new UsageError(
      "--set punctuation (also as --view-weight, --view-marks or --view-calm) is for --view punctuation: add it",
    );
  const { sourceOf } = await import("../../methods/pairs/pairs.js");
  return {
    ...settings,
    ...runOptionsOf(options, session),
    ...{ base: options.base, objective: options.objective, validate: options.validate },
    ...{ teacher: options.teacher, dims: options.dims },
    pairs: await Promise.all((options.pairs ?? []).map(sourceOf)),
  };
}

/** The settings of a training on pairs: earlier spellings first, then `--set` in its order. */
async function settingsOf(options: Options): Promise<Partial<FinetuneOptions>> {
  const { withAssigned } = await import("../../methods/settings/choices.js");
  const { epochs, batchSize, temperature, dropout, view, objectiveSettings, viewWeight } = options;
  const punctuation = {
    ...(viewWeight !== undefined && { weight: viewWeight }),
    ...options.viewMarks,
    ...(options.viewCalm && { marks: "calm" as const }),
  };
  const older = {
    ...{ epochs, batchSize, learningRate: options.lr, temperature, dropout, clipNorm: options.clip },
    ...{ view, objectiveSettings, averageWithBase: options.averaging ? options.average : 1 },
    types: options.types === false ? "none" : typesFile(options),
    ...(Object.keys(punctuation).length > 0 && { punctuation }),
  };
  return withAssigned<Partial<FinetuneOptions>>(older, options.set ?? [], "pairs");
}
