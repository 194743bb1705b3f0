/** The model card of a fine-tuned model: made from settings and data alone, so that it says only what was done. */
import { stringify } from "yaml";

/** Everything that training.json holds: enough to run the training again. */
export interface TrainingRecord {
  /** Version of pearl. */
  readonly pearl: string;
  readonly runtime: string;
  readonly base: { readonly name: string; readonly fingerprint: string; readonly licence?: string };
  readonly data: {
    readonly file: string;
    readonly fingerprint: string;
    readonly pairs: number;
    readonly empty: number;
    readonly repeated: number;
    readonly withNegative: number;
    readonly withType: number;
    readonly types: readonly string[];
  };
  readonly settings: {
    readonly epochs: number;
    readonly batchSize: number;
    readonly learningRate: number;
    readonly schedule: unknown;
    readonly temperature: number;
    readonly dropout: number;
    readonly optimiser: unknown;
    readonly clipNorm?: number;
    readonly averageWithBase?: number;
    readonly pooling: string;
    readonly seed: number;
    readonly chunkCells?: number;
  };
  readonly result: {
    readonly steps: number;
    readonly loss?: number;
    /** Best evaluation: mean score over the tasks that had data. */
    readonly best?: { readonly step: number; readonly score: number };
  };
}

/** README.md of the model's folder. @param name of the model */
export function fineTuningCard(name: string, record: TrainingRecord): string {
  const { base, data, settings, result, pearl } = record;
  const metadata = {
    ...(base.licence && { license: base.licence }),
    base_model: base.name,
    pipeline_tag: "feature-extraction",
    library_name: "transformers.js",
    tags: ["pearl", "phrase-embeddings", "onnx"],
  };
  const best = result.best
    ? `The weights are those of step ${result.best.step}, which scored best (${result.best.score.toFixed(4)}, a mean over benchmark tasks) while training.`
    : "No score was measured while training: `pearl bench` measures them.";
  const average =
    settings.averageWithBase === undefined
      ? ""
      : `\n- averaged with the base's weights: ${settings.averageWithBase} of the trained ones`;
  return `---
${stringify(metadata).trimEnd()}
---

# ${name}

Phrase embeddings, fine-tuned from ${base.name} with pearl ${pearl}.

## Use

    pearl encode phrases.csv --model ${name}

Or with transformers.js: \`pipeline("feature-extraction", "${name}", { dtype: "fp32" })\`, pooling
"${settings.pooling}", normalised.

## Training

- data: ${data.file}, ${count(data.pairs)} pairs of phrases (fingerprint ${data.fingerprint}); ${count(data.withNegative)} with a hard negative, ${count(data.withType)} with one of ${data.types.length} types
- left out: ${count(data.empty)} rows with an empty cell, ${count(data.repeated)} repeated rows
- loss: NT-Xent in both directions at temperature ${settings.temperature}, equal phrases masked${data.types.length > 0 ? ", and cross-entropy of the phrase types" : ""}
- ${settings.epochs} epochs in batches of ${settings.batchSize} pairs, ${result.steps} steps, learning rate ${settings.learningRate}, seed ${settings.seed}${average}

training.json holds every setting.

## Quality and limits

${best} The model knows what its base and these pairs taught it; phrases of other fields or languages may fare
worse than with the base. ${base.licence ? `The licence is the base's (${base.licence}).` : "The base states no licence; its terms hold here too."}
`;
}

const count = (value: number): string => value.toLocaleString("en-US");
