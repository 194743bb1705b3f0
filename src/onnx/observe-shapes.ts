/** Finds types and shapes by running the graph once on small feeds, with every inner value as an output. */
import { encodeModel } from "./io/file.js";
import { copyModel, type Model } from "./model.js";
import type { Tensor } from "./tensor.js";

/** Opens an encoded model; `runtime`'s sessions fit. */
export type OpenSession = (model: Uint8Array) => Promise<{
  run(feeds: Record<string, Tensor>, fetches?: readonly string[]): Promise<Record<string, Tensor>>;
  release(): Promise<void>;
}>;

export type Shapes = ReadonlyMap<string, Pick<Tensor, "type" | "dims">>;

/**
 * Type and shape of every value of the graph in one run.
 * @param feeds sizes that may change from run to run must not be 1, and must differ from each other where the
 *   graph broadcasts one against the other. What it does not read is left out: WebAssembly refuses it
 * @param open opens a session on the CPU, without ONNX Runtime's graph optimisation, which can crash where inner
 *   values are outputs
 */
export async function observeShapes(
  model: Model,
  feeds: Record<string, Tensor>,
  open: OpenSession,
): Promise<Shapes> {
  const observed = copyModel(model);
  const { graph } = observed;
  const inner = new Set(graph.nodes.flatMap(({ outputs }) => outputs.filter((name) => name !== "")));
  graph.outputs = [...inner].map((name) => ({ name }));
  const read = graph.inputs.flatMap(({ name }) => (name in feeds ? [[name, feeds[name]] as const] : []));
  const session = await open(encodeModel(observed));
  const outputs = await session.run(Object.fromEntries(read)).finally(() => session.release());
  const seen = [...graph.initializers, ...read, ...Object.entries(outputs)];
  return new Map(seen.map(([name, { type, dims }]) => [name, { type, dims }]));
}
