/** The encoder of a call: the one given, or one that is loaded for the call and disposed after it. */
import { PhraseEncoder } from "./phrase-encoder.js";

interface WithEncoderOptions {
  /** What to load; default: the embedded model. */
  readonly source?: string;
  readonly threads?: number;
  readonly signal?: AbortSignal;
}

export function withEncoder<Result>(
  given: PhraseEncoder | undefined,
  options: WithEncoderOptions,
  work: (encoder: PhraseEncoder) => Promise<Result>,
): Promise<Result>;
/** @param work gets no encoder for "none" */
export function withEncoder<Result>(
  given: PhraseEncoder | "none" | undefined,
  options: WithEncoderOptions,
  work: (encoder: PhraseEncoder | undefined) => Promise<Result>,
): Promise<Result>;
export async function withEncoder<Result>(
  given: PhraseEncoder | "none" | undefined,
  { source, threads, signal }: WithEncoderOptions,
  work: (encoder: PhraseEncoder) => Promise<Result>,
): Promise<Result> {
  if (given !== undefined) return work((given === "none" ? undefined : given) as PhraseEncoder);
  const encoder = await PhraseEncoder.load(source, { threads, signal });
  try {
    return await work(encoder);
  } finally {
    await encoder.dispose();
  }
}
