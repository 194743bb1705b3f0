/** The training engine: programs, optimisers, the trainer and its checkpoints. */
export type { Chunk, TrainingBatch } from "./batch.js";
export { listCheckpoints, writeCheckpoint } from "./checkpoint.js";
export { type EngineOptions, type StepReport, TrainingEngine } from "./engine.js";
export { type ChunkOptions, planChunks } from "./gradients/chunks.js";
export { type Gradient, GradientSum, globalNorm } from "./gradients/gradient-sum.js";
export { GradientRunner, type Losses } from "./gradients/gradients.js";
export type { StepMetrics } from "./metrics.js";
export { Adam, type AdamOptions } from "./optimiser/adam.js";
export type { EngineState } from "./optimiser/optimiser.js";
export { pearlSchedule, type Schedule, scheduleFactor } from "./optimiser/schedule.js";
export type { TrainingProgram } from "./program.js";
export {
  type Evaluation,
  type TrainingData,
  type TrainingResult,
  type TrainOptions,
  train,
} from "./trainer.js";
