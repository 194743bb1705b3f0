/** Runs a batch through a program: losses, and gradients added up, in one pass or in chunks of bounded memory. */
import type { GradientGraph } from "../../autodiff/gradient.js";
import { madeFor } from "../../by-key.js";
import { encodeModel } from "../../onnx/io/file.js";
import type { Model } from "../../onnx/model.js";
import { forGpuTraining } from "../../onnx/rewrite/gpu-training.js";
import {
  createOrtSession,
  type DeviceFeeds,
  type OrtSession,
  type SessionOptions,
} from "../../runtime/ort-session.js";
import { createPackedSession } from "../../runtime/packed-session.js";
import type { Feeds, Tensor } from "../../runtime/tensor.js";
import {
  type Chunk,
  type CutProgram,
  cutProgram,
  observeProgram,
  type Target,
  type TrainingBatch,
  type TrainingProgram,
  upstream,
  wholeGraph,
} from "../program.js";
import { gathered, rowsOf } from "./chunks.js";

export type Losses = Record<string, number>;

/** Losses in memory as numbers. */
export const numbersOf = (losses: DeviceFeeds): Losses =>
  Object.fromEntries(Object.entries(losses).map(([name, loss]) => [name, Number((loss as Tensor).data[0])]));

/** What takes the gradients of each run; they are its own from then on. */
export interface GradientSink {
  /** The graph as this sink wants its gradients; asked once for each graph. Default: as it is. */
  arrange?(graph: GradientGraph): GradientGraph;
  collect(
    graph: GradientGraph,
    run: { readonly feeds: DeviceFeeds; readonly outputs: DeviceFeeds },
  ): void | Promise<void>;
}

interface GradientOptions extends SessionOptions {
  /** Gradients in "memory" (the default), those of tables by rows, or on the "device", all dense. */
  readonly gradients?: "memory" | "device";
}

/**
 * A program ready to give gradients in the calling thread. Sessions open on first use.
 * @throws ModelError if an operator between weights and loss has no derivative
 */
export async function openGradients(given: TrainingProgram, options: GradientOptions = {}) {
  const { gradients = "memory", ...sessionOptions } = options;
  const device = (options.device ?? "cpu") === "cpu" ? "cpu" : "gpu";
  const program = device === "cpu" ? given : { ...given, model: forGpuTraining(given.model) };
  const shapes = await observeProgram(program);
  // rows in memory: writing whole tables of zeros would cost more
  const tables = gradients === "device" ? "dense" : "rows";
  const target: Target = { device, tables };
  const whole = wholeGraph(program, shapes, target);
  const { cut = "", loss: lossName, parts: partNames = [] } = program;
  const [sessions, arrange] = [lazySessions<Model>(), arranger()];
  let parted: CutProgram | undefined;

  const open = (model: Model): Promise<OrtSession> => {
    const inMemory = [cut, parted?.embeddingsGradient];
    return openSession(model, target, whole.weights, {
      ...{ ...sessionOptions, optimization: "basic" },
      ...(gradients === "device" && { outputs: outputPlaces(model, inMemory) }),
    });
  };
  const runOn = async (model: Model, feeds: DeviceFeeds): Promise<DeviceFeeds> =>
    (await sessions.get(model, () => open(model))).runOnDevice(feeds);
  const lossesOf = (outputs: DeviceFeeds) => pick(outputs, [lossName, ...partNames]);

  /** Embeds chunk by chunk, computes the loss over all, and sends its gradient back chunk by chunk. */
  async function inChunks(
    feeds: Feeds,
    chunks: readonly Chunk[],
    weights: DeviceFeeds,
    sink: GradientSink,
  ): Promise<DeviceFeeds> {
    parted ??= cutProgram(program, shapes, target);
    const { forward, embeddingsGradient } = parted;
    const [backward, loss] = [arrange(parted.backward, sink), arrange(parted.loss, sink)];
    const before = pick(weights, backward.weights);
    const embedded: Tensor[] = [];
    for (const chunk of chunks) {
      const outputs = await runOn(forward, { ...chunk.feeds, ...before });
      embedded.push(outputs[cut] as Tensor);
    }
    const head = { ...feeds, ...pick(weights, loss.weights), [cut]: gathered(chunks, embedded) };
    const outputs = await runOn(loss.model, head);
    const gradient = outputs[embeddingsGradient] as Tensor;
    await sink.collect(loss, { feeds: head, outputs });
    for (const chunk of chunks) {
      const inputs = { ...chunk.feeds, ...before, [upstream]: rowsOf(gradient, chunk.rows) };
      await sink.collect(backward, { feeds: inputs, outputs: await runOn(backward.model, inputs) });
    }
    return lossesOf(outputs);
  }

  return {
    weights: whole.weights,
    /**
     * Runs a batch; its gradients go to `sink`.
     * @param weights values of the program's weights, read while this runs
     * @returns the loss and its parts by name, one number each, where the gradients are
     */
    async run(batch: TrainingBatch, weights: DeviceFeeds, sink: GradientSink): Promise<DeviceFeeds> {
      if (batch.chunks) return inChunks(batch.feeds, batch.chunks, weights, sink);
      const feeds = { ...batch.feeds, ...pick(weights, whole.weights) };
      const graph = arrange(whole, sink);
      const outputs = await runOn(graph.model, feeds);
      await sink.collect(graph, { feeds, outputs });
      return lossesOf(outputs);
    },
    release: sessions.release,
  };
}

const outputPlaces = ({ graph }: Model, inMemory: readonly (string | undefined)[]) =>
  Object.fromEntries(
    graph.outputs.map(({ name }) => [name, inMemory.includes(name) ? "memory" : "device"] as const),
  );

