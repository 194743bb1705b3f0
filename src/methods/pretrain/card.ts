/** The card of a pretrained word encoder, and what training.json records of it. */
import type { WordEncoderSizes } from "../../architectures/pearl-mini/sizes.js";

/** Everything that decides a pretraining, besides text and word vectors. */
export interface PretrainSettings {
  /**
   * "context": a span's meaning against its surroundings (the default); "masked": hidden words told from the rest
   * of a window.
   */
  readonly objective: "context" | "masked";
  /** Words that get vectors of their own, the most frequent ones; default 60,000. */
  readonly vocabulary: number;
  /** Default 450. */
  readonly steps: number;
  /** Spans or windows of a batch; default 1,280. */
  readonly batchSize: number;
  /** Default 1.5e-3, falling to a twentieth as half a cosine. */
  readonly learningRate: number;
  /** Steps in which the rate rises; default 50. */
  readonly warmUp: number;
  /** Default 0. */
  readonly seed: number;
  /** Sizes of the encoder that differ from pearl-mini's; default none. */
  readonly sizes: Partial<WordEncoderSizes>;
}

/** What training.json holds. */
export interface PretrainRecord {
  readonly pearl: string;
  readonly data: {
    readonly texts: readonly string[];
    /** Words and punctuation marks. */
    readonly tokens: number;
    readonly distinctWords: number;
    readonly fingerprint: string;
    readonly vectors?: string;
    /** Words that the text has too seldom and that got vectors of their own nevertheless. */
    readonly furtherWords?: number;
  };
  readonly settings: PretrainSettings;
  readonly sizes: WordEncoderSizes;
  readonly result: { readonly steps: number; readonly loss?: number };
}

const objectives = {
  context: "it learned to tell which words stood around a span of one to four words",
  masked: "it learned to tell hidden words from the rest of a window of text",
} as const;

export function pretrainCard(name: string, { pearl, data, settings, sizes, result }: PretrainRecord): string {
  const vectors = data.vectors ? ` Its word table started from ${data.vectors}.` : "";
  return `---
library_name: pearl
tags: [phrase-embeddings]
---
# ${name}

A word encoder pretrained on running text with pearl ${pearl}: ${objectives[settings.objective]}.${vectors}

- text: ${data.texts.join(", ")}; ${data.tokens.toLocaleString("en-US")} words and marks
- encoder: ${sizes.layers} layers, width ${sizes.width}, ${sizes.vocabulary.toLocaleString("en-US")} words, vectors of ${sizes.meaning} numbers
- training: ${result.steps} steps of ${settings.batchSize}, learning rate ${settings.learningRate}, seed ${settings.seed}${result.loss === undefined ? "" : `, last loss ${result.loss.toFixed(3)}`}

It is a start for training on pairs, not a finished model of names: spelling was not trained. Use it with
\`pearl encode phrases.csv --model ${name}\`.
`;
}
