/** Character encoders compared with PyTorch: results and gradients of scripts/oracle_models.py, in float64. */

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  type CharacterEncoderOptions,
  characterEncoder,
} from "../../../src/architectures/characters/encoder.js";
import { declareCharacterInputs } from "../../../src/architectures/characters/inputs.js";
import { expectPyTorch, type PyTorchCase } from "../../nn/pytorch.js";
import { encoders } from "./sample.js";

interface EncoderCase extends PyTorchCase {
  readonly sizes: Omit<CharacterEncoderOptions, "encoder"> & { readonly kind: keyof typeof encoders };
}

/** Made by scripts/make-love-fixtures.py. */
const pytorch: Record<string, EncoderCase> = JSON.parse(
  readFileSync(new URL("../../oracles/characters.json", import.meta.url), "utf8"),
);

describe("character encoders have PyTorch's results and gradients", () => {
  it("for every kind", () => {
    const kinds = new Set(Object.values(pytorch).map(({ sizes }) => sizes.kind));
    expect([...kinds].sort()).toEqual(Object.keys(encoders).sort());
  });

  it.each(Object.entries(pytorch))("%s", async (_, expected) => {
    const { kind, ...sizes } = expected.sizes;
    await expectPyTorch(
      expected,
      (net) => characterEncoder(net, declareCharacterInputs(net.g), { ...sizes, encoder: encoders[kind] }),
      { result: 1e-5, gradients: 1e-4 },
    );
  });
});