/** Graphs as a sink wants them, made once. */
function arranger() {
  const arranged = new Map<GradientGraph, GradientGraph>();
  return (graph: GradientGraph, sink: GradientSink): GradientGraph =>
    madeFor(arranged, graph, () => sink.arrange?.(graph) ?? graph);
}

/** On a GPU, what a batch gives beside the weights arrives in one upload. */
function openSession(
  model: Model,
  { device }: Target,
  weights: readonly string[],
  settings: SessionOptions,
): Promise<OrtSession> {
  if (device === "cpu") return createOrtSession(encodeModel(model), settings);
  const names = model.graph.inputs.map(({ name }) => name);
  return createPackedSession(model, new Set(names.filter((name) => !weights.includes(name))), settings);
}

/** Sessions that open on first use. */
export function lazySessions<Key>() {
  const opened = new Map<Key, Promise<OrtSession>>();
  return {
    get: (key: Key, open: () => Promise<OrtSession>): Promise<OrtSession> => madeFor(opened, key, open),
    async release(): Promise<void> {
      for (const session of await Promise.allSettled(opened.values()))
        if (session.status === "fulfilled") await session.value.release();
    },
  };
}

const pick = (values: DeviceFeeds, names: readonly string[]): DeviceFeeds =>
  Object.fromEntries(names.filter((name) => name in values).map((name) => [name, values[name]]));

/** Gradients added up over the runs of one step: dense ones, and those of tables by the rows that were read. */
export type Gradient =
  | { readonly kind: "dense"; readonly values: Float32Array }
  | (Readonly<RowSum> & { readonly kind: "rows" });

/** Row `r` of the table has the gradient `values[slots.get(r) * width ...]`; other rows have zero. */
interface RowSum {
  readonly width: number;
  readonly slots: Map<number, number>;
  values: Float32Array;
}

export class GradientSum implements GradientSink {
  readonly #dense = new Map<string, Float32Array>();
  readonly #rows = new Map<string, RowSum>();

  collect(...[graph, { feeds, outputs }]: Parameters<GradientSink["collect"]>): void {
    const read = (name: string) => (outputs[name] ?? feeds[name]) as Tensor;
    for (const [name, output] of graph.gradients) this.add(name, read(output).data as Float32Array);
    for (const [name, parts] of graph.rows)
      for (const { indices, values } of parts)
        this.addRows(name, read(indices).data, read(values).data as Float32Array, feeds[name].dims);
  }

  /** Adds a dense gradient, and may keep its array. */
  add(name: string, values: Float32Array): void {
    const sum = this.#dense.get(name);
    if (!sum) this.#dense.set(name, values);
    else for (let i = 0; i < sum.length; i++) sum[i] += values[i];
  }

  /**
   * Adds rows of a table's gradient.
   * @param indices the row of the table for each row of `values`; may repeat; negative ones count from the end
   * @param shape of the table, [rows, ...]
   */
  addRows(
    name: string,
    indices: ArrayLike<number | bigint>,
    values: Float32Array,
    shape: readonly number[],
  ): void {
    const [rows] = shape;
    const width = shape.slice(1).reduce((product, size) => product * size, 1);
    const sum = this.#rows.get(name) ?? { width, slots: new Map(), values: new Float32Array(0) };
    this.#rows.set(name, sum);
    makeRoom(sum, Math.min(rows, sum.slots.size + indices.length));
    const { slots, values: target } = sum;
    for (let k = 0; k < indices.length; k++) {
      const index = Number(indices[k]);
      const row = index < 0 ? index + rows : index;
      const slot = slots.get(row);
      if (slot === undefined) {
        target.set(values.subarray(k * width, (k + 1) * width), slots.size * width);
        slots.set(row, slots.size);
      } else for (let i = slot * width, j = k * width; j < (k + 1) * width; i++, j++) target[i] += values[j];
    }
  }

  /** The sums. Rows of a weight that has a dense gradient too are added to it. */
  gradients(): Map<string, Gradient> {
    const all = new Map<string, Gradient>();
    for (const [name, values] of this.#dense) all.set(name, { kind: "dense", values });
    for (const [name, sum] of this.#rows) {
      const { width, slots, values } = sum;
      const whole = this.#dense.get(name);
      if (!whole) all.set(name, { kind: "rows", ...sum });
      else
        for (const [row, slot] of slots)
          for (let i = 0; i < width; i++) whole[row * width + i] += values[slot * width + i];
    }
    this.#rows.clear();
    return all;
  }
}

function makeRoom(sum: RowSum, rows: number): void {
  if (rows * sum.width <= sum.values.length) return;
  const larger = new Float32Array(rows * sum.width);
  larger.set(sum.values);
  sum.values = larger;
}

/** √ Σ g² over all weights, for gradient clipping (Pascanu et al., 2013). NaN or ∞ if a gradient is. */
export function globalNorm(gradients: Iterable<Gradient>): number {
  let total = 0;
  for (const { values } of gradients) {
    // four sums: a single one would wait for each addition
    const whole = values.length & ~3;
    let [a, b, c, d] = [0, 0, 0, 0];
    for (let i = 0; i < whole; i += 4) {
      a += values[i] * values[i];
      b += values[i + 1] * values[i + 1];
      c += values[i + 2] * values[i + 2];
      d += values[i + 3] * values[i + 3];
    }
    for (let i = whole; i < values.length; i++) a += values[i] * values[i];
    total += a + b + c + d;
  }
  return Math.sqrt(total);
}
