/** The record and the model card of a pretrained word encoder. */
import type { WordEncoderSizes } from "../../architectures/pearl-mini/sizes.js";
import { formatCount } from "../../files/count-text.js";
import type { RunRecord } from "../../training/run.js";
import { cardText, unmeasured } from "../card.js";

/** Everything that decides a pretraining, besides text and word vectors. */
export interface PretrainSettings {
  /** Size of the vocabulary: the most frequent words; default 60,000. */
  readonly vocabulary: number;
  /** Default 450. */
  readonly steps: number;
  /** Spans in a batch; default 1,280. */
  readonly batchSize: number;
  /** Default 1.5e-3, falling to a twentieth along half a cosine. */
  readonly learningRate: number;
  /** Steps in which the rate rises; default 50. */
  readonly warmUp: number;
  /** Default 0. */
  readonly seed: number;
  /** Sizes of the encoder that differ from pearl-mini's; default none. */
  readonly sizes: Partial<WordEncoderSizes>;
}

/** What training.json holds: enough to run the pretraining again. */
export interface PretrainRecord extends RunRecord {
  readonly data: {
    readonly texts: readonly string[];
    /** Words and punctuation marks. */
    readonly tokens: number;
    readonly distinctWords: number;
    readonly fingerprint: string;
    readonly vectors?: string;
    /** Words of the vocabulary that are too rare in the text and were added by name. */
    readonly furtherWords?: number;
  };
  readonly settings: PretrainSettings;
  readonly sizes: WordEncoderSizes;
}

export function pretrainCard(name: string, { pearl, data, settings, sizes, result }: PretrainRecord): string {
  const vectors = data.vectors ? ` Its word table started from ${data.vectors}.` : "";
  const loss = result.loss === undefined ? "" : `, last loss ${result.loss.toFixed(3)}`;
  return cardText(name, {
    metadata: { library_name: "pearl", tags: ["phrase-embeddings"] },
    opening:
      `A word encoder pretrained on running text with pearl ${pearl}: it learned to predict which words surround ` +
      `a span of one to four words.${vectors}`,
    commands: [`pearl encode phrases.csv --model ${name}`],
    training: [
      `text: ${data.texts.join(", ")}; ${formatCount(data.tokens)} words and marks`,
      `encoder: ${sizes.layers} layers, width ${sizes.width}, ${formatCount(sizes.vocabulary)} words, ${sizes.meaning} dimensions`,
      `${result.steps} steps of ${settings.batchSize} spans, learning rate ${settings.learningRate}, seed ${settings.seed}${loss}`,
    ],
    limits:
      `${unmeasured("pearl bench")} This is a start for training on pairs, not a finished model of names: ` +
      "spelling was not trained.",
  });
}
