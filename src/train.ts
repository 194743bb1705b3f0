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
 * examples/train-own-graph.mjs is the whole program.
 *
 * The three steps: build a graph with {@link createNet}, its layers and losses, or any ONNX operators through
 * `net.g.add`; describe it as a {@link TrainingProgram}; give {@link train} its batches as {@link TrainingData}.
 * Gradients come from reverse-mode differentiation of the graph. An operator without a derivative between weights
 * and loss is a ModelError that names it.
 */

/** Gradients of a graph by finite differences, to check a loss of your own before you train with it. */
export { checkGradients } from "./autodiff/check.js";
export { ArgumentError, InterruptedError, ModelError, TrainingError } from "./errors.js";
/** Layers, pooling, first values and losses; each adds to a net and returns the name of its result. */
export * from "./nn/initialise.js";
export * from "./nn/layers.js";
export * from "./nn/losses/index.js";
export * from "./nn/lstm.js";
export * from "./nn/net.js";
export * from "./nn/pooling.js";
/** The graph under construction: `input`, `weight`, `add` any ONNX operator, `output`, `model`. */
export { GraphBuilder } from "./onnx/builder.js";
/** A tensor from its type, dimensions and numbers, row by row. */
export { type Tensor, tensor } from "./onnx/tensor.js";
/** PEARL's schedule. */
export { pearlSchedule } from "./pearl/schedule.js";
/** Numbers in [0, 1) from a seed. */
export { createRandom } from "./random.js";
/** One batch: `feeds` by name of the graph's inputs; `phrases` counts its rows, for the rate that is reported. */
export type { Chunk, TrainingBatch } from "./training/batch.js";
/** What is known after each step: losses, norm of the gradients, seconds, bytes of memory. */
export type { StepMetrics } from "./training/metrics.js";
/** Adam's betas, epsilon, decoupled weight decay, and factors of the rate by name of the weight. */
export type { AdamOptions } from "./training/optimiser/adam.js";
/** The learning rate's factor by step, counted from 0. */
export { type Schedule, scheduleFactor } from "./training/optimiser/schedule.js";
/** The graph with its loss (one float32), the weights to train, and a small batch to observe shapes with. */
export type { TrainingProgram } from "./training/program.js";
/** A training from options to a written folder, for a method of your own: resume, record, card, whole-folder write. */
export {
  type PreparedRun,
  type RunOptions,
  type RunRecord,
  type RunReport,
  type RunResult,
  runMethod,
} from "./training/run.js";
/**
 * One training from first step to last, in a thread of its own. `learningRate` is Adam's, before the schedule;
 * `folder` is where checkpoints and metrics.jsonl go; `signal` finishes the step, saves a checkpoint and rejects.
 * @throws ArgumentError for options out of range; ModelError where there is no derivative; TrainingError where the
 * loss becomes NaN or a checkpoint does not fit; InterruptedError after `signal`
 */
export {
  type Evaluation,
  type TrainingData,
  type TrainingResult,
  type TrainOptions,
  train,
} from "./training/trainer.js";
