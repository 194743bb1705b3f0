/** The training task of test/fixtures/oracle: tiny BERT, NT-Xent and a head of 95 classes, with PyTorch's numbers. */
import { readFileSync } from "node:fs";
import { differentiate } from "../../src/autodiff/gradient.js";
import { GraphBuilder } from "../../src/onnx/builder.js";
import { encodeModel } from "../../src/onnx/io/file.js";
import { readSafetensors } from "../../src/onnx/io/safetensors.js";
import type { Model } from "../../src/onnx/model.js";
import { observeShapes } from "../../src/onnx/observe-shapes.js";
import { type Tensor, tensor } from "../../src/onnx/tensor.js";
import { createOrtSession } from "../../src/runtime/ort-session.js";
import type { Feeds } from "../../src/runtime/tensor.js";
import { createNet, crossEntropy, fromTensors, linear, meanPooling, ntXent } from "../../src/train.js";
import { sampleFeeds } from "../onnx/sample-feeds.js";

const folder = new URL("../fixtures/oracle/", import.meta.url);

export const oraclePath = (file: string): string => new URL(file, folder).pathname;

interface Losses {
  ntxent: number;
  cross_entropy_sum: number;
  total: number;
}
interface Batch {
  anchor_ids: number[][];
  anchor_mask: number[][];
  positive_ids: number[][];
  positive_mask: number[][];
  types: number[];
}
export interface Golden {
  batches: Batch[];
  merged: Losses & { gradients: Record<string, { l2: number; index: number[]; value: number[] }> };
  float64: {
    forward: Losses & { anchor_embeddings: number[][]; positive_embeddings: number[][] };
    gradients: Record<string, { l2: number }>;
    trajectory: Losses[];
    final_loss_batch0: number;
    averaged_loss_batch0: number;
  };
}
export const golden = (): Golden => JSON.parse(readFileSync(new URL("golden.json", folder), "utf8"));
export const parameters = (file = "weights"): Map<string, Tensor> =>
  readSafetensors(oraclePath(`${file}.safetensors`));

/** Anchors and positives of a batch as the rows of one pass. */
export function feedsOf(batch: Batch): Feeds {
  const rows = (values: number[][]) =>
    tensor("int64", [values.length, values[0].length], values.flat()) as Feeds[string];
  const ids = [...batch.anchor_ids, ...batch.positive_ids];
  return {
    input_ids: rows(ids),
    attention_mask: rows([...batch.anchor_mask, ...batch.positive_mask]),
    token_type_ids: rows(ids.map((row) => row.map(() => 0))),
    types: tensor("int64", [batch.types.length], batch.types) as Feeds[string],
  };
}

/** Adds pooling, NT-Xent and type head to an encoder; the losses become outputs. */
export function addTask(encoder: Model): Model {
  const net = createNet(fromTensors(parameters()), new GraphBuilder(encoder));
  const { g } = net;
  const pooled = meanPooling(net, { hidden: "last_hidden_state", mask: "attention_mask" });
  const [anchors, positives] = g.addMany("Split", [pooled], 2, { axis: 0 });
  const labels = g.input("types", "int64", ["half"]);
  const nt = ntXent(net, { anchors, positives }, { temperature: 0.07 });
  const logits = linear(net, pooled, { name: "type_head", inputs: 32, outputs: 95 });
  const [first, second] = g
    .addMany("Split", [logits], 2, { axis: 0 })
    .map((half) => crossEntropy(net, { logits: half, labels }));
  g.output("ntxent", nt);
  g.output("cross_entropy_sum", g.add("Add", [first, second]));
  g.output("total", g.add("Add", ["ntxent", "cross_entropy_sum"]));
  g.output("pooled", pooled);
  return g.model();
}

export interface TaskOptions {
  /** Where the graph runs; default "cpu". */
  device?: "cpu" | "webgpu";
  tables?: "rows" | "dense";
}

/** The task's graph with gradients, ready to run: weights go in, losses and gradients come out. */
export async function openTask(encoder: Model, { device = "cpu", tables }: TaskOptions = {}) {
  const model = addTask(encoder);
  const feeds = sampleFeeds(model, { batch_size: 6, sequence_length: 5, half: 3 });
  const shapes = await observeShapes(model, feeds, (bytes) =>
    createOrtSession(bytes, { optimization: "disabled" }),
  );
  const {
    gradients,
    rows,
    model: trained,
  } = differentiate(model, {
    ...{ loss: "total", shapes, tables },
    device: device === "cpu" ? "cpu" : "gpu",
  });
  const session = await createOrtSession(encodeModel(trained), { device, optimization: "basic" });
  const names = [...new Set([...gradients.keys(), ...rows.keys()])];
  const weights = new Map(names.map((name) => [name, copy(model.graph.initializers.get(name) as Tensor)]));
  const run = (batch: Batch) => session.run({ ...feedsOf(batch), ...(Object.fromEntries(weights) as Feeds) });
  return { model: trained, session, weights, gradients, rows, run };
}

const copy = ({ type, dims, data }: Tensor): Tensor => ({
  type,
  dims,
  data: Float32Array.from(data as Float32Array),
});

/** A weight's numbers under PyTorch's name and in PyTorch's layout: exporters rename and transpose some. */
export function asParameter(name: string, value: Tensor, start: Tensor, known: ReadonlyMap<string, Tensor>) {
  if (known.has(name)) return { parameter: name, data: value.data as Float32Array };
  const [rows, columns] = value.dims;
  const turned = ({ data }: Tensor) =>
    Float32Array.from(data as Float32Array, (_, i) =>
      Number(data[(i % rows) * columns + Math.floor(i / rows)]),
    );
  const first = turned(start);
  const equal = [...known].find(
    ([, { dims, data }]) => String(dims) === `${columns},${rows}` && first.every((x, i) => x === data[i]),
  );
  if (!equal) throw new Error(`${name} is no parameter of the oracle`);
  return { parameter: equal[0], data: turned(value) };
}

/** Adam as test/fixtures/oracle/README.md writes it, on numbers in place. */
export function createAdam(rate = 1e-3) {
  const moments = new Map<string, { m: Float32Array; v: Float32Array }>();
  let t = 0;
  return {
    next: () => t++,
    update(name: string, weight: Float32Array, gradient: Float32Array) {
      const { m, v } = moments.get(name) ?? {
        m: new Float32Array(weight.length),
        v: new Float32Array(weight.length),
      };
      moments.set(name, { m, v });
      for (let i = 0; i < weight.length; i++) {
        m[i] = 0.9 * m[i] + 0.1 * gradient[i];
        v[i] = 0.999 * v[i] + 0.001 * gradient[i] ** 2;
        weight[i] -= (rate * (m[i] / (1 - 0.9 ** t))) / (Math.sqrt(v[i] / (1 - 0.999 ** t)) + 1e-8);
      }
    },
  };
}
