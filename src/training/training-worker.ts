/** The thread behind trainer.ts: holds one training engine and writes its checkpoints. */
import { serve } from "../runtime/worker-server.js";
import { type Checkpoint, type CheckpointRecord, readTensors, writeCheckpoint } from "./checkpoint.js";
import { type EngineOptions, openEngine, type TrainingEngine } from "./engine.js";
import type { EngineState } from "./optimiser/optimiser.js";
import type { TrainingBatch, TrainingProgram } from "./program.js";

let engine: TrainingEngine;

serve({
  async open({ program, options }: { program: TrainingProgram; options: EngineOptions }) {
    engine = await openEngine(program, options);
    return { result: undefined };
  },
  async step({ batch, rate }: { batch: TrainingBatch; rate: number }) {
    return { result: await engine.step(batch, rate) };
  },
  async save({ folder, record }: { folder: string; record: CheckpointRecord }) {
    return { result: writeCheckpoint(folder, await engine.optimiser.state(), record) };
  },
  async state() {
    return { result: await engine.optimiser.state() };
  },
  async restore(state: EngineState) {
    return { result: await engine.optimiser.restore(state) };
  },
  async load(checkpoint: Checkpoint) {
    const tensors = await readTensors(checkpoint, engine.optimiser.layout());
    await engine.optimiser.restore({ step: checkpoint.record.step, tensors });
    return { result: undefined };
  },
  async weights() {
    return { result: await engine.optimiser.weights() };
  },
  async close() {
    await engine?.release();
    return { result: undefined };
  },
});
