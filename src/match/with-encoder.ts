/** The encoder of a call: the one given, or the embedded model, loaded for the call. */
import { PhraseEncoder } from "../encoder/phrase-encoder.js";

/** @param work gets no encoder for "none" */
export async function withEncoder<Result>(
  given: PhraseEncoder | "none" | undefined,
  options: { readonly threads?: number; readonly signal?: AbortSignal },
  work: (encoder: PhraseEncoder | undefined) => Promise<Result>,
): Promise<Result> {
  if (given !== undefined) return work(given === "none" ? undefined : given);
  const { threads, signal } = options;
  const encoder = await PhraseEncoder.load(undefined, { threads, signal });
  try {
    return await work(encoder);
  } finally {
    await encoder.dispose();
  }
}
