/** What the trainer and its thread tell each other. */
import type { Tensor } from "../onnx/tensor.js";
import type { TrainingBatch } from "./batch.js";
import type { CheckpointPlace, CheckpointRecord } from "./checkpoint.js";
import type { EngineOptions, TrainingEngine } from "./engine.js";
import type { TrainingProgram } from "./program.js";

export interface OpenRequest {
  readonly program: TrainingProgram;
  readonly options: EngineOptions;
}

export type OpenReply = Pick<TrainingEngine, "device" | "notes">;

export interface StepRequest {
  readonly batches: readonly TrainingBatch[];
  readonly rate: number;
}

export interface SaveRequest {
  readonly folder: string;
  readonly record: CheckpointRecord;
}

export interface LoadRequest {
  readonly place: CheckpointPlace;
}

/** Weights by name, copied out of the thread. */
export type WeightsReply = ReadonlyMap<string, Tensor>;
