/** Compares layers and losses with PyTorch: results and gradients, in two opsets. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { differentiate } from "../../src/autodiff/gradient.js";
import { GraphBuilder } from "../../src/onnx/builder.js";
import { encodeModel } from "../../src/onnx/io/file.js";
import { observeShapes } from "../../src/onnx/observe-shapes.js";
import { type Tensor, tensor } from "../../src/onnx/tensor.js";
import { createOrtSession } from "../../src/runtime/ort-session.js";
import type { Feeds } from "../../src/runtime/tensor.js";
import * as nn from "../../src/train.js";

interface Stored {
  type: "float32" | "int64";
  dims: number[];
  data: number[];
}
interface PyTorchCase {
  weights: Record<string, Stored>;
  inputs: Record<string, Stored>;
  result: Stored;
  gradients: Record<string, Stored>;
}
/** Made by test/oracles/nn.py. */
const pytorch: Record<string, PyTorchCase> = JSON.parse(
  readFileSync(new URL("../oracles/nn.json", import.meta.url), "utf8"),
);

/** Adds a graph of one layer or loss and returns its output. */
export type Build = (net: nn.Net, inputs: Record<string, string>) => string;

const load = ({ type, dims, data }: Stored): Tensor => tensor(type, dims, data);
const loaded = (stored: Record<string, Stored>) =>
  Object.fromEntries(Object.entries(stored).map(([name, value]) => [name, load(value)]));

/** Same factors as in nn.py. */
function addLoss({ g }: nn.Net, result: string, { dims, data }: Stored): void {
  const factors = g.add("Constant", [], {
    value: tensor(
      "float32",
      dims,
      data.map((_, i) => Math.cos(i)),
    ),
  });
  g.output("loss", g.add("ReduceSum", [g.add("Mul", [result, factors])], { keepdims: 0 }));
}

/** Largest difference, relative to the largest number expected. */
function error(found: ArrayLike<number | bigint>, { data }: Stored): number {
  if (found.length !== data.length) return Number.POSITIVE_INFINITY;
  const largest = data.reduce((max, x) => Math.max(max, Math.abs(x)), 1e-3);
  return data.reduce((worst, x, i) => Math.max(worst, Math.abs(Number(found[i]) - x)), 0) / largest;
}

/** Adds a test for each graph, and one that no layer (or loss) that PyTorch computed is left out. */
export function itMatchesPyTorch(graphs: Record<string, Build>, kind: "layers" | "losses"): void {
  it("for every case that PyTorch computed", () => {
    const computed = Object.keys(pytorch).filter(
      (name) => (pytorch[name].result.dims.length === 0) === (kind === "losses"),
    );
    expect(Object.keys(graphs).sort()).toEqual(computed.sort());
  });

  for (const opset of [17, 20]) {
    it.each(Object.entries(graphs))(`%s (opset ${opset})`, async (name, build) => {
      const expected = pytorch[name];
      const feeds = loaded(expected.inputs);
      const net = nn.createNet(
        nn.fromTensors(new Map(Object.entries(loaded(expected.weights)))),
        new GraphBuilder({ opset }),
      );
      const inputs = Object.fromEntries(
        Object.entries(feeds).map(([input, { type, dims }]) => [input, net.g.input(input, type, [...dims])]),
      );
      const result = build(net, inputs);
      net.g.output("result", result);
      addLoss(net, result, expected.result);
      const model = net.g.model();
      const shapes = await observeShapes(model, feeds, (bytes) =>
        createOrtSession(bytes, { optimization: "disabled" }),
      );
      const weights = Object.keys(expected.gradients);
      const trained = differentiate(model, { loss: "loss", weights, shapes });
      const session = await createOrtSession(encodeModel(trained.model), { optimization: "basic" });
      const outputs = await session.run({ ...feeds, ...loaded(expected.weights) } as Feeds);
      expect(outputs.result.dims).toEqual(expected.result.dims);
      expect(error(outputs.result.data, expected.result)).toBeLessThan(3e-6);
      for (const [weight, gradient] of Object.entries(expected.gradients)) {
        // a bias on keys shifts all scores of a row equally: its gradient is 0 but for rounding noise
        if (weight === "l.key.bias") continue;
        const output = outputs[trained.gradients.get(weight) as string];
        expect(error(output.data, gradient), `gradient of ${weight}`).toBeLessThan(1e-5);
      }
      await session.release();
    });
  }
}
