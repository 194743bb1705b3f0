/** The model card of a pretrained character encoder: made from settings and data alone. */
import { stringify } from "yaml";
import type { CharacterEncoderKind } from "../../architectures/characters/encoder.js";
import type { WordUnitOptions } from "../../text/word-units.js";
import type { AttackOptions } from "./attacks.js";

/** Everything that training.json holds: enough to run the training again. */
export interface CharacterTrainingRecord {
  /** Version of pearl. */
  readonly pearl: string;
  readonly data: {
    readonly words: number;
    readonly source: string;
    /** Of the word vectors, where they were mimicked. */
    readonly vectors?: string;
    readonly vectorDimension?: number;
    readonly fingerprint: string;
  };
  readonly settings: {
    readonly kind: CharacterEncoderKind;
    readonly width: number;
    readonly units: WordUnitOptions;
    readonly pieces?: number;
    readonly epochs: number;
    readonly batchSize: number;
    readonly hardNegatives: number;
    readonly learningRate: number;
    readonly temperature: number;
    readonly dropout?: number;
    readonly attacks: AttackOptions;
    readonly limit?: number;
    readonly seed: number;
  };
  readonly result: { readonly steps: number; readonly loss?: number };
}

const kinds: Readonly<Record<CharacterEncoderKind, string>> = {
  love: "LOVE: positional attention over the characters and pieces of a word",
  bilstm: "a BiLSTM over the characters of a word",
  bag: "the sum of a word's characters",
  ngrams: "the sum of a word's hashed character n-grams",
};

/** README.md of the model's folder. @param name of the model */
export function characterCard(
  name: string,
  { pearl, data, settings, result }: CharacterTrainingRecord,
): string {
  const metadata = { library_name: "pearl", tags: ["pearl", "character-encoder", "onnx"] };
  const goal = data.vectors
    ? `the clean word's vector in ${data.vectors} (${data.vectorDimension} numbers)`
    : "its own vector of the clean word";
  const attacks =
    settings.attacks.preset === "love"
      ? "swap, delete, insert and keyboard error .07 each, a synonym .36, the word itself .36"
      : "swap, delete, insert and keyboard error .22 each, the word itself .12";
  const twice = settings.attacks.twice ? `; ${settings.attacks.twice} of the attacked ones twice` : "";
  const limits = data.vectors
    ? "It knows the meaning of words as far as their spelling tells, and those it was trained on."
    : 'It knows spelling and no meaning: it finds "recieve" near "receive", not "car" near "automobile".';
  return `---
${stringify(metadata).trimEnd()}
---

# ${name}

A character encoder, pretrained with pearl ${pearl}: ${kinds[settings.kind]}.

## Use

    pearl encode words.csv --model ${name}

Or as the second encoder of a phrase model: \`pearl finetune --characters ${name}\`.

## Training

- data: ${count(data.words)} words from ${data.source} (fingerprint ${data.fingerprint})
- goal: from the attacked word to ${goal}, against the batch and up to ${settings.hardNegatives} words of similar spelling each
- attacks: ${attacks}${twice}
- loss: NT-Xent at temperature ${settings.temperature}, equal words masked; Adam at ${settings.learningRate}, × 0.97 an epoch
- ${settings.epochs} epochs in batches of ${settings.batchSize} words, ${result.steps} steps, seed ${settings.seed}

training.json holds every setting.

## Quality and limits

No score was measured while training: \`pearl bench --task strings\` measures spelling. ${limits}
`;
}

const count = (value: number): string => value.toLocaleString("en-US");
