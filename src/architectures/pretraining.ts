/** What an architecture says of trainings that come before phrases: on the spelling of words, and on running text. */
import type { WeightSource } from "../nn/net.js";
import type { WordPooling } from "../nn/pooling.js";
import type { Model } from "../onnx/model.js";
import type { WordUnitOptions } from "../text/word-units.js";
import type { WordVectors } from "../text/word-vectors.js";
import type { Featurizer, ModelPart, TrainingStart } from "./architecture.js";

/** An encoder that learns the spelling of words. */
export interface SpellingEncoder {
  /** As options and config.json name it. */
  readonly name: string;
  /** For model cards: "a BiLSTM over …". */
  readonly description: string;
  /** How words are read by default. */
  readonly units: WordUnitOptions;
  /** Width of the units' embeddings by default. */
  readonly width: number;
  /** Whether training can drop out values. */
  readonly hasDropout?: true;
  /** Whether it has states whose length can differ from `width`. */
  readonly hasStates?: true;
  /** @param settings.pieces word pieces at most, where units include them; default 4,000 */
  start(
    words: readonly string[],
    settings: Pick<SpellingEncoder, "units" | "width"> & {
      readonly pieces?: number;
      readonly hidden?: number;
      readonly pooling?: WordPooling;
      readonly seed: number;
    },
  ): SpellingStart;
}

export interface SpellingStart {
  readonly part: ModelPart;
  readonly featurizer: Featurizer;
  readonly weights: WeightSource;
  /** What was read from the words. */
  readonly summary?: string;
}

/** An encoder that learns from running text which words surround a phrase. */
export interface TextEncoder {
  /** Words in its vocabulary by default. */
  readonly vocabulary: number;
  /** Refuses sizes that do not fit together, before texts are read. @throws UsageError */
  check(sizes: object): void;
  /** @throws ArgumentError for word vectors of another dimension than the encoder's */
  start(options: TextStartOptions): TextStart;
}

export interface TextStartOptions extends Pick<TrainingStart, "words" | "contextWords"> {
  /** The vocabulary and rarer words, which n-grams are counted over. */
  readonly allWords: readonly string[];
  /** First vectors of words; default: random ones. */
  readonly vectors?: WordVectors;
  /** Sizes other than the usual ones, by the names that the architecture gives them. */
  readonly sizes: object;
  readonly seed: number;
}

export interface TextStart extends Pick<TrainingStart, "write"> {
  /** All sizes, for training.json, and as a text for model cards. */
  readonly sizes: object;
  readonly summary: string;
  readonly featurizer: Featurizer;
  /** Compares spans with their contexts, whose inputs contexts.ts describes. */
  readonly program: { readonly model: Model; readonly loss: string; readonly weights: readonly string[] };
}
