/**
 * Two encoders of one architecture, f and g, that read the same phrases with weights of their own, as QuickThoughts trains
 * them (Logeswaran and Lee, 2018, section 3).
 */
import type { Net } from "../nn/net.js";
import type { Tensor } from "../onnx/tensor.js";
import type { ModelPart } from "./architecture.js";

/** Which encoders a model keeps: one of them, or both, whose vectors are concatenated. */
export type Encoding = "f" | "g" | "both";

/** Prefix of the weights of g; those of f have the names of the architecture. */
const prefix = "g.";

/** Adds both encoders. @returns the names of their vectors, each float32 [rows, width] */
export function buildPair(net: Net, part: ModelPart): { readonly f: string; readonly g: string } {
  return { f: part.build(net), g: part.build({ ...net, prefix }) };
}

/** What is written of a trained pair: the part of a model, and its weights by their names there. */
export function chosenEncoders(
  part: ModelPart,
  encoding: Encoding,
  trained: ReadonlyMap<string, Tensor>,
): { readonly part: ModelPart; readonly weights: ReadonlyMap<string, Tensor> } {
  if (encoding === "f") return { part, weights: trained };
  if (encoding === "g") {
    const ofG = [...trained].filter(([name]) => name.startsWith(prefix));
    return { part, weights: new Map(ofG.map(([name, value]) => [name.slice(prefix.length), value])) };
  }
  const both: ModelPart = {
    ...part,
    width: 2 * part.width,
    // two encoders cannot be one part of another model
    section: {},
    build(net) {
      const { f, g } = buildPair(net, part);
      return net.g.add("Concat", [f, g], { axis: 1 });
    },
  };
  return { part: both, weights: trained };
}
