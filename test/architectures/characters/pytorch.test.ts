/** Character encoders compared with PyTorch: results and gradients of scripts/oracle_models.py, in float64. */

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  type CharacterEncoderOptions,
  characterEncoder,
} from "../../../src/architectures/characters/encoder.js";
import { declareCharacterInputs } from "../../../src/architectures/characters/inputs.js";
import { differentiate } from "../../../src/autodiff/gradient.js";
import { encodeModel } from "../../../src/onnx/io/file.js";
import { observeShapes } from "../../../src/onnx/observe-shapes.js";
import { type Tensor, tensor } from "../../../src/onnx/tensor.js";
import { createOrtSession } from "../../../src/runtime/ort-session.js";
import type { Feeds } from "../../../src/runtime/tensor.js";
import * as nn from "../../../src/train.js";
import { encoders } from "./sample.js";

interface Stored {
  readonly type: "float32" | "int32";
  readonly dims: number[];
  readonly data: number[];
}
type Stock = Readonly<Record<string, Stored>>;
interface PyTorchCase {
  readonly sizes: Omit<CharacterEncoderOptions, "encoder"> & { readonly kind: keyof typeof encoders };
  readonly weights: Stock;
  readonly inputs: Stock;
  readonly result: Stored;
  readonly gradients: Stock;
}

/** Made by scripts/make-love-fixtures.py. */
const pytorch: Record<string, PyTorchCase> = JSON.parse(
  readFileSync(new URL("../../oracles/characters.json", import.meta.url), "utf8"),
);

const loaded = (stock: Stock): Record<string, Tensor> =>
  Object.fromEntries(
    Object.entries(stock).map(([name, { type, dims, data }]) => [name, tensor(type, dims, data)]),
  );

/** Largest difference, relative to the largest entry expected. */
function error(found: ArrayLike<number | bigint>, { data }: Stored): number {
  if (found.length !== data.length) return Number.POSITIVE_INFINITY;
  const largest = data.reduce((most, x) => Math.max(most, Math.abs(x)), 1e-6);
  return data.reduce((worst, x, i) => Math.max(worst, Math.abs(Number(found[i]) - x)), 0) / largest;
}

/** The encoder with the loss Σ result · cos(0, 1, 2, ...), as in the script. */
function withLoss({ sizes, weights, result }: PyTorchCase) {
  const net = nn.createNet(nn.fromTensors(new Map(Object.entries(loaded(weights)))));
  const { g } = net;
  const vectors = characterEncoder(net, declareCharacterInputs(g), {
    ...sizes,
    encoder: encoders[sizes.kind],
  });
  const factors = tensor(
    "float32",
    result.dims,
    result.data.map((_, i) => Math.cos(i)),
  );
  g.output("result", vectors);
  const product = g.add("Mul", [vectors, g.add("Constant", [], { value: factors })]);
  g.output("loss", g.add("ReduceSum", [product], { keepdims: 0 }));
  return g.model();
}

describe("character encoders have PyTorch's results and gradients", () => {
  it("for every kind", () => {
    const kinds = new Set(Object.values(pytorch).map(({ sizes }) => sizes.kind));
    expect([...kinds].sort()).toEqual(Object.keys(encoders).sort());
  });

  it.each(Object.entries(pytorch))("%s", async (_, expected) => {
    const model = withLoss(expected);
    const feeds = loaded(expected.inputs);
    const shapes = await observeShapes(model, feeds, (bytes) =>
      createOrtSession(bytes, { optimization: "disabled" }),
    );
    const weights = Object.keys(expected.gradients);
    const trained = differentiate(model, { loss: "loss", weights, shapes });
    expect([...trained.gradients.keys()].sort()).toEqual(weights.sort());
    const session = await createOrtSession(encodeModel(trained.model), { optimization: "basic" });
    const outputs = await session.run({ ...feeds, ...loaded(expected.weights) } as Feeds);
    expect(outputs.result.dims).toEqual(expected.result.dims);
    expect(error(outputs.result.data, expected.result)).toBeLessThan(1e-5);
    for (const [weight, gradient] of Object.entries(expected.gradients)) {
      const output = outputs[trained.gradients.get(weight) as string];
      expect(error(output.data, gradient), `gradient of ${weight}`).toBeLessThan(1e-4);
    }
    await session.release();
  });
});
