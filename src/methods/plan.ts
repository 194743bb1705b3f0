/** What a training would do: its size, time and memory, measured on a few steps. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CORPUS_FILES } from "../corpus/corpus-folder.js";
import { exists } from "../files/whole-file.js";
import { type MeasuredSteps, measureSteps, parametersOf, stepsIn } from "../training/measure-steps.js";
import type { CorpusFacts } from "./corpus/corpus-batches.js";
import { type CorpusFinetuneOptions, prepareTraining } from "./corpus/corpus-finetune.js";
import { defaultCorpusFolder, prepareCorpus } from "./corpus/corpus-source.js";
import { type Departure, departures } from "./settings/departures.js";
import type { MethodSettings } from "./settings/method-settings.js";

/** What a training on a corpus would do: its settings, sizes and steps, without training. */
export interface TrainingPlan {
  readonly settings: MethodSettings;
  /** The paper's settings beside these. */
  readonly paper: readonly Departure[];
  /** The transformer: a pretrained one's name, or "from scratch". */
  readonly base: string;
  readonly corpus: CorpusFacts;
  readonly dimension: number;
  /** Number of trained parameters. */
  readonly parameters: number;
  /** Number of phrase types that are learned. */
  readonly types: number;
  readonly steps: number;
  /** Pairs of phrases in the first batch. */
  readonly pairsPerBatch: number;
  /** Fraction of them with two equal phrases. */
  readonly unchanged: number;
  readonly step: MeasuredSteps;
  /** Time of all steps. */
  readonly seconds: number;
  /** Work that comes first, such as mining. */
  readonly before: readonly string[];
}

/**
 * Prepares a training in a temporary folder, takes a few steps, and leaves nothing behind.
 * @throws the errors of a training before its first step
 */
export async function planTraining(options: CorpusFinetuneOptions): Promise<TrainingPlan> {
  options.signal?.throwIfAborted();
  const work = await mkdtemp(join(tmpdir(), "pearl-plan-"));
  try {
    const before: string[] = [];
    const buildIn = join(work, "corpus");
    const corpus = await prepareCorpus({ ...options, hardNegatives: "none", buildIn });
    if (corpus === buildIn) before.push(`a corpus is built from WordNet, in ${defaultCorpusFolder()}`);
    const mined = await exists(join(corpus, CORPUS_FILES.hardNegatives));
    // a training without a base may turn to `otherwise`, whose hard negatives must not be mined either
    const unmined = (settings: MethodSettings) => (mined ? settings : { ...settings, hardNegatives: 0 });
    const otherwise = options.otherwise && unmined(options.otherwise);
    const given = { ...options, corpus, settings: unmined(options.settings), otherwise };
    const prepared = await prepareTraining(given, work);
    const asked = prepared.isOtherwise && options.otherwise ? options.otherwise : options.settings;
    const settings = { ...prepared.settings, hardNegatives: asked.hardNegatives };
    if (settings.hardNegatives > 0 && !mined)
      before.push("hard negatives are mined; neither the times nor the measured batches include this");
    const { device, threads, signal, onNote } = options;
    const { learningRate } = prepared.settings;
    const { program, data } = prepared;
    const step = await measureSteps(program, data, { device, threads, signal, onNote, learningRate });
    const rows = data.describe(0);
    const { facts } = data;
    const fitting = options.minutes && stepsIn(options.minutes, step);
    const steps = options.steps ?? fitting ?? prepared.settings.epochs * facts.batchesPerEpoch;
    return {
      settings,
      paper: departures(settings),
      base: prepared.pretrained?.name ?? "from scratch",
      corpus: facts,
      dimension: prepared.start.assembled.width,
      parameters: parametersOf(program),
      types: prepared.start.assembled.types.length,
      ...{ steps, step, before },
      pairsPerBatch: rows.length,
      unchanged: rows.filter(({ text, positive }) => text === positive).length / rows.length,
      seconds: steps * step.seconds,
    };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
