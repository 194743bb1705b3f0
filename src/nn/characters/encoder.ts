/**
 * Character encoders behind one function: phrases as words, words as units, to one vector per phrase.
 *
 * | kind   | a word's vector                                                         | units               |
 * | ------ | ----------------------------------------------------------------------- | ------------------- |
 * | love   | positional attention over characters and word pieces, sum ({@link loveWords}) | characters + pieces |
 * | bilstm | last states of both directions ({@link bilstmWords})                    | characters          |
 * | bag    | sum of its characters' vectors                                          | characters          |
 * | ngrams | sum of its hashed n-grams' vectors                                      | n-grams             |
 */
import { ArgumentError } from "../../errors.js";
import { linear } from "../layers.js";
import type { Net } from "../net.js";
import { meanPooling } from "../pooling.js";
import { bilstmWords } from "./bilstm.js";
import { type CharacterInputs, wordMask } from "./inputs.js";
import { loveWords } from "./love.js";
import { unitEmbeddings, wordVectors } from "./units.js";

export const characterEncoderKinds = ["love", "bilstm", "bag", "ngrams"] as const;
export type CharacterEncoderKind = (typeof characterEncoderKinds)[number];

export interface CharacterEncoderOptions {
  readonly kind: CharacterEncoderKind;
  /** Prefix of all weights; default "characters". */
  readonly name?: string;
  /** Units that the text side knows, padding included: `WordReader.rows`. */
  readonly rows: number;
  /** Of the units' embeddings; LOVE's is 300. */
  readonly width: number;
  /** Positions of a word at most (bilstm: exactly), special units included; ngrams and bag do not look at it. */
  readonly positions: number;
  /** bilstm only: states of both directions together; default `width`. */
  readonly hidden?: number;
  /** Length of the phrase's vector; PEARL-small's is 96. Default: words are averaged and not reduced. */
  readonly outputs?: number;
}

/** Length of a word's vector. */
export const wordWidth = ({ kind, width, hidden = width }: CharacterEncoderOptions): number =>
  kind === "bilstm" ? hidden : width;

/** Every word's vector, of length 1: [words, {@link wordWidth}]. @throws ArgumentError for sizes that do not fit */
export function characterWords(net: Net, inputs: CharacterInputs, options: CharacterEncoderOptions): string {
  const { kind, name = "characters", width, hidden = width } = options;
  if (kind === "bilstm" && hidden % 2 !== 0)
    throw new ArgumentError(`a BiLSTM's two directions share ${hidden} states: give an even number`);
  const table = { ...options, name };
  if (kind === "love") return loveWords(net, inputs, table);
  if (kind === "bilstm") return bilstmWords(net, inputs, { ...table, hidden });
  return wordVectors(net, unitEmbeddings(net, inputs, table), inputs);
}

/**
 * The phrase's vector: the mean of its words' vectors, reduced linearly without activation (weights
 * `reduction.weight` [outputs, width], `reduction.bias`). A phrase without words gets the reduction's bias.
 * @returns [phrases, outputs], or [phrases, {@link wordWidth}]
 */
export function characterEncoder(
  net: Net,
  inputs: CharacterInputs,
  options: CharacterEncoderOptions,
): string {
  const { name = "characters", outputs } = options;
  const hidden = net.g.add("Gather", [characterWords(net, inputs, options), firstForPadding(net, inputs)]);
  const phrases = meanPooling(net, { hidden, mask: wordMask(net, inputs) });
  if (outputs === undefined) return phrases;
  return linear(net, phrases, { name: `${name}.reduction`, inputs: wordWidth(options), outputs });
}

/** Row numbers with 0 instead of -1: masked afterwards, but never outside the table. */
const firstForPadding = ({ g }: Net, { words }: CharacterInputs): string =>
  g.add("Max", [words, g.scalar("int32", 0)]);
