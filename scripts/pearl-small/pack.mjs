/** Packs pearl-small for release: int8 weights, a card, and a record of its build. */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { sealFolder } from "../../dist/files/sealed-folder.js";
import { readModel, writeModel } from "../../dist/onnx/io/file.js";
import { storeInt8 } from "../../dist/onnx/rewrite/stored.js";
import { averageWeights } from "../../dist/pearl/weight-average.js";
import { modelIndex } from "../model-index.mjs";
import { number, originsTable, reportOf, scoresOf, tableOf } from "../pearl-mini/finish/card.mjs";
import { writeWhole } from "../training-tables.mjs";

/**
 * The trained model with its transformer's weights averaged with those of another; the character encoder and the type head
 * stay.
 * @param {string} model @param {string} other @param {number} share weight of the model's
 */
function averaged(model, other, share) {
  const trained = readModel(join(model, "onnx/model.onnx"));
  const { initializers } = readModel(join(other, "onnx/model.onnx")).graph;
  const floats = [...trained.graph.initializers].filter(([, { type }]) => type === "float32");
  for (const [name, weight] of averageWeights(new Map(floats), initializers, { share }))
    trained.graph.initializers.set(name, weight);
  return trained;
}

/** Largest size of a shipped model on disk: 30 MiB. */
const MOST_BYTES = 30 * 2 ** 20;

/**
 * @param {object} options
 * @param {string} options.model folder of the trained model
 * @param {string} options.mean folder of the mean of the trainings on pairs
 * @param {string} options.output folder to ship; existing files are replaced
 * @param {{ stages: Record<string, import("../pearl-mini/stages.mjs").Stage> }} options.build seconds and machine of each
 *   stage
 * @param {string} options.tables folder with prepared.json
 * @param {any} options.recipe
 * @param {string} [options.scores] output of `pearl bench --json` for this model
 */
export async function packSmall({ model, mean, output, build, tables, recipe, scores }) {
  mkdirSync(join(output, "onnx"), { recursive: true });
  const { shareOfMean } = recipe.finish;
  const weights = averaged(model, mean, 1 - shareOfMean);
  writeModel(storeInt8(weights), join(output, "onnx/model.onnx"));
  copyFileSync(join(model, "tokenizer.json"), join(output, "tokenizer.json"));
  const config = { name: recipe.name, license: recipe.license, ...readJson(join(model, "config.json")) };
  const prepared = readJson(join(tables, "prepared.json"));
  const record = { stages: build.stages, tables: prepared, training: readJson(join(model, "training.json")) };
  const reports = scores === undefined ? undefined : [readJson(scores)].flat();
  writeWhole(join(output, "config.json"), `${JSON.stringify(config, null, 2)}\n`);
  writeWhole(join(output, "build.json"), `${JSON.stringify(record, null, 2)}\n`);
  writeWhole(join(output, "README.md"), card({ recipe, config, record, reports }));
  await sealFolder(output);
  const bytes = readdirSync(output, { recursive: true })
    .map((name) => statSync(join(output, String(name))))
    .reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0);
  const megabytes = (bytes / 2 ** 20).toFixed(1);
  if (bytes > MOST_BYTES) throw new Error(`${output} takes ${megabytes} MiB; the limit is 30 MiB`);
  console.error(`${output}: ${megabytes} MiB`);
}

/** @param {string} path @returns {any} */
const readJson = (path) => JSON.parse(readFileSync(path, "utf8"));

/** README.md of the model. */
function card({ recipe, config, record, reports }) {
  const { name, base, pairs, imitation, method } = recipe;
  const own = reports && reportOf(name, reports);
  const stages = Object.entries(record.stages).map(([stage, { seconds, machine }]) => [
    ...[stage, (seconds / 60).toFixed(1), `${machine.processor}, ${machine.cores} cores`],
  ]);
  return `---
license: ${recipe.license}
language: en
library_name: pearl
pipeline_tag: feature-extraction
base_model: ${base}
tags: [pearl, phrase-embeddings, onnx]
${own ? `${modelIndex(name, own)}\n` : ""}---

# ${name}

Phrase embeddings with ${config.pearl.dimension} dimensions and a head for ${config.pearl.types.length} phrase types: ${base}
(Apache-2.0), a transformer, concatenated with a character encoder, trained with pearl. It works offline.

    pearl encode phrases.csv --model ${name}

## Scores

${own ? scoresOf(name, own) : `Not measured yet. Run \`pearl bench --model ${name}\`.`}

## Training

scripts/pearl-small/recipe.yaml holds every setting, and build.json is the record of the build.
\`node scripts/build-${name}.mjs --work WORK --base FOLDER\` builds the model again from the base.

1. ${pairs.length} trainings on pairs, each from the base: ${pairs.map((own) => `${number(own.pairs)} pairs, ${own.options.steps} steps, averaged with the base at ${own.settings.averageWithBase}`).join("; ")}. Their mean goes on.
2. It imitates the mean of its own cosines and those of ${imitation.teachers.join(" and ")}, for ${imitation.options.steps} steps.
3. PEARL's method (Chen, Varoquaux and Suchanek, 2024): hashed n-grams beside the transformer, twins by augmentation, known
   synonyms, the type head; ${method.steps} steps, averaged at ${method.settings.averageWithBase}.
4. The transformer's weights are averaged with the mean of step 1, which has ${recipe.finish.shareOfMean} of them.

Weights are stored as int8 with a scale for each row of a table and each column of a product, and computed in float32: vectors
do not depend on the batch or the processor.

${tableOf(["stage", "minutes", "machine"], stages)}

## Data and licences

The tables are those of pearl-mini, and so are the pairs that are left out: those of the evaluation sets (as text for the half
at hand, as hashes for the other half), the synsets behind Turney's questions, typed mentions of CoNLL-2003 and BC5CDR, titles
of YAGO's dictionary and of AutoFJ's tables, and sources for research only. What the base has read is not known to this
recipe: its authors list its data.

${originsTable(record.tables.kept["synonyms.tsv"])}

## Limits

- The model is for English phrases of up to a dozen words. It reads lower case; only its n-grams see capitals.
- Misspelt words are found less often than by pearl-mini and pearl-strings.
- The data has the gaps and biases of Wikipedia and of web lists.
`;
}
