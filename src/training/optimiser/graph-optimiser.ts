/** Weights that stay on a device, updated by the graph of adam-graph.ts; used on a GPU. */
import { encodeModel } from "../../onnx/io/file.js";
import type { Model } from "../../onnx/model.js";
import { elementCount, type Tensor } from "../../onnx/tensor.js";
import {
  createOrtSession,
  type DeviceFeeds,
  type OrtSession,
  type SessionOptions,
} from "../../runtime/ort-session.js";
import { DeviceTensor, type Feeds, type Tensor as RunTensor } from "../../runtime/tensor.js";
import type { GradientSink } from "../gradients/gradients.js";
import { adamSettings } from "./adam.js";
import {
  adamGraph,
  copyGraph,
  inputsOf,
  lossInput,
  reportName,
  scalarsName,
  sumGraph,
} from "./adam-graph.js";
import {
  type EngineState,
  type Optimiser,
  type OptimiserOptions,
  type StepReport,
  statePrefixes,
  type UpdateOptions,
} from "./optimiser.js";

/** Opens an optimiser on the device of the sessions; the CPU is a device too. @param start first values */
export async function createGraphOptimiser(
  start: ReadonlyMap<string, Tensor>,
  options: OptimiserOptions,
  sessions: SessionOptions,
): Promise<Optimiser> {
  const optimiser = new GraphOptimiser(start, options, sessions);
  const isMoment = (prefix: string) => prefix === "m/" || prefix === "v/";
  const tensors = statePrefixes.flatMap((prefix) =>
    [...start].map(([name, tensor]) => {
      const data = isMoment(prefix) ? new Float32Array(tensor.data.length) : tensor.data;
      return [`${prefix}${name}`, { ...tensor, data }] as const;
    }),
  );
  await optimiser.restore({ step: 0, tensors: new Map(tensors) });
  return optimiser;
}

class GraphOptimiser implements Optimiser {
  readonly #options: OptimiserOptions;
  readonly #sessions: SessionOptions;
  readonly #shapes: ReadonlyMap<string, readonly number[]>;
  readonly #open = new Map<string, Promise<OrtSession>>();
  #step = 0;
  #state: DeviceFeeds = {};

  constructor(start: ReadonlyMap<string, Tensor>, options: OptimiserOptions, sessions: SessionOptions) {
    this.#options = options;
    this.#sessions = sessions;
    this.#shapes = new Map([...start].map(([name, { dims }]) => [name, dims]));
  }

