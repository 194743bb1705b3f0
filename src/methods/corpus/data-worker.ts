/** The thread behind corpus-data.ts: samples, augments and tokenises batches while the trainer computes. */
import { serve } from "../../runtime/worker-server.js";
import type { TrainingBatch } from "../../training/batch.js";
import { type CorpusBatches, type CorpusBatchSettings, openCorpusBatches } from "./corpus-batches.js";

let batches: CorpusBatches;

serve({
  async open(settings: CorpusBatchSettings) {
    batches = await openCorpusBatches(settings);
    return { result: batches.facts };
  },
  async batch(index: number) {
    const batch = await batches.batch(index);
    return { result: batch, transfer: buffersOf(batch) };
  },
  async describe(index: number) {
    return { result: batches.describe(index) };
  },
});

/** The memory of all tensors, each buffer once. */
function buffersOf({ feeds, chunks = [] }: TrainingBatch): ArrayBuffer[] {
  const all = [feeds, ...chunks.map((chunk) => chunk.feeds)];
  const buffers = all.flatMap((some) => Object.values(some).map(({ data }) => data.buffer as ArrayBuffer));
  return [...new Set(buffers)];
}
