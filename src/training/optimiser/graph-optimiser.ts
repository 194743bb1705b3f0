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
import { DeviceTensor, float32, type Tensor as RunTensor } from "../../runtime/tensor.js";
import { type GradientSink, lazySessions } from "../gradients/gradients.js";
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
import { type Optimiser, type OptimiserOptions, statePrefixes } from "./optimiser.js";

/** Opens an optimiser on the device of the sessions; the CPU is a device too. @param start first values */
export async function createGraphOptimiser(
  start: ReadonlyMap<string, Tensor>,
  options: OptimiserOptions,
  sessions: SessionOptions,
): Promise<Optimiser> {
  const shapes = new Map([...start].map(([name, { dims }]) => [name, dims]));
  const opened = lazySessions<string>();
  const sessionOf = (name: string, graph: () => Model, place: "memory" | "device" = "device") =>
    opened.get(name, () => openGraph(graph(), place, sessions));
  const held = deviceState(shapes, sessionOf);
  let step = 0;
  const optimiser: Optimiser = {
    feeds: () => Object.fromEntries([...shapes.keys()].map((name) => [name, held.values[name]])),
    sink: () =>
      deviceGradientSum(shapes, (names) => {
        const own = new Map(names.map((name) => [name, shapes.get(name) as number[]]));
        return sessionOf(`sum of ${names}`, () => sumGraph(own));
      }),
    async update(sink, { rate, losses }) {
      const gradients = (sink as ReturnType<typeof deviceGradientSum>).finish();
      const names = Object.keys(losses);
      const session = await sessionOf("adam", () => adamGraph(shapes, names, options));
      const outputs = await session.runOnDevice({
        ...held.values,
        ...Object.fromEntries([...gradients].map(([name, value]) => [inputsOf(name).gradient, value])),
        ...Object.fromEntries(names.map((name) => [lossInput(name), losses[name]])),
        [scalarsName]: float32(stepScalars(step + 1, rate, options)),
      });
      dispose(gradients.values());
      dispose(Object.values(losses));
      const report = (outputs[reportName] as RunTensor).data as Float32Array;
      const finite = report.every(Number.isFinite);
      held.replace(outputs, finite ? "taken" : "refused");
      if (finite) step++;
      const found = Object.fromEntries(names.map((name, i) => [name, report[i]]));
      return { losses: found, gradientNorm: report[names.length], finite };
    },
    weights: async () => new Map(await held.download([""])),
    state: async () => ({ step, tensors: new Map(await held.download(statePrefixes)) }),
    async restore(given) {
      await held.upload(given.tensors);
      step = given.step;
    },
    layout: () => new Map(held.names.map(({ name, weight }) => [name, shapes.get(weight) as number[]])),
    async release() {
      held.dispose();
      await opened.release();
    },
  };
  const first = ({ prefix, weight, name }: (typeof held.names)[number]) => {
    const tensor = start.get(weight) as Tensor;
    const data = prefix === "" ? tensor.data : new Float32Array(tensor.data.length);
    return [name, { ...tensor, data }] as const;
  };
  await optimiser.restore({ step: 0, tensors: new Map(held.names.map(first)) });
  return optimiser;
}

/** The learning rate over 1 - β₁ᵗ, 1 / √(1 - β₂ᵗ), and 1 - learning rate × decay: input of the graph of a step. */
function stepScalars(t: number, rate: number, { optimiser }: OptimiserOptions): number[] {
  const { betas, weightDecay } = adamSettings(optimiser);
  const [beta1, beta2] = betas;
  return [rate / (1 - beta1 ** t), 1 / Math.sqrt(1 - beta2 ** t), 1 - rate * weightDecay];
}

function openGraph(model: Model, place: "memory" | "device", sessions: SessionOptions): Promise<OrtSession> {
  const outputs = model.graph.outputs.map(({ name }) => [name, name === reportName ? "memory" : place]);
  return createOrtSession(encodeModel(model), {
    ...{ ...sessions, optimization: "basic", outputs: Object.fromEntries(outputs) },
  });
}

/** Weights and moments on the device. */
function deviceState(
  shapes: ReadonlyMap<string, readonly number[]>,
  sessionOf: (name: string, graph: () => Model, place?: "memory") => Promise<OrtSession>,
) {
  const weights = [...shapes.keys()];
  let values: DeviceFeeds = {};
  const names = statePrefixes.flatMap((prefix) =>
    weights.map((weight) => ({ prefix, weight, name: `${prefix}${weight}` })),
  );
  /** Some values by weight, copied by a session. */
  const copied = async (session: OrtSession, prefix: string, from: (name: string) => unknown) => {
    const feeds = weights.map((weight) => [weight, from(`${prefix}${weight}`)]);
    const copies = await session.runOnDevice(Object.fromEntries(feeds));
    return weights.map((weight) => [`${prefix}${weight}`, copies[`copy/${weight}`]] as const);
  };
  return {
    names,
    get values() {
      return values;
    },
    /** Takes the values of the next step, or drops them. */
    replace(outputs: DeviceFeeds, how: "taken" | "refused"): void {
      const next = Object.fromEntries(Object.keys(values).map((name) => [name, outputs[`next/${name}`]]));
      dispose(Object.values(how === "taken" ? values : next));
      if (how === "taken") values = next;
    },
    async download(prefixes: readonly string[]): Promise<(readonly [string, Tensor])[]> {
      const session = await sessionOf("download", () => copyGraph(shapes), "memory");
      const parts = [];
      for (const prefix of prefixes) parts.push(...(await copied(session, prefix, (name) => values[name])));
      return parts as (readonly [string, Tensor])[];
    },
    async upload(tensors: ReadonlyMap<string, Tensor>): Promise<void> {
      dispose(Object.values(values));
      const session = await sessionOf("upload", () => copyGraph(shapes));
      for (const prefix of statePrefixes)
        Object.assign(values, Object.fromEntries(await copied(session, prefix, (name) => tensors.get(name))));
    },
    dispose: () => dispose(Object.values(values)),
  };
}

/** @param adderOf a session that adds two values of each name */
function deviceGradientSum(
  shapes: ReadonlyMap<string, readonly number[]>,
  adderOf: (names: readonly string[]) => Promise<OrtSession>,
) {
  const sums = new Map<string, DeviceFeeds[string]>();
  return {
    async collect(...[graph, { outputs }, except]: Parameters<GradientSink["collect"]>): Promise<void> {
      const feeds: DeviceFeeds = {};
      const known: string[] = [];
      for (const [name, output] of graph.gradients) {
        const sum = sums.get(name);
        if (name === except) continue;
        if (sum === undefined) sums.set(name, outputs[output]);
        else {
          known.push(name);
          Object.assign(feeds, { [`a/${name}`]: sum, [`b/${name}`]: outputs[output] });
        }
      }
      if (known.length === 0) return;
      const added = await (await adderOf(known)).runOnDevice(feeds);
      dispose(Object.values(feeds));
      for (const name of known) sums.set(name, added[`sum/${name}`]);
    },
    /** The sums; zeros for weights without a gradient. */
    finish(): ReadonlyMap<string, DeviceFeeds[string]> {
      for (const [name, dims] of shapes)
        if (!sums.has(name))
          sums.set(name, { type: "float32", dims, data: new Float32Array(elementCount(dims)) });
      return sums;
    },
  };
}

function dispose(values: Iterable<DeviceFeeds[string]>): void {
  for (const value of values) if (value instanceof DeviceTensor) value.dispose();
}
