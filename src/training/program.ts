/** What is trained, as a graph from inputs to the loss, how it is cut for large batches, and the inputs of one batch. */

import { type DifferentiateOptions, differentiate, type GradientGraph } from "../autodiff/gradient.js";
import { ArgumentError } from "../errors.js";
import { GraphBuilder } from "../onnx/builder.js";
import { partOf } from "../onnx/graph.js";
import { copyModel, type Model } from "../onnx/model.js";
import { observeShapes, type Shapes } from "../onnx/observe-shapes.js";
import { createOrtSession } from "../runtime/ort-session.js";
import type { Feeds } from "../runtime/tensor.js";

/** Some rows of a batch before the cut, of similar length, so that little padding is computed. */
export interface Chunk {
  /** Inputs of the graph before the cut, by name, for these rows alone. */
  readonly feeds: Feeds;
  /** Places of the rows in the whole batch, from 0; -1: a row that only fills the chunk. */
  readonly rows: Int32Array;
}

/** The inputs of one step. */
export interface TrainingBatch {
  /** Inputs of the graph by name; with `chunks`, only those after the cut. */
  readonly feeds: Feeds;
  /** The inputs before the cut, in chunks. Default: the batch runs in one pass. */
  readonly chunks?: readonly Chunk[];
  /** Rows of the batch, for the reported rate. */
  readonly phrases: number;
}

/** A training task, as plain data. */
export interface TrainingProgram {
  /** The forward graph with the loss. */
  readonly model: Model;
  /** Names of the initializers to train; default: all float32 ones of more than one element. */
  readonly weights?: readonly string[];
  /** Name of the loss, a float32 of one element. */
  readonly loss: string;
  /** Names of graph outputs to report with the loss, each one float32; default: none. */
  readonly parts?: readonly string[];
  /**
   * Name of the embeddings [rows, width], where a large batch may be cut: every node before them handles each row
   * on its own, so that they can be computed in chunks. Default: batches are never cut.
   */
  readonly cut?: string;
  /** Whether batches have few shapes, so that a GPU may keep the memory of each; default false. */
  readonly hasFewShapes?: boolean;
  /**
   * The inputs of a small batch, to observe shapes with. Sizes that vary between batches must be above 1 here and
   * differ from each other.
   */
  readonly sample: Feeds;
}

export async function observeProgram({ model, sample }: TrainingProgram): Promise<Shapes> {
  return observeShapes(model, sample, (bytes) => createOrtSession(bytes, { optimization: "disabled" }));
}

export type Target = Pick<DifferentiateOptions, "device" | "tables">;

/** The whole program with gradients, for batches that are not cut. */
export function wholeGraph(program: TrainingProgram, shapes: Shapes, target: Target): GradientGraph {
  return differentiate(program.model, { loss: program.loss, shapes, weights: program.weights, ...target });
}

/** A program cut at its embeddings (Gao et al., 2021, "Scaling deep contrastive learning batch size"). */
export interface CutProgram {
  /** From a chunk's inputs to its embeddings; weights are inputs. */
  readonly forward: Model;
  /** From a chunk's inputs and {@link upstream} to the gradients of the weights before the cut. */
  readonly backward: GradientGraph;
  /** From all embeddings to the loss, the gradients of the weights after the cut, and that of the embeddings. */
  readonly loss: GradientGraph;
  /** Output of `loss`: the gradient of the embeddings. */
  readonly embeddingsGradient: string;
}

/** Input of {@link CutProgram.backward}: the gradient of the loss for the chunk's embeddings. */
export const upstream = "upstream";

/**
 * Splits a program at its cut.
 * @throws ArgumentError if a weight is used on both sides of the cut
 */
export function cutProgram(program: TrainingProgram, shapes: Shapes, target: Target): CutProgram {
  const { cut, loss, parts = [], model, weights: chosen } = program;
  if (cut === undefined) throw new ArgumentError("the training program names no embeddings to cut at");
  const before = only(model, cut);
  const behind = copyModel(model);
  behind.graph.nodes = behind.graph.nodes.filter(({ outputs }) => !outputs.includes(cut));
  behind.graph.inputs.push({ name: cut, type: "float32", shape: ["rows", shapes.get(cut)?.dims[1] ?? null] });
  const after = only(behind, loss, ...parts);
  const trained = [...after.graph.initializers.keys()].filter((name) => isTrained(after, name, chosen));
  const shared = trained.find((name) => before.graph.initializers.has(name));
  if (shared !== undefined)
    throw new ArgumentError(`weight ${shared} is used on both sides of the cut ${cut}. Cut elsewhere.`);

  const own = chosen?.filter((name) => before.graph.initializers.has(name));
  const { model: seeded, shapes: known } = withUpstream(before, cut, shapes);
  const backward = differentiate(seeded, { loss: seedLoss, shapes: known, ...target, weights: own });
  backward.model.graph.outputs = backward.model.graph.outputs.filter(({ name }) => name !== cut);
  const needed = only(after, loss).graph.initializers;
  // dense gradients: rows of the embeddings may be gathered too, and their gradient must be one tensor
  const weights = [cut, ...trained.filter((name) => needed.has(name))];
  const head = differentiate(after, { loss, shapes, device: target.device, weights });
  const gradients = new Map(head.gradients);
  const embeddingsGradient = gradients.get(cut) as string;
  gradients.delete(cut);
  return {
    ...{ forward: liftWeights(before, backward.weights), backward, embeddingsGradient },
    loss: { ...head, gradients },
  };
}

const seedLoss = "upstream_loss";

/** Adds Σ embeddings · upstream, whose gradients are those of the loss. */
function withUpstream(model: Model, cut: string, shapes: Shapes): { model: Model; shapes: Shapes } {
  const copy = copyModel(model);
  const g = new GraphBuilder(copy);
  const observed = shapes.get(cut);
  if (observed?.dims.length !== 2)
    throw new ArgumentError(`${cut} is not [rows, width]: it cannot be cut at`);
  g.input(upstream, "float32", ["rows", observed.dims[1]]);
  const product = g.add("Mul", [cut, upstream]);
  g.add("ReduceSum", [product], { keepdims: 0 }, { outputs: [seedLoss] });
  const known = new Map(shapes);
  for (const name of [upstream, product]) known.set(name, observed);
  known.set(seedLoss, { type: observed.type, dims: [] });
  return { model: copy, shapes: known };
}

const only = (model: Model, ...outputs: string[]): Model =>
  partOf(
    model,
    outputs.map((name) => ({ name })),
  );

/** @param chosen names of the weights to train; default all floats of more than one element */
export const isTrained = ({ graph }: Model, name: string, chosen?: readonly string[]): boolean => {
  if (chosen) return chosen.includes(name);
  const value = graph.initializers.get(name);
  return value?.type === "float32" && value.data.length > 1;
};

export function liftWeights(model: Model, weights: readonly string[]): Model {
  const copy = copyModel(model);
  for (const name of weights) {
    const value = copy.graph.initializers.get(name);
    if (!value) continue;
    copy.graph.initializers.delete(name);
    copy.graph.inputs.push({ name, type: value.type, shape: [...value.dims] });
  }
  return copy;
}
