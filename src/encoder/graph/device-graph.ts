/** The graph that a GPU runs: fused operators, perhaps float16 weights, and token vectors pooled before they come back. */
import { EMBEDDING, type ModelFolder, TYPE_LOGITS } from "../../architectures/architecture.js";
import { refuseModule } from "../../architectures/sentence-modules.js";
import { createNet, fromTensors } from "../../nn/net.js";
import { poolings } from "../../nn/pooling.js";
import { GraphBuilder } from "../../onnx/builder.js";
import { prune } from "../../onnx/graph.js";
import { readModel } from "../../onnx/io/file.js";
import { copyModel, type Model } from "../../onnx/model.js";
import { prepareForInference } from "../../onnx/rewrite/fuse.js";
import { fuseAttention, fuseBiases, splitGemms } from "../../onnx/rewrite/fuse-attention.js";
import { toHalf } from "../../onnx/rewrite/half.js";
import type { Device } from "../../runtime/device.js";
import type { Precision } from "../encode-protocol.js";

/**
 * On WebGPU an operator costs ONNX Runtime about 20 µs on the host, however small it is (measured, NVIDIA H200): few
 * large ones take the place of many. @throws ModelError for a graph that cannot be read or not be computed in half precision
 */
export async function deviceGraph(
  folder: ModelFolder,
  precision: Exclude<Precision, "int8">,
  device: Device,
): Promise<Model> {
  const prepared = prepareForInference(await readModel(folder.graph));
  const model = device === "webgpu" ? fuseBiases(fuseAttention(splitGemms(prepared))) : prepared;
  const computed = precision === "half" ? toHalf(model) : model;
  const pooled = poolTokens(computed, folder);
  if (pooled !== computed) refuseModule(folder);
  return pooled;
}

/**
 * Adds the pooling of a folder to a graph whose output holds token vectors, float32 [batch, tokens, width]: then
 * `embedding` is [batch, width]. Other graphs are returned as they are.
 */
export function poolTokens(model: Model, { pooling }: Pick<ModelFolder, "pooling">): Model {
  const tokens = model.graph.outputs.find(
    ({ name, shape }) => ["last_hidden_state", "token_embeddings"].includes(name) && shape?.length === 3,
  );
  const mask = model.graph.inputs.find(({ name, type }) => name === "attention_mask" && type === "int64");
  if (!tokens || !mask || pooling === "none" || model.graph.outputs.some(({ name }) => name === EMBEDDING))
    return model;
  const copy = copyModel(model);
  const net = createNet(fromTensors(new Map()), new GraphBuilder(copy));
  const pooled = poolings[pooling](net, { hidden: tokens.name, mask: mask.name });
  copy.graph.outputs = copy.graph.outputs.filter(({ name }) => name === TYPE_LOGITS);
  net.g.output(EMBEDDING, pooled, "float32", [tokens.shape?.[0] ?? null, tokens.shape?.[2] ?? null]);
  prune(copy.graph);
  return copy;
}
