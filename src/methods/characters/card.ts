/** The record and the model card of a pretrained character encoder. */
import type { CharacterEncoderKind } from "../../architectures/characters/encoder.js";
import { formatCount } from "../../files/count-text.js";
import type { RunOptions, RunRecord } from "../../training/run.js";
import { cardText, unmeasured } from "../card.js";
import type { PretrainCharactersOptions } from "./pretrain-characters.js";

/** What training.json holds: enough to run the training again. */
export interface CharacterTrainingRecord extends RunRecord {
  readonly data: {
    readonly words: number;
    readonly source: string;
    /** Of the word vectors, if they were imitated. */
    readonly vectors?: string;
    readonly vectorDimension?: number;
    readonly fingerprint: string;
  };
  readonly settings: CharacterSettings;
}

type OfSomeKinds = "pieces" | "dropout" | "limit";

/** The options that decide the weights, defaults filled in. */
export type CharacterSettings = Pick<PretrainCharactersOptions, OfSomeKinds> &
  Required<Omit<PretrainCharactersOptions, keyof RunOptions | OfSomeKinds | "vectors" | "words">> &
  Required<Pick<RunOptions, "seed">>;

const kinds: Readonly<Record<CharacterEncoderKind, string>> = {
  love: "LOVE: positional attention over the characters and pieces of a word",
  bilstm: "a BiLSTM over the characters of a word",
  bag: "the sum of a word's characters",
  ngrams: "the sum of a word's hashed character n-grams",
};

export function characterCard(
  name: string,
  { pearl, data, settings, result }: CharacterTrainingRecord,
): string {
  const { hardNegatives, attacks, temperature, learningRate, epochs, batchSize, seed } = settings;
  const goal = data.vectors
    ? `the correct word's vector in ${data.vectors} (${data.vectorDimension} dimensions)`
    : "its own vector of the correct word";
  const rates =
    attacks.preset === "love"
      ? "swap, delete, insert and keyboard error .07 each, a synonym .36, the word itself .36"
      : "swap, delete, insert and keyboard error .22 each, the word itself .12";
  const twice = attacks.twice ? `; ${attacks.twice} of the attacked words twice` : "";
  const limits = data.vectors
    ? "It knows the meaning of the words it was trained on, and of others as far as spelling shows it."
    : 'It knows spelling and no meaning: it finds "recieve" near "receive", not "car" near "automobile".';
  return cardText(name, {
    metadata: { library_name: "pearl", tags: ["pearl", "character-encoder", "onnx"] },
    opening: `A character encoder, pretrained with pearl ${pearl}: ${kinds[settings.kind]}.`,
    commands: [`pearl encode words.csv --model ${name}`],
    use: `Or as the second encoder of a phrase model: \`pearl finetune --characters ${name}\`.`,
    training: [
      `data: ${formatCount(data.words)} words from ${data.source} (fingerprint ${data.fingerprint})`,
      `goal: from the attacked word to ${goal}, against the batch and up to ${hardNegatives} words of similar spelling each`,
      `attacks: ${rates}${twice}`,
      `loss: NT-Xent at temperature ${temperature}, equal words masked; Adam at ${learningRate}, × 0.97 an epoch`,
      `${epochs} epochs in batches of ${batchSize} words, ${result.steps} steps, seed ${seed}`,
    ],
    limits: `${unmeasured("pearl bench --task strings")} ${limits}`,
  });
}
