/** The exported encoders of test/fixtures/oracle with PyTorch's numbers for them. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type * as OnnxRuntime from "onnxruntime-common";
import { expect } from "vitest";
import { encodeModel } from "../../src/onnx/io/file.js";
import type { Model } from "../../src/onnx/model.js";

export const ort = createRequire(import.meta.url)("onnxruntime-node") as typeof OnnxRuntime;

const folder = new URL("../fixtures/oracle/", import.meta.url);

export const exportNames = ["folded", "folded.opset11", "folded.opset17", "named", "merged"] as const;
export const exportPath = (name: string) => new URL(`encoder.${name}.onnx`, folder).pathname;

export interface Golden {
  batches: { anchor_ids: number[][]; anchor_mask: number[][] }[];
  /** Mean-pooled embeddings of the anchors of batch 0, for every export but "merged". */
  float64: { forward: { anchor_embeddings: number[][] } };
}
export const golden = (): Golden => JSON.parse(readFileSync(new URL("golden.json", folder), "utf8"));

/** Runs a model (or an encoded one) on int64 rows and returns each output's numbers. */
export async function runModel(
  model: Model | Uint8Array,
  feeds: Record<string, OnnxRuntime.Tensor>,
  options: OnnxRuntime.InferenceSession.SessionOptions = {},
): Promise<Record<string, OnnxRuntime.Tensor>> {
  const bytes = model instanceof Uint8Array ? model : encodeModel(model);
  const session = await ort.InferenceSession.create(bytes, { intraOpNumThreads: 1, ...options });
  const inputs = Object.fromEntries(
    Object.entries(feeds).filter(([name]) => session.inputNames.includes(name)),
  );
  try {
    return { ...(await session.run(inputs)) };
  } finally {
    await session.release();
  }
}

/** The anchors of batch 0. */
export function goldenFeeds(): Record<string, OnnxRuntime.Tensor> {
  const [batch] = golden().batches;
  return encoderFeeds(batch.anchor_ids, batch.anchor_mask);
}

/** Mean over the tokens that the mask keeps: hidden states [rows, tokens, width] to [rows × width]. */
export function meanPool(hidden: OnnxRuntime.Tensor, mask: OnnxRuntime.Tensor): Float32Array {
  const [rows, tokens, width] = hidden.dims;
  const states = hidden.data as Float32Array;
  const kept = mask.data as BigInt64Array;
  const pooled = new Float32Array(rows * width);
  for (let row = 0; row < rows; row++) {
    const count = kept.subarray(row * tokens, (row + 1) * tokens).reduce((sum, x) => sum + Number(x), 0);
    for (let i = 0; i < tokens * width; i++)
      if (kept[row * tokens + Math.floor(i / width)])
        pooled[row * width + (i % width)] += states[row * tokens * width + i] / count;
  }
  return pooled;
}

/** Token ids and mask as the inputs of a BERT-like encoder; lengths differ between rows. */
export function encoderFeeds(ids: number[][], mask: number[][]): Record<string, OnnxRuntime.Tensor> {
  const int64 = (rows: number[][]) =>
    new ort.Tensor("int64", BigInt64Array.from(rows.flat(), BigInt), [rows.length, rows[0].length]);
  return {
    input_ids: int64(ids),
    attention_mask: int64(mask),
    token_type_ids: int64(ids.map((row) => row.map(() => 0))),
  };
}

export const largestDifference = (a: ArrayLike<number>, b: ArrayLike<number>): number => {
  let largest = a.length === b.length ? 0 : Number.POSITIVE_INFINITY;
  for (let i = 0; i < a.length; i++) largest = Math.max(largest, Math.abs(a[i] - b[i]));
  return largest;
};

export const countOf = (model: Model, op: string) =>
  model.graph.nodes.filter((node) => node.op === op).length;

/** Both models give the same numbers, without ONNX Runtime's own rewrites. */
export async function expectEqual(before: Model, after: Model, feeds = goldenFeeds(), tolerance = 1e-5) {
  const options = { graphOptimizationLevel: "disabled" } as const;
  const [a, b] = [await runModel(before, feeds, options), await runModel(after, feeds, options)];
  for (const name of Object.keys(a)) {
    expect(b[name].dims).toEqual(a[name].dims);
    expect(largestDifference(a[name].data as Float32Array, b[name].data as Float32Array)).toBeLessThan(
      tolerance,
    );
  }
}
