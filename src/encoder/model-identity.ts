/** What a vector's bits come from: the model and the device that runs it. */
import type { PhraseEncoder } from "./phrase-encoder.js";

export const modelIdentity = async (encoder: PhraseEncoder): Promise<string> =>
  `${await encoder.fingerprint()} on ${encoder.device}`;
