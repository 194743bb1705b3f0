/** Weights that stay on a device, updated by the graph of adam-graph.ts; used on a GPU. */

import type { GradientGraph } from "../../autodiff/gradient.js";
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
  groupGradients,
  groupWeights,
  inputsOf,
  lossInput,
  placesIn,
  reportName,
  scalarsName,
  sumGraph,
  type WeightGroup,
  weightOutput,
  weightsGraph,
} from "./adam-graph.js";
import { type Optimiser, type OptimiserOptions, statePrefixes } from "./optimiser.js";

/** Gives a session for a graph, opened on first use of its name. */
type SessionOf = (name: string, graph: () => Model, place?: "memory" | "device") => Promise<OrtSession>;

/** Opens an optimiser on the device of the sessions; the CPU is a device too. @param start first values */
export async function createGraphOptimiser(
  start: ReadonlyMap<string, Tensor>,
  options: OptimiserOptions,
  sessions: SessionOptions,
): Promise<Optimiser> {
  const shapes = new Map([...start].map(([name, { dims }]) => [name, dims]));
  const groups = groupWeights(shapes, adamSettings(options.optimiser));
  const opened = lazySessions<string>();
  const sessionOf: SessionOf = (name, graph, place = "device") =>
    opened.get(name, () => openGraph(graph(), place, sessions));
  const held = deviceState(groups, sessionOf);
  let step = 0;
  const optimiser: Optimiser = {
    feeds: () => held.weights,
    sink: () => deviceGradientSum(groups, sessionOf),
    async update(sink, { rate, losses }) {
      const gradients = (sink as ReturnType<typeof deviceGradientSum>).finish();
      const names = Object.keys(losses);
      const session = await sessionOf("adam", () => adamGraph(groups, names, options));
      const outputs = await session.runOnDevice({
        ...held.tensors,
        ...gradients,
        ...Object.fromEntries(names.map((name) => [lossInput(name), losses[name]])),
        [scalarsName]: float32(stepScalars(step + 1, rate, options)),
      });
      dispose(gradients);
      dispose(losses);
      const report = (outputs[reportName] as RunTensor).data as Float32Array;
      const finite = report.every(Number.isFinite);
      held.replace(outputs, finite ? "taken" : "refused");
      if (finite) step++;
      const found = Object.fromEntries(names.map((name, i) => [name, report[i]]));
      return { losses: found, gradientNorm: report[names.length], finite };
    },
    weights: () => held.download([""]),
    state: async () => ({ step, tensors: await held.download(statePrefixes) }),
    async restore(given) {
      await held.upload(given.tensors);
      step = given.step;
    },
    layout: () =>
      new Map(statePrefixes.flatMap((prefix) => [...shapes].map(([name, dims]) => [prefix + name, dims]))),
    async release() {
      held.dispose();
      await opened.release();
    },
  };
  await held.upload(start);
  return optimiser;
}

/** The learning rate over 1 - β₁ᵗ, 1 / √(1 - β₂ᵗ), and learning rate × decay: input of the graph of a step. */
function stepScalars(t: number, rate: number, { optimiser }: OptimiserOptions): number[] {
  const { betas, weightDecay } = adamSettings(optimiser);
  const [beta1, beta2] = betas;
  return [rate / (1 - beta1 ** t), 1 / Math.sqrt(1 - beta2 ** t), rate * weightDecay];
}

function openGraph(model: Model, place: "memory" | "device", sessions: SessionOptions): Promise<OrtSession> {
  const outputs = model.graph.outputs.map(({ name }) => [name, name === reportName ? "memory" : place]);
  return createOrtSession(encodeModel(model), {
    ...{ ...sessions, optimization: "basic", outputs: Object.fromEntries(outputs) },
  });
}

