/** Encoders that are disposed of when their test ends. */
import { onTestFinished } from "vitest";
import { PhraseEncoder } from "../../src/encoder/phrase-encoder.js";

export async function load(...args: Parameters<typeof PhraseEncoder.load>): Promise<PhraseEncoder> {
  const encoder = await PhraseEncoder.load(...args);
  onTestFinished(() => encoder.dispose());
  return encoder;
}

/** Vectors of a folder's model, not scaled. */
export const rawVectors = async (folder: string, phrases: string[]): Promise<Float32Array[]> =>
  (await load(folder, { threads: 1 })).encode(phrases, { normalize: false });
