/** Packs a trained model for release: its graph, the files that it reads, a card, and a record of its build. */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { sealFolder } from "../dist/files/sealed-folder.js";
import { writeModel } from "../dist/onnx/io/file.js";
import { writeWhole } from "./training-tables.mjs";

/** Largest size of a shipped model on disk: 30 MiB. */
const MOST_BYTES = 30 * 2 ** 20;

/**
 * @param {object} options
 * @param {string} options.model folder of the trained model
 * @param {import("../dist/onnx/model.js").Model} options.graph what is shipped of its graph
 * @param {string[]} options.vocabulary its files of words and tokens
 * @param {string} options.output folder to ship; existing files are replaced
 * @param {{ stages: Record<string, object> }} options.record seconds and machine of each stage
 * @param {string} options.tables folder with prepared.json
 * @param {any} options.recipe
 * @param {number} options.seed
 * @param {string} [options.scores] output of `pearl bench --json` for this model
 * @param {(facts: { recipe: any, config: any, record: any, reports: any[] | undefined }) => string} options.card README.md
 */
export async function pack({
  model,
  graph,
  vocabulary,
  output,
  record: build,
  tables,
  recipe,
  seed,
  scores,
  card,
}) {
  mkdirSync(join(output, "onnx"), { recursive: true });
  writeModel(graph, join(output, "onnx/model.onnx"));
  for (const name of vocabulary) copyFileSync(join(model, name), join(output, name));
  const config = { name: recipe.name, license: recipe.license, ...readJson(join(model, "config.json")) };
  const prepared = readJson(join(tables, "prepared.json"));
  const training = readJson(join(model, "training.json"));
  const reports = scores === undefined ? undefined : [readJson(scores)].flat();
  const record = { seed, stages: build.stages, tables: prepared, training };
  writeWhole(join(output, "config.json"), `${JSON.stringify(config, null, 2)}\n`);
  writeWhole(join(output, "build.json"), `${JSON.stringify(record, null, 2)}\n`);
  writeWhole(join(output, "README.md"), card({ recipe, config, record, reports }));
  await sealFolder(output);
  const bytes = folderBytes(output);
  const megabytes = (bytes / 2 ** 20).toFixed(1);
  if (bytes > MOST_BYTES) throw new Error(`${output} takes ${megabytes} MiB; the limit is 30 MiB`);
  console.error(`${output}: ${megabytes} MiB`);
}

/** @param {string} path @returns {any} */
const readJson = (path) => JSON.parse(readFileSync(path, "utf8"));

/** @param {string} folder */
const folderBytes = (folder) =>
  readdirSync(folder, { recursive: true })
    .map((name) => statSync(join(folder, String(name))))
    .reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0);
