/** Static models as model2vec saves them: a phrase is the mean of its tokens' vectors, which no layer changes. */
import { ModelError } from "../../errors.js";
import { createNet } from "../../nn/net.js";
import { l2Normalise, meanPooling } from "../../nn/pooling.js";
import { readModel } from "../../onnx/io/file.js";
import { toFloat32 } from "../../onnx/io/float16.js";
import { type Tensor, tensor } from "../../onnx/tensor.js";
import { readTokenizerFile } from "../../text/tokenizer-file.js";
import type { Conversion } from "../conversion.js";
import { numberAt } from "../folder-json.js";
import { staticFamily } from "./published.js";
import { differenceOf, sampleTokens } from "./to-weights.js";

const defaultLength = 512;

/**
 * The graph of input_ids and attention_mask, int64 [batch, length], with the output sentence_embedding, float32 [batch, dimension].
 * Unknown tokens do not count. Vectors may be shared by several tokens (`mapping`) and weighed by token (`weights`).
 * @throws ModelError for weights that are missing or misshaped
 */
export const staticGraph: Conversion["graphOf"] = async ({ folder, config, tensors }) => {
  const found = await tensors();
  const vectors = found.get("embeddings")?.tensor ?? found.get("embedding.weight")?.tensor;
  const label = `${folder}/model.safetensors`;
  if (vectors?.dims.length !== 2)
    throw new ModelError(`${label}: a static model needs a table "embeddings". Download the weights again.`);
  const [rows, dimension] = vectors.dims;
  const table = float32Of(vectors, label, "embeddings");
  const [mapping, weights] = ["mapping", "weights"].map((name) => found.get(name)?.tensor);
  const tokens = (mapping ?? vectors).dims[0];
  if (weights !== undefined && weights.dims[0] !== tokens)
    throw new ModelError(
      `${label}: ${tokens} tokens have ${weights.dims[0]} weights. Download the weights again.`,
    );
  const net = createNet(() => {
    throw new ModelError(`${label}: a weight was asked for out of turn`);
  });
  const { g } = net;
  const shape = ["batch_size", "sequence_length"];
  const ids = g.input("input_ids", "int64", shape);
  const given = g.input("attention_mask", "int64", shape);
  const unknown = await unknownToken(folder);
  const isKnown = g.add("Not", [g.add("Equal", [ids, g.scalar("int64", unknown)])]);
  const mask = g.add("Mul", [given, g.cast(isKnown, "int64")]);
  const places =
    mapping === undefined
      ? ids
      : g.add("Gather", [g.weight("mapping", wholeNumbers(mapping, rows, label)), ids]);
  let hidden = g.add("Gather", [g.weight("embeddings", table), places]);
  if (weights !== undefined) {
    const own = g.weight("weights", { ...float32Of(weights, label, "weights"), dims: [tokens, 1] });
    hidden = g.add("Mul", [hidden, g.add("Gather", [own, ids])]);
  }
  const mean = meanPooling(net, { hidden, mask });
  const value = config.normalize === true ? l2Normalise(net, mean) : mean;
  g.output("sentence_embedding", value, "float32", ["batch_size", dimension]);
  const maximumLength = numberAt(config, "max_length") ?? defaultLength;
  return {
    model: g.model(),
    family: staticFamily,
    isStatic: true,
    layers: 0,
    dimension,
    maximumLength,
    types: [vectors.type],
  };
};

/** The table of a graph that pearl made, also after a training, as model2vec loads it. @throws ModelError for another graph */
export const staticWeights: Conversion["weightsOf"] = async (folder, { label, work }) => {
  const { initializers } = readModel(folder.graph).graph;
  const weights = new Map<string, Tensor>();
  for (const name of ["embeddings", "mapping", "weights"]) {
    const found = initializers.get(name);
    if (found !== undefined)
      weights.set(name, name === "weights" ? { ...found, dims: [found.dims[0]] } : found);
  }
  const { pearl: _, ...kept } = folder.config;
  const config = { ...kept, embedding_dtype: "float32" };
  const published = new Map([...weights].map(([name, tensor]) => [name, { tensor, file: label }] as const));
  const {
    model,
    types: __,
    ...found
  } = await staticGraph({
    ...{ folder: folder.path, config },
    tensors: () => Promise.resolve(published),
  });
  const [vocabulary] = (weights.get("mapping") ?? weights.get("embeddings")!).dims;
  const output = "sentence_embedding";
  const feeds = sampleTokens({ vocabulary, padding: -1, positions: found.maximumLength });
  const difference = await differenceOf(
    { graph: folder.graph, output },
    { model, output },
    { feeds, folder: work },
  );
  if (difference < 1e-5) return { ...found, config, weights, difference };
  throw new ModelError(
    `${label}: the graph is not the mean of a table's vectors. Export a model that pearl distilled or imported.`,
  );
};

/** Vectors of 8 bits are whole numbers without a scale: their lengths do not count. */
function float32Of(given: Tensor, label: string, name: string): Tensor {
  const wide =
    given.type === "int8" ? tensor("float32", given.dims, Array.from(given.data, Number)) : toFloat32(given);
  if (wide !== undefined) return wide;
  throw new ModelError(
    `${label}: tensor ${name} is ${given.type}. Take a model in float32, float16, bfloat16 or int8.`,
  );
}

function wholeNumbers(given: Tensor, rows: number, label: string): Tensor {
  const places = Array.from(given.data, Number);
  const odd = places.find((place) => !(Number.isInteger(place) && place >= 0 && place < rows));
  if (odd === undefined) return tensor("int64", given.dims, BigInt64Array.from(places, BigInt));
  throw new ModelError(
    `${label}: the mapping leads to vector ${odd} of ${rows}. Download the weights again.`,
  );
}

/** The number of the tokenizer's unknown token, -1 without one. @throws ModelError */
async function unknownToken(folder: string): Promise<number> {
  const { model = {} } = JSON.parse((await readTokenizerFile(folder)) ?? "{}") as {
    model?: { unk_token?: string; unk_id?: number; vocab?: Record<string, number> };
  };
  return model.unk_id ?? (Array.isArray(model.vocab) ? -1 : (model.vocab?.[model.unk_token ?? ""] ?? -1));
}
