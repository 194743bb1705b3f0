/** Batches of a corpus, made ahead in a thread of their own. */
import { startWorker, type WorkerClient } from "../../runtime/worker-client.js";
import type { TrainingBatch } from "../../training/batch.js";
import type { TrainingData } from "../../training/trainer.js";
import type { CorpusBatchSettings, CorpusFacts, DescribedRow } from "./corpus-batches.js";

/** Batches that are requested before they are needed. */
const ahead = 4;

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
      batch: madeAhead(worker),
      describe: (index) => worker.call("describe", index),
      close: () => worker.terminate(),
    };
  } catch (error) {
    await worker.terminate();
    throw error;
  }
}

/** Asks for a batch and the next few; earlier ones are forgotten. */
function madeAhead(worker: WorkerClient): (index: number) => Promise<TrainingBatch> {
  const waiting = new Map<number, Promise<TrainingBatch>>();
  return (index) => {
    for (const old of waiting.keys()) if (old < index || old > index + ahead) waiting.delete(old);
    for (let next = index; next <= index + ahead; next++) {
      if (waiting.has(next)) continue;
      const made = worker.call<TrainingBatch>("batch", next);
      // a failure is reported to whoever asks for this batch
      made.catch(() => {});
      waiting.set(next, made);
    }
    const wanted = waiting.get(index) as Promise<TrainingBatch>;
    waiting.delete(index);
    return wanted;
  };
}
