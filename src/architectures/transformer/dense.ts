/** The modules of sentence-transformers behind pooling, as a part of the graph: linear maps with an activation (Dense). */
import { ModelError } from "../../errors.js";
import { exists } from "../../files/disk.js";
import { gelu, linear } from "../../nn/layers.js";
import { createNet, type Net, type WeightSource } from "../../nn/net.js";
import { l2Normalise, poolings } from "../../nn/pooling.js";
import { GraphBuilder } from "../../onnx/builder.js";
import { readSafetensors } from "../../onnx/io/safetensors.js";
import type { Model } from "../../onnx/model.js";
import type { Pooling } from "../architecture.js";
import { numberAt, readJson } from "../folder-json.js";
import { readModules, refuseModule, type SentenceModule } from "../sentence-modules.js";
import { checkedWeight } from "./from-weights.js";

/** @throws ModelError for a module that pearl cannot compute */
export async function checkBuildable(folder: string): Promise<void> {
  const built = ["Transformer", "StaticEmbedding", "Pooling", "Dense", "Normalize", "Dropout"];
  const odd = (await readModules(folder))?.find(({ type }) => !built.includes(type));
  refuseModule({ path: folder, oddModule: odd?.type });
}

/**
 * The graph with pooling and Dense modules in it, where a folder has some: its output is then `sentence_embedding`, float32
 * [batch, width]. Other graphs stay as they are, and give token vectors.
 * @throws ModelError that names the module's file and the cure
 */
export async function withDense<Converted extends { readonly model: Model; readonly dimension: number }>(
  converted: Converted,
  folder: string,
  pooling: Exclude<Pooling, "none">,
): Promise<Converted> {
  const modules = (await readModules(folder)) ?? [];
  if (!modules.some(({ type }) => type === "Dense")) return converted;
  const { graph } = converted.model;
  const [hidden] = graph.outputs;
  graph.outputs = [];
  const net = createNet(() => {
    throw new ModelError(`${folder}: a Dense module asks for a weight out of turn`);
  }, new GraphBuilder(converted.model));
  let value = poolings[pooling](net, { hidden: hidden.name, mask: "attention_mask" });
  let width = converted.dimension;
  for (const module of modules) {
    if (module.type === "Normalize") value = l2Normalise(net, value);
    if (module.type === "Dense") [value, width] = await dense(net, value, { module, folder, width });
  }
  net.g.output("sentence_embedding", value, "float32", ["batch_size", width]);
  return { ...converted, dimension: width };
}

const activations: Readonly<Record<string, (net: Net, x: string) => string>> = {
  Identity: (_, x) => x,
  GELU: gelu,
  ReLU: ({ g }, x) => g.add("Relu", [x]),
  Sigmoid: ({ g }, x) => g.add("Sigmoid", [x]),
  Tanh: ({ g }, x) => g.add("Tanh", [x]),
};

interface DenseOptions {
  readonly module: SentenceModule;
  readonly folder: string;
  /** Length of x's vectors. */
  readonly width: number;
}

/** @returns the map's result, and the length of its vectors */
async function dense(
  net: Net,
  x: string,
  { module: { path }, folder, width }: DenseOptions,
): Promise<[value: string, width: number]> {
  const label = `${folder}/${path}/config.json`;
  const config = await readJson(label);
  const outputs = numberAt(config ?? {}, "out_features");
  if (!config || outputs === undefined || config.in_features !== width)
    throw new ModelError(
      `${label}: a Dense module needs in_features ${width} and out_features, found ${config?.in_features} and ` +
        `${config?.out_features}. Download it again.`,
    );
  const activation = String(config.activation_function ?? "Tanh")
    .split(".")
    .at(-1) as string;
  const refuse = (what: string) => {
    throw new ModelError(`${label}: ${what}, which pearl does not build. Choose a model without it.`);
  };
  if (!Object.hasOwn(activations, activation)) refuse(`activation_function is ${activation}`);
  if (config.use_residual === true) refuse("use_residual is set");
  if ((config.module_input_name ?? "sentence_embedding") !== "sentence_embedding")
    refuse(`module_input_name is ${config.module_input_name}`);
  const weights = await weightsOf(`${folder}/${path}`);
  const options = {
    name: `${path}.linear`,
    inputs: width,
    outputs,
    bias: config.bias === false ? "none" : "trained",
  } as const;
  const named: WeightSource = (name, dims) => weights(name.slice(path.length + 1), dims);
  return [activations[activation](net, linear({ ...net, weights: named }, x, options)), outputs];
}

/** @throws ModelError for weights that are missing, pickled or misshaped */
async function weightsOf(
  folder: string,
): Promise<(name: string, dims: readonly number[]) => ReturnType<typeof checkedWeight>> {
  const file = `${folder}/model.safetensors`;
  if (!(await exists(file)))
    throw new ModelError(
      (await exists(`${folder}/pytorch_model.bin`))
        ? `${folder}/pytorch_model.bin: pearl reads safetensors only. Save the model with sentence-transformers 3 or later, ` +
            "which writes model.safetensors."
        : `${file} is missing. Download it too.`,
    );
  const tensors = readSafetensors(file);
  return (name, dims) => {
    const found = tensors.get(name);
    if (found) return checkedWeight(found, dims, `${file}: tensor ${name}`);
    throw new ModelError(`${file}: tensor ${name} is missing. Download it again.`);
  };
}
