/** Batches of a corpus, made in a thread of their own while the step before runs. */
import { startWorker } from "../../runtime/worker-client.js";
import type { TrainingData } from "../../training/trainer.js";
import type { CorpusBatchSettings, CorpusFacts, DescribedRow } from "./corpus-batches.js";

export interface CorpusData extends TrainingData {
  readonly facts: CorpusFacts;
  describe(index: number): Promise<readonly DescribedRow[]>;
  /** Ends the thread. */
  close(): Promise<void>;
}

/** @throws TableError, MissingDataError, ModelError, ArgumentError from the thread */
export async function openCorpusData(settings: CorpusBatchSettings): Promise<CorpusData> {
  const worker = startWorker("./data-worker.js", import.meta.url);
  try {
    const facts = await worker.call<CorpusFacts>("open", settings);
    const { corpus: _, model: __, ...rest } = settings;
    return {
      facts,
      fingerprint: `${facts.fingerprint} ${JSON.stringify(rest)}`,
      batch: (index) => worker.call("batch", index),
      describe: (index) => worker.call("describe", index),
      close: () => worker.terminate(),
    };
  } catch (error) {
    await worker.terminate();
    throw error;
  }
}
