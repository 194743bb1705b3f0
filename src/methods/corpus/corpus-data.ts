/** Batches from a corpus, made ahead in a thread of their own; at most a few wait at a time. */
import { startWorker, type WorkerClient } from "../../runtime/worker-client.js";
import type { TrainingBatch } from "../../training/batch.js";
import type { TrainingData } from "../../training/trainer.js";
import type { CorpusBatchSettings, CorpusFacts } from "./data-protocol.js";

/** Batches made or in the making beyond the one that is wanted. */
const ahead = 4;

/** Batches of a corpus. */
export interface CorpusData extends TrainingData {
  readonly facts: CorpusFacts;
  describe(index: number): Promise<readonly { text: string; positive: string; type?: string }[]>;
  /** Ends the thread. */
  close(): Promise<void>;
}

/**
 * Opens a corpus in a new thread.
 * @throws TableError, MissingDataError, ModelError, ArgumentError, as the thread meets them
 */
export async function openCorpusData(settings: CorpusBatchSettings): Promise<CorpusData> {
  const worker = startWorker("./data-worker.js", import.meta.url);
  try {
    const facts = await worker.call<CorpusFacts>("open", settings);
    const { corpus: _, model: __, ...rest } = settings;
    return {
      facts,
      fingerprint: `${facts.fingerprint} ${JSON.stringify(rest)}`,
      batch: queued(worker),
      describe: (index) => worker.call("describe", { index }),
      close: () => worker.terminate(),
    };
  } catch (error) {
    await worker.terminate();
    throw error;
  }
}

/** Asks for a batch and the next few; what lies behind is forgotten. */
function queued(worker: WorkerClient): (index: number) => Promise<TrainingBatch> {
  const waiting = new Map<number, Promise<TrainingBatch>>();
  return (index) => {
    for (const old of waiting.keys()) if (old < index || old > index + ahead) waiting.delete(old);
    for (let next = index; next <= index + ahead; next++) {
      if (waiting.has(next)) continue;
      const made = worker.call<TrainingBatch>("batch", { index: next });
      // a failure is met by whoever asks for this batch
      made.catch(() => {});
      waiting.set(next, made);
    }
    const wanted = waiting.get(index) as Promise<TrainingBatch>;
    waiting.delete(index);
    return wanted;
  };
}
