/** The thread behind corpus-data.ts: samples, augments and tokenises batches while the trainer computes. */

import type { Feeds } from "../../runtime/tensor.js";
import { serve } from "../../runtime/worker-server.js";
import type { TrainingBatch } from "../../training/batch.js";
import { CorpusBatches } from "./corpus-batches.js";
import type { CorpusBatchSettings } from "./data-protocol.js";

let open: CorpusBatches | undefined;

function batches(): CorpusBatches {
  if (open === undefined) throw new Error("a call before open");
  return open;
}

serve({
  async open(settings: CorpusBatchSettings) {
    open = await CorpusBatches.open(settings);
    return { result: open.facts };
  },
  async batch({ index }: { index: number }) {
    const batch = await batches().batch(index);
    return { result: batch, transfer: buffersOf(batch) };
  },
  async describe({ index }: { index: number }) {
    return { result: batches().describe(index) };
  },
  async close() {
    return { result: undefined };
  },
});

/** The memory of all tensors, each piece once. */
function buffersOf({ feeds, chunks = [] }: TrainingBatch): ArrayBuffer[] {
  const all: Feeds[] = [feeds, ...chunks.map((chunk) => chunk.feeds)];
  const buffers = all.flatMap((some) => Object.values(some).map(({ data }) => data.buffer as ArrayBuffer));
  return [...new Set(buffers)];
}
