/** The record and the model card of a model that was fine-tuned on pairs. */
import { formatCount } from "../../files/count-text.js";
import type { AdamSettings } from "../../training/optimiser/adam.js";
import type { RunRecord, RunResult } from "../../training/run.js";
import { type BaseModel, cardText, phraseModel } from "../card.js";
import type { FinetuneOptions } from "./finetune.js";

/** What training.json holds: enough to run the training again. */
export interface TrainingRecord extends RunRecord {
  /** Name of the ONNX runtime that trained. */
  readonly runtime: string;
  readonly base: BaseModel;
  readonly data: {
    readonly file: string;
    readonly fingerprint: string;
    readonly pairs: number;
    /** Rows left out because text or positive is empty. */
    readonly empty: number;
    /** Rows left out because an earlier row is the same. */
    readonly repeated: number;
    readonly withNegative: number;
    readonly withType: number;
    readonly types: readonly string[];
  };
  readonly settings: FinetuneSettings;
  readonly result: RunResult;
}

type WithDefault = "epochs" | "batchSize" | "learningRate" | "schedule" | "temperature" | "dropout" | "seed";

/** The options that decide the weights, defaults filled in. */
export type FinetuneSettings = Required<Pick<FinetuneOptions, WithDefault>> &
  Pick<FinetuneOptions, "clipNorm" | "averageWithBase" | "chunkCells"> & {
    readonly optimiser: AdamSettings;
    /** The base's. */
    readonly pooling: string;
  };

export function fineTuningCard(name: string, record: TrainingRecord): string {
  const { base, data, settings, result, pearl } = record;
  return cardText(name, {
    ...phraseModel("these pairs", "transformers.js", record),
    opening: `Phrase embeddings, fine-tuned from ${base.name} with pearl ${pearl}.`,
    commands: [`pearl encode phrases.csv --model ${name}`],
    use: `Or with transformers.js: \`pipeline("feature-extraction", "${name}", { dtype: "fp32" })\`, pooling
"${settings.pooling}", normalised.`,
    training: [
      `data: ${data.file}, ${formatCount(data.pairs)} pairs of phrases (fingerprint ${data.fingerprint}); ${formatCount(data.withNegative)} with a hard negative, ${formatCount(data.withType)} with one of ${data.types.length} types`,
      `left out: ${formatCount(data.empty)} rows with an empty cell, ${formatCount(data.repeated)} repeated rows`,
      `loss: NT-Xent in both directions at temperature ${settings.temperature}, equal phrases masked${data.types.length > 0 ? ", and cross-entropy of the phrase types" : ""}`,
      `${settings.epochs} epochs in batches of ${settings.batchSize} pairs, ${result.steps} steps, learning rate ${settings.learningRate}, seed ${settings.seed}`,
      settings.averageWithBase !== undefined &&
        `averaged with the base's weights: ${settings.averageWithBase} of the trained ones`,
    ],
  });
}
