/**
 * One graph from parts (Chen, Varoquaux and Suchanek, 2024, section 3): the pooled vector of a transformer and the
 * vector of a character encoder, concatenated. At unit length it is the output `embedding`; a linear map of it is the
 * output `type_logits`.
 */
import { ModelError } from "../errors.js";
import { createNet, fromSeed, fromTensors, type Net, number, type WeightSource } from "../nn/net.js";
import { l2Normalise, poolings } from "../nn/pooling.js";
import { GraphBuilder } from "../onnx/builder.js";
import { prune } from "../onnx/graph.js";
import { copyModel, type Graph, type Model } from "../onnx/model.js";
import { upgradeOpset } from "../onnx/rewrite/upgrade.js";
import type { Assembled, ModelFolder, ModelPart } from "./architecture.js";
import { chooseOutput, EMBEDDING, TYPE_LOGITS } from "./architecture.js";
import { typeLogits } from "./type-head.js";

/** The value that both outputs are computed from, float32 [rows, width]; training cuts the graph here. */
export const phraseVector = "phrase_vector";

/** Length of each encoder's part of the vector before both are joined; its share of a cosine is the square. */
export interface BlockLengths {
  readonly phrase: number;
  readonly characters: number;
}

interface AssembleOptions {
  /** The transformer's folder and graph; default: characters alone. */
  readonly base?: { readonly folder: ModelFolder; readonly model: Model };
  readonly characters?: ModelPart;
  /** Default: vectors are joined unscaled, as in PEARL. */
  readonly blocks?: BlockLengths;
  readonly types: readonly string[];
  /** Of new weights. */
  readonly seed: number;
}

/**
 * Builds the graph. A base that was assembled before keeps its parts; its type head stays where the types are the
 * same, and is replaced where they differ.
 * @throws ModelError where the base has no vectors, two character encoders meet, or nothing is left to build
 */
export function assembleModel(options: AssembleOptions): Assembled {
  const { base, characters, blocks, types, seed } = options;
  const start = base ? baseGraph(base.model, base.folder, characters !== undefined) : undefined;
  const net = createNet(fromSeed(seed), new GraphBuilder(start?.model ?? { name: "pearl" }));
  const { g } = net;
  const features = [...(base?.folder.features ?? []), ...(characters?.features ?? [])];
  if (characters && features.length > characters.features.length + 1)
    throw new ModelError(
      `${base?.folder.path}: the base already has a character encoder. Train it without a second one (--set characters=none).`,
    );
  const parts: { value: string; width: number; length?: number }[] = [];
  if (start) parts.push({ value: start.vector(net), width: start.width, length: blocks?.phrase });
  if (characters) {
    const value = characters.build(net);
    parts.push({ value, width: characters.width, length: blocks?.characters });
  }
  if (parts.length === 0) throw new ModelError("a model needs a transformer, a character encoder, or both");
  const width = parts.reduce((sum, part) => sum + part.width, 0);
  const vector = joined(net, parts);
  g.output(EMBEDDING, l2Normalise(net, vector), "float32", ["batch", width]);
  if (types.length > 0) {
    // a head of other types, or of a shorter vector, is replaced
    const isKept = start && !characters && sameTypes(base?.folder, types);
    const source = isKept ? start.head : net.weights;
    const logits = typeLogits({ g, weights: source }, vector, { width, types: types.length });
    g.output(TYPE_LOGITS, logits, "float32", ["batch", types.length]);
  }
  const both = parts.length === 2 ? ([parts[0].width, parts[1].width] as const) : undefined;
  const section = characters?.section ?? furtherKeys(base?.folder);
  const files = characters?.files;
  return { model: g.model(), width, features, types, section, files, ...(both && { parts: both }) };
}

/** An architecture's own keys in the section `pearl` of config.json. */
function furtherKeys(folder: ModelFolder | undefined): Readonly<Record<string, unknown>> {
  const section = (folder?.config.pearl ?? {}) as Readonly<Record<string, unknown>>;
  const { format, dimension, features, types, device, ...further } = section;
  return further;
}

function joined(net: Net, parts: readonly { readonly value: string; readonly length?: number }[]): string {
  const { g } = net;
  if (parts.length === 1 && parts[0].value === phraseVector) return phraseVector;
  const scaled = parts.map(({ value, length }) =>
    length === undefined ? value : g.add("Mul", [l2Normalise(net, value), number(net, length)]),
  );
  const op = scaled.length === 1 ? "Identity" : "Concat";
  return g.add(op, scaled, op === "Concat" ? { axis: -1 } : {}, { outputs: [phraseVector] });
}

interface BaseGraph {
  readonly model: Model;
  readonly head: WeightSource;
  readonly width: number;
  vector(net: Net): string;
}

/** The base without heads of an earlier training, and where its vectors are. */
function baseGraph(given: Model, folder: ModelFolder, isJoined: boolean): BaseGraph {
  // pooling and head are written for sets since 13, where axes became inputs; character encoders for 17
  const oldest = isJoined ? 17 : 13;
  const model = copyModel((given.opsets[""] ?? 17) < oldest ? upgradeOpset(given) : given);
  const { graph } = model;
  const head = fromTensors(new Map(graph.initializers), folder.graph);
  if (graph.nodes.some(({ outputs }) => outputs.includes(phraseVector))) {
    const width = widthOf(folder, folder.dimension);
    const kept = graph.outputs.filter(({ name }) => name !== EMBEDDING && name !== TYPE_LOGITS);
    graph.outputs = [...kept, { name: phraseVector }];
    prune(graph);
    graph.outputs = kept;
    const value = isJoined ? renamed(graph, phraseVector) : phraseVector;
    return { model, head, width, vector: () => value };
  }
  const names = graph.outputs.map(({ name }) => name);
  const chosen = chooseOutput(names, folder);
  const output = chosen === EMBEDDING ? renamed(graph, chosen) : chosen;
  const shape = graph.outputs.find(({ name }) => name === output)?.shape;
  const last = shape?.at(-1);
  const width = widthOf(folder, typeof last === "number" ? last : folder.dimension);
  return { model, head, width, vector: (net) => pooled(net, output, shape?.length, folder) };
}

function widthOf({ path }: ModelFolder, width: number | undefined): number {
  if (width !== undefined) return width;
  throw new ModelError(`${path}/config.json: hidden_size is missing, which a type head needs`);
}

/** Renames a value, so that a new output can have its name. */
function renamed(graph: Graph, name: string): string {
  const inner = `${name}_of_base`;
  graph.outputs = graph.outputs.map((output) => (output.name === name ? { ...output, name: inner } : output));
  for (const node of graph.nodes) {
    node.inputs = node.inputs.map((input) => (input === name ? inner : input));
    node.outputs = node.outputs.map((output) => (output === name ? inner : output));
  }
  return inner;
}

function pooled(net: Net, output: string, rank: number | undefined, { pooling }: ModelFolder): string {
  if (rank === 2) return output;
  if (pooling === "cls") return poolings.cls(net, { hidden: output, mask: "" });
  const { g } = net;
  const mask = "attention_mask";
  if (!g.graph.inputs.some(({ name }) => name === mask)) g.input(mask, "int64", ["batch", "length"]);
  return poolings[pooling === "none" ? "mean" : pooling](net, { hidden: output, mask });
}

const sameTypes = (folder: ModelFolder | undefined, types: readonly string[]): boolean =>
  folder !== undefined && folder.types.join("\t") === types.join("\t");
