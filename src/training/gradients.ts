/** Runs a batch through a program: losses, and gradients added up, in one pass or in chunks of bounded memory. */
import { ArgumentError } from "../errors.js";
import { encodeModel, type Model, type Shapes } from "../onnx/index.js";
import { createOrtSession, type OrtSession, type SessionOptions } from "../runtime/ort-session.js";
import type { Feeds, Tensor } from "../runtime/tensor.js";
import type { Chunk, TrainingBatch } from "./batch.js";
import type { GradientSum } from "./gradient-sum.js";
import {
  type CutProgram,
  cutProgram,
  type GradientGraph,
  observeProgram,
  type TrainingProgram,
  upstream,
  wholeGraph,
} from "./program.js";

/** The loss and its parts by name. */
export type Losses = Record<string, number>;

/** A graph that is open in a session. */
interface OpenGraph {
  readonly graph: GradientGraph;
  readonly session: OrtSession;
}

/** A program ready to give gradients in the calling thread. */
export class GradientRunner {
  /** Names of the weights that get gradients. */
  readonly weights: readonly string[];
  readonly #program: TrainingProgram;
  readonly #shapes: Shapes;
  readonly #options: SessionOptions;
  readonly #wholeGraph: GradientGraph;
  #whole: Promise<OpenGraph> | undefined;
  #cut: Promise<{ forward: OrtSession; backward: OpenGraph; loss: OpenGraph }> | undefined;

  private constructor(program: TrainingProgram, shapes: Shapes, options: SessionOptions) {
    this.#program = program;
    this.#shapes = shapes;
    this.#options = options;
    this.#wholeGraph = wholeGraph(program, shapes, target);
    this.weights = this.#wholeGraph.weights;
  }

  /** @throws ModelError where an operator between weights and loss has no derivative */
  static async open(program: TrainingProgram, options: SessionOptions): Promise<GradientRunner> {
    return new GradientRunner(program, await observeProgram(program), options);
  }

  /**
   * The losses of a batch; its gradients are added to `sum`.
   * @param weights values of {@link weights}, read while this runs
   */
  async run(batch: TrainingBatch, weights: Feeds, sum: GradientSum): Promise<Losses> {
    if (batch.chunks) return this.#inChunks(batch.feeds, batch.chunks, weights, sum);
    this.#whole ??= this.#open(this.#wholeGraph);
    const { graph, session } = await this.#whole;
    const feeds = { ...batch.feeds, ...pick(weights, graph.weights) };
    const outputs = await session.run(feeds);
    collect(graph, feeds, outputs, sum);
    return this.#losses(outputs);
  }

  /** Embeds chunk by chunk, takes the loss over all, and sends its gradient back chunk by chunk. */
  async #inChunks(feeds: Feeds, chunks: readonly Chunk[], weights: Feeds, sum: GradientSum): Promise<Losses> {
    this.#cut ??= this.#openCut();
    const { forward, backward, loss } = await this.#cut;
    const cut = this.#program.cut as string;
    const before = pick(weights, backward.graph.weights);
    const parts: Float32Array[] = [];
    for (const chunk of chunks)
      parts.push((await forward.run({ ...chunk.feeds, ...before }, [cut]))[cut].data as Float32Array);
    const embeddings = gathered(chunks, parts);
    const head = { ...feeds, ...pick(weights, loss.graph.weights), [cut]: embeddings };
    const outputs = await loss.session.run(head);
    collect(loss.graph, head, outputs, sum, cut);
    const gradient = outputs[loss.graph.gradients.get(cut) as string];
    for (const chunk of chunks) {
      const inputs = { ...chunk.feeds, ...before, [upstream]: rowsOf(gradient, chunk.rows) };
      collect(backward.graph, inputs, await backward.session.run(inputs), sum);
    }
    return this.#losses(outputs);
  }

  #losses(outputs: Feeds): Losses {
    const { loss, parts = [] } = this.#program;
    return Object.fromEntries([loss, ...parts].map((name) => [name, Number(outputs[name].data[0])]));
  }

  #session(model: Model): Promise<OrtSession> {
    return createOrtSession(encodeModel(model), { ...this.#options, optimization: "basic" });
  }

  async #open(graph: GradientGraph): Promise<OpenGraph> {
    return { graph, session: await this.#session(graph.model) };
  }

  async #openCut() {
    const cut: CutProgram = cutProgram(this.#program, this.#shapes, target);
    return {
      forward: await this.#session(cut.forward),
      backward: await this.#open(cut.backward),
      loss: await this.#open(cut.loss),
    };
  }

  /** Frees the sessions. */
  async release(): Promise<void> {
    const whole = await this.#whole;
    const cut = await this.#cut;
    await whole?.session.release();
    for (const session of cut ? [cut.forward, cut.backward.session, cut.loss.session] : [])
      await session.release();
  }
}

/** Tables hand out the rows of their gradients: writing whole tables of zeros would cost more than the rows. */
const target = { device: "cpu", tables: "rows" } as const;

const pick = (weights: Feeds, names: readonly string[]): Feeds =>
  Object.fromEntries(names.filter((name) => name in weights).map((name) => [name, weights[name]]));

/** Adds a run's gradients to the sum, but that of `except`. */
function collect(
  graph: GradientGraph,
  feeds: Feeds,
  outputs: Feeds,
  sum: GradientSum,
  except?: string,
): void {
  for (const [name, output] of graph.gradients)
    if (name !== except) sum.add(name, outputs[output].data as Float32Array);
  for (const [name, parts] of graph.rows)
    for (const { indices, values } of parts) {
      const where = (outputs[indices] ?? feeds[indices]).data;
      sum.addRows(name, where, outputs[values].data as Float32Array, feeds[name].dims);
    }
}

/** The chunks' embeddings in the order of the batch. */
function gathered(chunks: readonly Chunk[], parts: readonly Float32Array[]): Tensor {
  const rows = chunks.reduce((count, chunk) => count + chunk.rows.length, 0);
  const width = parts[0].length / chunks[0].rows.length;
  const data = new Float32Array(rows * width);
  chunks.forEach((chunk, c) => {
    if (parts[c].length !== chunk.rows.length * width)
      throw new ArgumentError(
        `chunk ${c}: ${chunk.rows.length} rows, but ${parts[c].length / width} came out`,
      );
    chunk.rows.forEach((row, i) => {
      data.set(parts[c].subarray(i * width, (i + 1) * width), row * width);
    });
  });
  return { type: "float32", dims: [rows, width], data };
}

function rowsOf({ data, dims }: Tensor, rows: Int32Array): Tensor {
  const width = dims[1];
  const picked = new Float32Array(rows.length * width);
  rows.forEach((row, i) => {
    picked.set((data as Float32Array).subarray(row * width, (row + 1) * width), i * width);
  });
  return { type: "float32", dims: [rows.length, width], data: picked };
}
