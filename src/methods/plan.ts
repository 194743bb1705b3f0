/** What a training would do: its size, time and memory, measured on a few steps. */
import { join } from "node:path";
import { CORPUS_FILES } from "../corpus/corpus-folder.js";
import { inTemporaryFolder } from "../files/object-storage/temporary-folder.js";
import { exists } from "../files/whole-file.js";
import { planRun, type RunPlan } from "../training/run.js";
import type { CorpusFacts } from "./corpus/corpus-batches.js";
import { type CorpusFinetuneOptions, prepareTraining, runOf } from "./corpus/corpus-finetune.js";
import { defaultCorpusFolder, prepareCorpus } from "./corpus/corpus-source.js";
import { type Departure, departures } from "./settings/departures.js";
import type { MethodSettings } from "./settings/method-settings.js";

/** What a training on a corpus would do: its settings, sizes and steps, without training. */
export interface TrainingPlan extends RunPlan {
  readonly settings: MethodSettings;
  /** The paper's settings beside these. */
  readonly paper: readonly Departure[];
  /** The transformer: a pretrained one's name, or "from scratch". */
  readonly base: string;
  readonly corpus: CorpusFacts;
  readonly dimension: number;
  /** Number of phrase types that are learned. */
  readonly types: number;
  /** Pairs of phrases in the first batch. */
  readonly pairsPerBatch: number;
  /** Fraction of them with two equal phrases. */
  readonly unchanged: number;
  /** Work that comes first, such as mining. */
  readonly before: readonly string[];
}

/**
 * Prepares a training in a temporary folder, takes a few steps, and leaves nothing behind.
 * @throws the errors of a training before its first step
 */
export async function planTraining(options: CorpusFinetuneOptions): Promise<TrainingPlan> {
  options.signal?.throwIfAborted();
  return inTemporaryFolder(async (work) => {
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
    const { start, data, pretrained } = prepared;
    const rows = data.describe(0);
    return {
      ...(await planRun(runOf(prepared, options), options)),
      ...{ settings, before, paper: departures(settings), corpus: data.facts },
      base: pretrained?.name ?? "from scratch",
      dimension: start.assembled.width,
      types: start.assembled.types.length,
      pairsPerBatch: rows.length,
      unchanged: rows.filter(({ text, positive }) => text === positive).length / rows.length,
    };
  });
}
