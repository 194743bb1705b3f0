/**
 * `pearl-embeddings/train`: trains a graph of your own with a loss of your own.
 *
 *     const net = createNet(fromSeed(0));
 *     const x = net.g.input("x", "float32", ["rows", 2]);
 *     const y = net.g.input("y", "float32", ["rows", 1]);
 *     const guess = linear(net, x, { name: "line", inputs: 2, outputs: 1 });
 *     const error = net.g.add("Sub", [guess, y]);
 *     net.g.output("loss", net.g.add("ReduceMean", [net.g.add("Mul", [error, error])], { keepdims: 0 }));
 *     const program = { model: net.g.model(), loss: "loss", sample: { x: …, y: … } };
 *     const { weights } = await train(program, data, { steps: 100, learningRate: 0.05 });
 *
 * 1. Build a graph with {@link createNet}: with the layers and losses below, or with any ONNX operator by `net.g.add`.
 * 2. Describe it as a {@link TrainingProgram}: the loss, and a small batch from which the shapes are observed.
 * 3. Give {@link train} its batches as {@link TrainingData}.
 *
 * pearl derives the gradients from the graph. An operator without a derivative between the weights and the loss is a
 * ModelError with the operator's name. The whole program is examples/train-own-graph.mjs.
 */

// Build a graph: layers, pooling, initial values, losses, contrastive objectives. A layer returns the name of its result.

export * from "./nn/initialise.js";
export * from "./nn/layers.js";
export * from "./nn/losses.js";
export * from "./nn/net.js";
export * from "./nn/pooling.js";
export * from "./nn/recurrent.js";
export type { Objective, ObjectiveRows, ObjectiveSettings } from "./objectives/objective.js";
export { type ObjectiveName, objectiveLoss, objectives } from "./objectives/registry.js";
export { GraphBuilder } from "./onnx/builder.js";
export { type Tensor, tensor } from "./onnx/tensor.js";
export { createRandom } from "./random.js";

// Compare the gradients of a loss of your own with finite differences, before you train with it.

export { checkGradients } from "./autodiff/check.js";

// Train it.

export { ArgumentError, ModelError, TrainingError } from "./errors.js";
export { pearlSchedule } from "./pearl/presets.js";
export type { StepMetrics } from "./training/metrics.js";
export type { AdamOptions } from "./training/optimiser/adam.js";
export { type Schedule, scheduleFactor } from "./training/optimiser/optimiser.js";
export type { Chunk, TrainingBatch, TrainingProgram } from "./training/program.js";
export type { Evaluation, Scored, TrainingData, TrainingResult, TrainOptions } from "./training/trainer.js";
export { train } from "./training/trainer.js";

// Write the trained model as a folder, as pearl's own trainings do: resumption, a record, a model card.

export type { PreparedRun, RunOptions, RunPlan, RunRecord, RunReport, RunResult } from "./training/run.js";
export { runMethod } from "./training/run.js";

// Make a static model of a transformer: a table of token vectors, in a folder that model2vec reads too.

export { type DistillOptions, type DistillReport, distillStatic } from "./methods/distill-static.js";
export type { BaseModel } from "./methods/start-model.js";