/** Weights and moments on the device, as tensors of groups; weights also in their shapes, as the gradients' graphs read them. */
function deviceState(groups: readonly WeightGroup[], sessionOf: SessionOf) {
  let tensors: DeviceFeeds = {};
  let weights: DeviceFeeds = {};
  const dropAll = () => {
    dispose(tensors);
    dispose(weights);
  };
  const copied = async (session: OrtSession, valueFor: (group: WeightGroup) => DeviceFeeds[string]) => {
    const copies = await session.runOnDevice(
      Object.fromEntries(groups.map((group) => [group.name, valueFor(group)])),
    );
    return groups.map((group) => [group, copies[`copy/${group.name}`]] as const);
  };
  return {
    get tensors() {
      return tensors;
    },
    get weights() {
      return weights;
    },
    /** Takes the values of the next step, or drops them. */
    replace(outputs: DeviceFeeds, how: "taken" | "refused"): void {
      const next = renamed(tensors, (name) => outputs[`next/${name}`]);
      const shaped = renamed(weights, (name) => outputs[weightOutput(name)]);
      if (how === "refused") {
        dispose(next);
        dispose(shaped);
        return;
      }
      dropAll();
      [tensors, weights] = [next, shaped];
    },
    /** In memory, by prefix and weight. */
    async download(prefixes: readonly string[]): Promise<Map<string, Tensor>> {
      const session = await sessionOf("download", () => copyGraph(groups), "memory");
      const found = new Map<string, Tensor>();
      for (const prefix of prefixes) {
        const copies = await copied(session, (group) => tensors[inputOf(group, prefix)]);
        for (const [group, copy] of copies)
          for (const { name, dims, start, end } of placesIn(group))
            found.set(prefix + name, {
              ...{ type: "float32", dims },
              data: ((copy as RunTensor).data as Float32Array).slice(start, end),
            });
      }
      return found;
    },
    /** @param given by prefix and weight; moments that it lacks are zeros */
    async upload(given: ReadonlyMap<string, Tensor>): Promise<void> {
      dropAll();
      const session = await sessionOf("upload", () => copyGraph(groups));
      tensors = {};
      for (const prefix of statePrefixes)
        for (const [group, copy] of await copied(session, (each) => tensorIn(each, prefix, given)))
          tensors[inputOf(group, prefix)] = copy;
      const shaper = await sessionOf("weights", () => weightsGraph(groups));
      const own = groups.map((group) => [inputOf(group, ""), tensors[inputOf(group, "")]]);
      const shaped = await shaper.runOnDevice(Object.fromEntries(own));
      const names = groups.flatMap((group) => group.weights.map(({ name }) => name));
      weights = Object.fromEntries(names.map((name) => [name, shaped[weightOutput(name)]]));
    },
    dispose: dropAll,
  };
}

/** The input of a group's vector of weights ("") or of moments. */
function inputOf(group: WeightGroup, prefix: string): string {
  const { w, m, v } = inputsOf(group);
  return [w, m, v][statePrefixes.indexOf(prefix as (typeof statePrefixes)[number])];
}

function tensorIn(group: WeightGroup, prefix: string, given: ReadonlyMap<string, Tensor>): RunTensor {
  const data = new Float32Array(elementCount(group.dims));
  for (const { name, start } of placesIn(group)) {
    const values = given.get(prefix + name)?.data as Float32Array | undefined;
    if (values) data.set(values, start);
  }
  return { type: "float32", dims: group.dims, data };
}

/** Adds up gradients of groups. */
function deviceGradientSum(groups: readonly WeightGroup[], sessionOf: SessionOf) {
  const sums = new Map<string, DeviceFeeds[string]>();
  return {
    arrange: (graph: GradientGraph) => groupGradients(graph, groups),
    async collect(...[{ gradients }, { outputs }]: Parameters<GradientSink["collect"]>): Promise<void> {
      const added = groups.filter(({ name }) => gradients.has(name) && sums.has(name));
      for (const [name, output] of gradients) if (!sums.has(name)) sums.set(name, outputs[output]);
      if (added.length === 0) return;
      const feeds = Object.fromEntries(
        added.flatMap(({ name }) => [
          [`a/${name}`, sums.get(name) as DeviceFeeds[string]],
          [`b/${name}`, outputs[gradients.get(name) as string]],
        ]),
      );
      const session = await sessionOf(`sum of ${added.map(({ name }) => name)}`, () => sumGraph(added));
      const next = await session.runOnDevice(feeds);
      dispose(feeds);
      for (const { name } of added) sums.set(name, next[`sum/${name}`]);
    },
    /** The sums as inputs of Adam's graph; zeros for groups without a gradient. */
    finish: (): DeviceFeeds =>
      Object.fromEntries(
        groups.map((group) => [
          inputsOf(group).gradient,
          sums.get(group.name) ?? tensorIn(group, "", new Map()),
        ]),
      ),
  };
}

const renamed = (values: DeviceFeeds, valueFor: (name: string) => DeviceFeeds[string]): DeviceFeeds =>
  Object.fromEntries(Object.keys(values).map((name) => [name, valueFor(name)]));

function dispose(values: DeviceFeeds): void {
  for (const value of Object.values(values)) if (value instanceof DeviceTensor) value.dispose();
}