  feeds(): DeviceFeeds {
    return Object.fromEntries([...this.#shapes.keys()].map((name) => [name, this.#state[name]]));
  }

  sink(): DeviceGradientSum {
    return new DeviceGradientSum((names) => {
      const shapes = new Map(names.map((name) => [name, this.#shapes.get(name) as number[]]));
      return this.#session(`sum of ${names}`, () => sumGraph(shapes), "device");
    });
  }

  async update(sink: GradientSink, { rate, losses }: UpdateOptions): Promise<StepReport> {
    const gradients = (sink as DeviceGradientSum).finish(this.#shapes);
    const names = Object.keys(losses);
    const session = await this.#session(
      "adam",
      () => adamGraph(this.#shapes, names, this.#options),
      "device",
    );
    const { betas, weightDecay } = adamSettings(this.#options.optimiser);
    const [beta1, beta2] = betas;
    const t = this.#step + 1;
    const outputs = await session.runOnDevice({
      ...this.#state,
      ...Object.fromEntries([...gradients].map(([name, value]) => [inputsOf(name).gradient, value])),
      ...Object.fromEntries(names.map((name) => [lossInput(name), losses[name]])),
      [scalarsName]: {
        type: "float32",
        dims: [3],
        data: Float32Array.of(rate / (1 - beta1 ** t), 1 / Math.sqrt(1 - beta2 ** t), 1 - rate * weightDecay),
      },
    });
    dispose(gradients.values());
    dispose(Object.values(losses));
    const report = (outputs[reportName] as RunTensor).data as Float32Array;
    const next = Object.fromEntries(Object.keys(this.#state).map((name) => [name, outputs[`next/${name}`]]));
    const finite = report.every(Number.isFinite);
    dispose(Object.values(finite ? this.#state : next));
    if (finite) {
      this.#state = next;
      this.#step = t;
    }
    return {
      losses: Object.fromEntries(names.map((name, i) => [name, report[i]])),
      gradientNorm: report[names.length],
      finite,
    };
  }

  async weights(): Promise<ReadonlyMap<string, Tensor>> {
    const weights = await this.#download("");
    return new Map(weights);
  }

  async state(): Promise<EngineState> {
    const tensors = new Map<string, Tensor>();
    for (const prefix of statePrefixes)
      for (const [weight, tensor] of await this.#download(prefix)) tensors.set(`${prefix}${weight}`, tensor);
    return { step: this.#step, tensors };
  }

  async restore({ step, tensors }: EngineState): Promise<void> {
    dispose(Object.values(this.#state));
    const session = await this.#session("upload", () => copyGraph(this.#shapes), "device");
    const weights = [...this.#shapes.keys()];
    for (const prefix of statePrefixes) {
      const feeds = weights.map((weight) => [weight, tensors.get(`${prefix}${weight}`)]);
      const copies = await session.runOnDevice(Object.fromEntries(feeds) as Feeds);
      for (const weight of weights) this.#state[`${prefix}${weight}`] = copies[`copy/${weight}`];
    }
    this.#step = step;
  }

  layout(): ReadonlyMap<string, readonly number[]> {
    const shapes = [...this.#shapes];
    return new Map(
      statePrefixes.flatMap((prefix) =>
        shapes.map(([weight, dims]) => [`${prefix}${weight}`, dims] as const),
      ),
    );
  }

  async release(): Promise<void> {
    dispose(Object.values(this.#state));
    for (const session of this.#open.values()) await (await session).release();
  }

  /** One part of the state in memory, by weight. */
  async #download(prefix: string): Promise<(readonly [string, Tensor])[]> {
    const session = await this.#session("download", () => copyGraph(this.#shapes), "memory");
    const weights = [...this.#shapes.keys()];
    const feeds = weights.map((weight) => [weight, this.#state[`${prefix}${weight}`]]);
    const copies = await session.runOnDevice(Object.fromEntries(feeds));
    return weights.map((weight) => [weight, copies[`copy/${weight}`] as Tensor]);
  }

  #session(name: string, graph: () => Model, place: "memory" | "device"): Promise<OrtSession> {
    const known = this.#open.get(name);
    if (known) return known;
    const model = graph();
    const outputs = model.graph.outputs.map((output) => [
      output.name,
      output.name === reportName ? "memory" : place,
    ]);
    const session = createOrtSession(encodeModel(model), {
      ...this.#sessions,
      optimization: "basic",
      outputs: Object.fromEntries(outputs),
    });
    this.#open.set(name, session);
    return session;
  }
}

class DeviceGradientSum implements GradientSink {
  readonly #adderOf: (names: readonly string[]) => Promise<OrtSession>;
  readonly #sums = new Map<string, DeviceFeeds[string]>();

  constructor(adderOf: (names: readonly string[]) => Promise<OrtSession>) {
    this.#adderOf = adderOf;
  }

  async collect(...[graph, { outputs }, except]: Parameters<GradientSink["collect"]>): Promise<void> {
    const feeds: DeviceFeeds = {};
    const known: string[] = [];
    for (const [name, output] of graph.gradients) {
      const sum = this.#sums.get(name);
      if (name === except) continue;
      if (sum === undefined) this.#sums.set(name, outputs[output]);
      else {
        known.push(name);
        Object.assign(feeds, { [`a/${name}`]: sum, [`b/${name}`]: outputs[output] });
      }
    }
    if (known.length === 0) return;
    const sums = await (await this.#adderOf(known)).runOnDevice(feeds);
    dispose(Object.values(feeds));
    for (const name of known) this.#sums.set(name, sums[`sum/${name}`]);
  }

  /** The sums; zeros for weights without a gradient. */
  finish(shapes: ReadonlyMap<string, readonly number[]>): ReadonlyMap<string, DeviceFeeds[string]> {
    for (const [name, dims] of shapes)
      if (!this.#sums.has(name))
        this.#sums.set(name, { type: "float32", dims, data: new Float32Array(elementCount(dims)) });
    return this.#sums;
  }
}

function dispose(values: Iterable<DeviceFeeds[string]>): void {
  for (const value of values) if (value instanceof DeviceTensor) value.dispose();
}
