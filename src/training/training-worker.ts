/** The thread behind trainer.ts: holds one training engine and writes its checkpoints. */
import { serve } from "../runtime/worker-server.js";
import { readCheckpoint, writeCheckpoint } from "./checkpoint.js";
import { TrainingEngine } from "./engine.js";
import type { LoadRequest, OpenReply, OpenRequest, SaveRequest, StepRequest } from "./training-protocol.js";

let open: TrainingEngine | undefined;

function engine(): TrainingEngine {
  if (open === undefined) throw new Error("a call before open");
  return open;
}

serve({
  async open({ program, options }: OpenRequest) {
    open = await TrainingEngine.open(program, options);
    const { device, notes } = open;
    return { result: { device, notes } satisfies OpenReply };
  },
  async step({ batches, rate }: StepRequest) {
    return { result: await engine().step(batches, rate) };
  },
  async save({ folder, record }: SaveRequest) {
    return { result: writeCheckpoint(folder, await engine().state(), record) };
  },
  async load({ place }: LoadRequest) {
    const { state, record } = readCheckpoint(place, engine().layout());
    await engine().restore(state);
    return { result: record };
  },
  async weights() {
    return { result: await engine().weights() };
  },
  async close() {
    await open?.release();
    return { result: undefined };
  },
});
