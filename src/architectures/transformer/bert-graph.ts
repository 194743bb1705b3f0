/** A BERT or RoBERTa encoder as a whole graph, named as published exports are. */
import { createNet, type WeightSource } from "../../nn/net.js";
import { GraphBuilder } from "../../onnx/builder.js";
import type { Model } from "../../onnx/model.js";
import { type BertConfig, bert } from "./bert.js";

/** The encoder as a graph with the inputs, the output and the weights' names of published exports. */
export function encoderGraph(config: BertConfig, weights: WeightSource): Model {
  const net = createNet(weights, new GraphBuilder({ name: config.model_type ?? "bert" }));
  const dims = ["batch_size", "sequence_length"];
  const input = (name: string): string => net.g.input(name, "int64", [...dims]);
  const inputs = { input_ids: input("input_ids"), attention_mask: input("attention_mask") };
  const isBert = (config.model_type ?? "bert") === "bert";
  const types = isBert ? { token_type_ids: input("token_type_ids") } : {};
  const hidden = bert(net, config, { ...inputs, ...types });
  net.g.output("last_hidden_state", hidden, "float32", [...dims, config.hidden_size]);
  return net.g.model();
}
