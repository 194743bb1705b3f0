/** From an encoder's graph to its weights by their published names, checked by running both. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { ModelError } from "../../errors.js";
import { readModel, writeModel } from "../../onnx/io/file.js";
import type { Model } from "../../onnx/model.js";
import { type Tensor, tensor } from "../../onnx/tensor.js";
import { createOrtSession } from "../../runtime/ort-session.js";
import type { Feeds } from "../../runtime/tensor.js";
import type { ModelFolder } from "../architecture.js";
import type { Conversion } from "../conversion.js";
import { numberAt } from "../folder-json.js";
import { type Encoder, encoderOf, isReadByShape } from "./encoder.js";
import { families, tokenLimit } from "./published.js";
import { type FoundEncoder, readBert } from "./read-bert.js";

/** Outputs of encoders that hold the last hidden state, as exporters name them. */
const hiddenStates = ["last_hidden_state", "token_embeddings", "hidden_states"];
/** Beyond rounding: another GELU differs by 1e-3, another number of heads by 1e-1. */
const largestDifference = 5e-5;

/** @throws ModelError for other graphs, naming the node, and where the rebuilt graph computes something else */
export const weightsOf: Conversion["weightsOf"] = async (folder, { label, work }) => {
  const model = readModel(folder.graph);
  const output = hiddenStateOf(model, label);
  const { config, weights } = read(model, folder, { output, label });
  const encoder = encoderOf(config, `${folder.path}/config.json`);
  const { family, layers, dimension } = encoder;
  return {
    ...{ config, weights, family, layers, dimension },
    maximumLength: await tokenLimit(folder.path, config),
    difference: await checkEqual(folder.graph, output, { encoder, weights }, { label, folder: work }),
  };
};

type Weights = ReadonlyMap<string, Tensor>;
type Config = Readonly<Record<string, unknown>>;

/** A BERT or RoBERTa of any exporter by its shape, other families by the names that pearl's graphs give their weights. */
function read(
  model: Model,
  folder: ModelFolder,
  { output, label }: { readonly output: string; readonly label: string },
): { config: Config; weights: Weights } {
  const family = String(folder.config.model_type);
  if (!(family in families) || isReadByShape(family)) {
    const heads = numberAt(folder.config, "num_attention_heads");
    const found = readBert(model, { output, label, heads });
    return { config: configOf(folder, found), weights: found.weights };
  }
  const { pearl: _, ...kept } = folder.config;
  const weights = new Map<string, Tensor>();
  encoderOf(kept, `${folder.path}/config.json`).graph((name) => {
    const found = model.graph.initializers.get(name);
    if (found === undefined)
      throw new ModelError(
        `${label}: weight ${name} is missing: of ${family}, pearl exports only graphs that it made itself. ` +
          "Start from the model's safetensors: pearl import MODEL -o OUT.",
      );
    weights.set(name, found);
    return found;
  });
  return { config: { ...kept, architectures: [families[family]], torch_dtype: "float32" }, weights };
}

function hiddenStateOf({ graph }: Model, label: string): string {
  const names = graph.outputs.map(({ name }) => name);
  const output = hiddenStates.find((name) => names.includes(name));
  if (output !== undefined) return output;
  throw new ModelError(
    `${label}: no output with a vector per token (expected ${hiddenStates.join(" or ")}, found ${names.join(", ")}). ` +
      "Export the encoder without pooling.",
  );
}

/** config.json: the source's, with everything that can be read from the graph set to that. */
function configOf({ config }: ModelFolder, found: FoundEncoder): Config {
  const { pearl: _, ...kept } = config;
  const shown = found.config;
  // Camembert and XLM-RoBERTa are RoBERTas by another name.
  const named = String(config.model_type);
  const isSameKind = named in families && (named === "bert") === (shown.model_type === "bert");
  const family = isSameKind ? named : (shown.model_type as string);
  const isApproximate = shown.hidden_act === "gelu_new" && /^gelu_/.test(String(config.hidden_act));
  return {
    ...kept,
    architectures: [families[family]],
    ...shown,
    model_type: family,
    ...(isApproximate && { hidden_act: String(config.hidden_act) }),
    position_embedding_type: "absolute",
    torch_dtype: "float32",
  };
}

/** Runs the source and a new graph. @throws ModelError where they differ by more than rounding */
async function checkEqual(
  graph: string,
  output: string,
  { encoder, weights }: { readonly encoder: Encoder; readonly weights: Weights },
  { label, folder }: { label: string; folder: string },
): Promise<number> {
  const difference = await differenceOf(
    { graph, output },
    { model: encoder.graph((name) => weights.get(name) as Tensor), output: "last_hidden_state" },
    { feeds: sampleTokens(encoder), folder },
  );
  if (difference <= largestDifference) return difference;
  const { family, layers, heads, activation } = encoder;
  throw new ModelError(
    `${label}: rebuilt as a ${family} (${layers} layers, ${heads} heads, ${activation}), the model gives different vectors (by up to ` +
      `${difference.toExponential(1)} of the largest value): its graph does something that ${family} does not.`,
  );
}

/** Every input that an encoder may have, for three rows of tokens, none of them padding. */
export function sampleTokens({
  vocabulary,
  padding,
  positions,
}: Pick<Encoder, "vocabulary" | "padding" | "positions">): Feeds {
  const dims = [3, Math.max(1, Math.min(9, positions - 2))];
  const count = dims[0] * dims[1];
  const ids = Array.from({ length: count }, (_, i) => {
    const id = (7919 * (i + 1)) % vocabulary;
    return id === padding ? (id + 1) % vocabulary : id;
  });
  const int64 = (values: number[]) => tensor("int64", dims, values) as Feeds[string];
  return {
    input_ids: int64(ids),
    attention_mask: int64(ids.map(() => 1)),
    token_type_ids: int64(ids.map(() => 0)),
    position_ids: int64(ids.map((_, i) => i % dims[1])),
  };
}

/** Largest difference of two graphs' outputs, as a share of the largest value; NaN for outputs of other shapes. */
export async function differenceOf(
  source: { readonly graph: string; readonly output: string },
  rebuilt: { readonly model: Model; readonly output: string },
  { feeds, folder }: { readonly feeds: Feeds; readonly folder: string },
): Promise<number> {
  const graph = join(folder, "check.onnx");
  writeModel(rebuilt.model, graph);
  const expected = await run(source.graph, source.output, feeds);
  const given = await run(graph, rebuilt.output, feeds);
  for (const leftover of [graph, `${graph}_data`]) await rm(leftover, { force: true });
  if (given.length !== expected.length) return Number.NaN;
  const largest = expected.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  return expected.reduce((most, value, i) => Math.max(most, Math.abs(value - given[i])), 0) / largest;
}

async function run(graph: string, output: string, feeds: Feeds): Promise<Float32Array> {
  const session = await createOrtSession(graph, { label: graph });
  try {
    const taken = Object.entries(feeds).filter(([name]) => session.inputNames.includes(name));
    return (await session.run(Object.fromEntries(taken), [output]))[output].data as Float32Array;
  } finally {
    await session.release();
  }
}
