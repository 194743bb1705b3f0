/** The training room: programs, optimisers, the trainer and its checkpoints, fine-tuning. */
export { type AblateOptions, type AblationReport, type AblationRun, ablate } from "./ablate.js";
export { Adam, type AdamOptions } from "./adam.js";
export type { Chunk, TrainingBatch } from "./batch.js";
export { listCheckpoints, writeCheckpoint } from "./checkpoint.js";
export { type MethodChoices, type RemovablePart, removableParts, withChoices, without } from "./choices.js";
export { type ChunkOptions, planChunks } from "./chunks.js";
export {
  type CorpusFinetuneOptions,
  type CorpusFinetuneReport,
  finetuneOnCorpus,
} from "./corpus-finetune.js";
export { type EngineOptions, type StepReport, TrainingEngine } from "./engine.js";
export { type FinetuneOptions, type FinetuneReport, finetune } from "./finetune.js";
export { type Gradient, GradientSum, globalNorm } from "./gradient-sum.js";
export { GradientRunner, type Losses } from "./gradients.js";
export type { MethodSettings } from "./method.js";
export type { StepMetrics } from "./metrics.js";
export type { EngineState } from "./optimiser.js";
export { planTraining, type TrainingPlan } from "./plan.js";
export { defaultPreset, presets, readPreset } from "./presets/index.js";
export { type PretrainOptions, type PretrainReport, pretrain } from "./pretrain.js";
export {
  type PretrainCharactersOptions,
  type PretrainCharactersReport,
  pretrainCharacters,
} from "./pretrain-characters.js";
export type { TrainingProgram } from "./program.js";
export { pearlSchedule, type Schedule, scheduleFactor } from "./schedule.js";
export {
  type Evaluation,
  type TrainingData,
  type TrainingResult,
  type TrainOptions,
  train,
} from "./trainer.js";
export { averageWeights, MovingAverage } from "./weight-average.js";
