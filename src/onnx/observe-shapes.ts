/** Finds types and shapes by running the graph once on small feeds, with every inner value as an output. */
import { encodeModel } from "./io/file.js";
import { copyModel, type Model } from "./model.js";
import type { Tensor } from "./tensor.js";

type ObservedValue = Pick<Tensor, "type" | "dims">;

export type Shapes = ReadonlyMap<string, ObservedValue>;

/**
 * Type and shape of every value of the graph in one run.
 * @param feeds sizes that may change from run to run must not be 1, and must differ from each other where the
 *   graph broadcasts one against the other
 * @param run runs the encoded model and returns all its outputs; on the CPU and without ONNX Runtime's graph
 *   optimisation, which can crash where inner values are outputs
 */
export async function observeShapes<Feeds extends Record<string, ObservedValue>>(
  model: Model,
  feeds: Feeds,
  run: (model: Uint8Array, feeds: Feeds) => Promise<Record<string, ObservedValue>>,
): Promise<Shapes> {
  const observed = copyModel(model);
  const { graph } = observed;
  const inner = new Set(graph.nodes.flatMap((node) => node.outputs).filter((name) => name !== ""));
  graph.outputs = [...inner].map((name) => ({ name }));
  const outputs = await run(encodeModel(observed), feeds);
  const seen = [...graph.initializers, ...Object.entries(feeds), ...Object.entries(outputs)];
  return new Map(seen.map(([name, { type, dims }]) => [name, { type, dims }]));
}
