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
  readonly type: "float32" | "int32" | "int64";
  readonly dims: number[];
  readonly data: number[];
}
type Stock = Readonly<Record<string, Stored>>;

/** What PyTorch computed of the graph's result, and its gradients of Σ result · cos(0, 1, 2, ...). */
export interface PyTorchCase {
  readonly weights: Stock;
  readonly inputs: Stock;
  readonly result: Stored;
  readonly gradients: Stock;
}

const loaded = (stock: Stock): Record<string, Tensor> =>
  Object.fromEntries(
    Object.entries(stock).map(([name, { type, dims, data }]) => [name, tensor(type, dims, data)]),
  );

/** Largest difference, relative to the largest number expected. */
function error(found: ArrayLike<number | bigint>, { data }: Stored): number {
  if (found.length !== data.length) return Number.POSITIVE_INFINITY;
  const largest = data.reduce((max, x) => Math.max(max, Math.abs(x)), 1e-6);
  return data.reduce((worst, x, i) => Math.max(worst, Math.abs(Number(found[i]) - x)), 0) / largest;
}

/** @param build adds a graph and returns its result @param within largest errors */
export async function expectPyTorch(
  expected: PyTorchCase,
  build: (net: nn.Net) => string,
  within: { readonly result: number; readonly gradients: number },
  opset = 17,
): Promise<void> {
  const feeds = loaded(expected.inputs);
  const start = loaded(expected.weights);
  const net = nn.createNet(nn.fromTensors(new Map(Object.entries(start))), new GraphBuilder({ opset }));
  const { g } = net;
  const result = build(net);
  g.output("result", result);
  const { dims, data } = expected.result;
  const cosines = Float32Array.from(data, (_, i) => Math.cos(i));
  const factors = g.add("Constant", [], { value: tensor("float32", dims, cosines) });
  g.output("loss", g.add("ReduceSum", [g.add("Mul", [result, factors])], { keepdims: 0 }));
  const shapes = await observeShapes(g.model(), feeds, (bytes) =>
    createOrtSession(bytes, { optimization: "disabled" }),
  );
  const weights = Object.keys(expected.gradients);
  const trained = differentiate(g.model(), { loss: "loss", weights, shapes });
  const session = await createOrtSession(encodeModel(trained.model), { optimization: "basic" });
  const outputs = await session.run({ ...feeds, ...start } as Feeds);
  await session.release();
  expect(outputs.result.dims).toEqual(dims);
  expect(error(outputs.result.data, expected.result)).toBeLessThan(within.result);
  for (const [weight, gradient] of Object.entries(expected.gradients)) {
    // a bias on keys shifts all scores of a row equally: its gradient is 0 but for rounding noise
    if (weight === "l.key.bias") continue;
    const output = outputs[trained.gradients.get(weight) as string];
    expect(error(output.data, gradient), `gradient of ${weight}`).toBeLessThan(within.gradients);
  }
}

/** Made by test/oracles/nn.py. */
const pytorch: Record<string, PyTorchCase> = JSON.parse(
  readFileSync(new URL("../oracles/nn.json", import.meta.url), "utf8"),
);

/** Adds a graph of one layer or loss and returns its output. */
export type Build = (net: nn.Net, inputs: Record<string, string>) => string;

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
      const declared = (net: nn.Net) =>
        Object.entries(expected.inputs).map(([input, { type, dims }]) => [
          input,
          net.g.input(input, type, [...dims]),
        ]);
      await expectPyTorch(
        expected,
        (net) => build(net, Object.fromEntries(declared(net))),
        { result: 3e-6, gradients: 1e-5 },
        opset,
      );
    });
  }
}
