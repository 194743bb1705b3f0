/** Several trainings from one start become one model: their weights' mean (Wortsman et al., 2022, "Model soups"). */
import { cpSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { ENTITY_TYPES, FINE_TYPES } from "../../dist/corpus/index.js";
import { readModel, tensor, writeModel } from "../../dist/onnx/index.js";
import { averageWeights } from "../../dist/training/weight-average.js";

/**
 * Writes the weighted mean of models of one architecture. Files beside the graph are the first model's, and training.json
 * lists every training.
 * @param {{ folder: string, share: number }[]} models folders that `pearl finetune` wrote, tables as float32
 * @param {string} output
 * @param {string} [typeHead] one of the folders, whose layers of types are taken as they are
 */
export function averageModels(models, output, typeHead) {
  const graphs = models.map(({ folder }) => readModel(join(folder, "onnx/model.onnx")));
  const own = graphs.map((model, i) => floatsOf(model, models[i].folder));
  const weights = own.map((floats) => withKindsOf(own[0], floats));
  const names = String([...weights[0].keys()]);
  const odd = weights.findIndex((floats) => String([...floats.keys()]) !== names);
  if (odd > 0) throw new Error(`${models[odd].folder} and ${models[0].folder} are different architectures`);
  let total = models[0].share;
  let mean = averageWeights(weights[0], weights[0]);
  for (const [i, { share }] of models.entries()) {
    if (i === 0) continue;
    mean = averageWeights(mean, weights[i], { share: total / (total + share) });
    total += share;
  }
  const head = models.findIndex(({ folder }) => folder === typeHead);
  if (typeHead !== undefined && head < 0) throw new Error(`${typeHead} is not among the averaged`);
  if (head >= 0)
    for (const [name, weight] of weights[head]) if (/^(?:type|class)_/.test(name)) mean.set(name, weight);
  for (const [name, { dims, data }] of mean)
    graphs[0].graph.initializers.set(name, tensor("float32", dims, data));
  const temporary = `${output}.partial`;
  rmSync(temporary, { recursive: true, force: true });
  // of a link the folder itself: what is written below must not reach the training
  cpSync(realpathSync(models[0].folder), temporary, { recursive: true, dereference: true });
  writeModel(graphs[0], join(temporary, "onnx/model.onnx"));
  const averaged = models.map(({ folder, share }) => ({
    ...{ name: basename(folder), share },
    ...JSON.parse(readFileSync(join(folder, "training.json"), "utf8")),
  }));
  const { name: _, share: __, ...first } = averaged[0];
  writeFileSync(join(temporary, "training.json"), `${JSON.stringify({ ...first, averaged }, null, 2)}\n`);
  renameSync(temporary, output);
}

/**
 * The weights of a model that tells no kinds of OTHER apart, for an average with one that does: each kind gets OTHER's
 * row, and an equal part of its probability.
 * @param {Map<string, any>} first @param {Map<string, any>} floats
 */
function withKindsOf(first, floats) {
  const [bias, weight] = ["type_out.bias", "type_out.weight"].map((name) => floats.get(name));
  const types = bias?.data.length;
  const wanted = first.get("type_out.bias")?.data.length;
  if (types !== ENTITY_TYPES.length || wanted !== FINE_TYPES.length) return floats;
  const other = types - 1;
  const inputs = weight.data.length / types;
  const grown = new Float32Array(wanted * inputs);
  for (let type = 0; type < wanted; type++) {
    const row = Math.min(type, other) * inputs;
    grown.set(weight.data.subarray(row, row + inputs), type * inputs);
  }
  const part = Math.log(wanted - other);
  const shifted = Float32Array.from({ length: wanted }, (_, type) =>
    type < other ? bias.data[type] : bias.data[other] - part,
  );
  return new Map(floats)
    .set("type_out.bias", tensor("float32", [wanted], shifted))
    .set("type_out.weight", tensor("float32", [wanted, inputs], grown));
}

/** Weights that are trained; constants are equal in all. @param {any} model @param {string} folder */
function floatsOf({ graph }, folder) {
  if ([...graph.initializers.values()].some(({ type }) => type === "int8"))
    throw new Error(`${folder}: tables are int8; average before they are rounded`);
  return new Map(
    [...graph.initializers].filter(([, { type, data }]) => type === "float32" && data.length > 1),
  );
}
