/** Loads the model that a command encodes with, showing a download where there is one. */
import type { PhraseEncoder } from "../encoder/index.js";
import type { DeviceChoice } from "../runtime/device.js";
import { startProgress } from "./progress.js";

/** What the command line says of the model. */
export interface EncoderChoice {
  /** Embedded model, folder or hub id; the embedded default where absent. */
  readonly model?: string;
  readonly device: DeviceChoice;
  readonly threads?: number;
  readonly int8?: boolean;
  readonly quiet?: boolean;
}

/** The encoder; the caller disposes of it. */
export async function loadEncoder(choice: EncoderChoice, signal: AbortSignal): Promise<PhraseEncoder> {
  const { PhraseEncoder } = await import("../encoder/phrase-encoder.js");
  const download = await startProgress({ label: "downloading", unit: "bytes", quiet: choice.quiet });
  return PhraseEncoder.load(choice.model, {
    device: choice.device,
    threads: choice.threads,
    precision: choice.int8 ? "int8" : "full",
    signal,
    onDownload: ({ done, total }) => download.update(done, total),
  }).finally(() => download.finish());
}
