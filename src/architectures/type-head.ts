/** The type head: a linear map from a phrase's vector to a score for each phrase type. */
import { linear } from "../nn/layers.js";
import type { Net } from "../nn/net.js";

/** Prefix of its weights, `weight` [types, width] and `bias` [types]. */
export const typeHead = "type_head";

/** @param vectors float32 [rows, width] @returns logits, float32 [rows, types] */
export const typeLogits = (
  net: Net,
  vectors: string,
  { width, types }: { readonly width: number; readonly types: number },
): string => linear(net, vectors, { name: typeHead, inputs: width, outputs: types });
