/**
 * Averages the weights of trainings that start from the same weights (Wortsman et al., 2022, "Model soups").
 */
import { cpSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { readModel, writeModel } from "../../../dist/onnx/io/file.js";
import { averageWeights } from "../../../dist/pearl/presets.js";
import { forgetChecksums } from "./forget-checksums.mjs";

/** Weights of the spelling part: src/architectures/pearl-mini/encoder.ts. */
const OF_SPELLING = /^(?:ngrams|char_weight|char_flag|char_weight_rare)\./;

/**
 * Writes the mean of models with the same architecture. All files but the graph are copied from the first
 * model, and training.json lists every training.
 * @param {readonly string[]} folders outputs of `pearl finetune`, tables as float32
 * @param {string} output
 * @param {{ spellingOf?: number }} [options] the number of models, from the first, whose spelling weights are
 *   averaged; default all
 */
export function averageModels(folders, output, { spellingOf = folders.length } = {}) {
  const graphs = folders.map((folder) => readModel(join(folder, "onnx/model.onnx")));
  const weights = graphs.map(({ graph }, i) => trained(graph, folders[i]));
  const shapes = weights.map((own) => String([...own].map(([name, { dims }]) => `${name} ${dims}`)));
  const odd = shapes.findIndex((shape) => shape !== shapes[0]);
  if (odd > 0) throw new Error(`${folders[odd]} and ${folders[0]} have different architectures`);
  const spelling = meanOf(weights.slice(0, spellingOf));
  for (const [name, weight] of meanOf(weights))
    graphs[0].graph.initializers.set(name, OF_SPELLING.test(name) ? spelling.get(name) : weight);
  const temporary = `${output}.partial`;
  rmSync(temporary, { recursive: true, force: true });
  // follow links: the writes below must not change the folder of the training
  cpSync(realpathSync(folders[0]), temporary, { recursive: true, dereference: true });
  forgetChecksums(temporary);
  writeModel(graphs[0], join(temporary, "onnx/model.onnx"));
  const averaged = folders.map((folder) => ({
    name: basename(folder),
    ...JSON.parse(readFileSync(join(folder, "training.json"), "utf8")),
  }));
  const { name: _, ...first } = averaged[0];
  writeFileSync(join(temporary, "training.json"), `${JSON.stringify({ ...first, averaged }, null, 2)}\n`);
  rmSync(output, { recursive: true, force: true });
  renameSync(temporary, output);
}

/** @param {readonly Map<string, any>[]} weights */
const meanOf = (weights) => weights.reduce((sum, own, i) => averageWeights(sum, own, { share: i / (i + 1) }));

/**
 * Returns the trained weights; constants are equal in all models.
 * @param {any} graph @param {string} folder @returns {Map<string, any>}
 */
function trained({ initializers }, folder) {
  if ([...initializers.values()].some(({ type }) => type === "int8"))
    throw new Error(`${folder}: tables are int8. Average models before quantisation.`);
  return new Map([...initializers].filter(([, { type, data }]) => type === "float32" && data.length > 1));
}
