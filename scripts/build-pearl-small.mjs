/**
 * Builds pearl-small from all-MiniLM-L6-v2, with the settings in scripts/pearl-small/recipe.yaml: tables and corpus of
 * pearl-mini, trainings on pairs, PEARL's method with pearl-mini's word encoder beside the transformer, small integers. The
 * recipe names the packages to install first.
 *
 *     npm run build && node scripts/build-pearl-small.mjs --work WORK --base FOLDER [--data ../shared/data] [--seed 0]
 *         [--recipe FILE] [--until tables|corpus|pairs|method|pack] [--scores BENCH.json]
 *         [-o MODEL]
 *
 * FOLDER holds the base's weights. The script skips stages that are finished in WORK and resumes an interrupted one.
 * WORK/build.json records the seconds and the machine of each stage. --scores is the output of `pearl bench --json`, for
 * the model card. MODEL is WORK/pearl-small by default. benchmarks/pearl-small.md says what was tried.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stringify } from "yaml";
import { readModel } from "../dist/onnx/io/file.js";
import { storeIntegers } from "../dist/onnx/rewrite/stored.js";
import { pack } from "./pack-model.mjs";
import { averageModels } from "./pearl-mini/finish/average.mjs";
import { prepare } from "./pearl-mini/prepare.mjs";
import { readRecipe } from "./pearl-mini/recipe.mjs";
import { smallCard } from "./pearl-small/card.mjs";
import { pairsBySource, writePairs } from "./pearl-small/tables.mjs";
import { flags, openBuild, pearl, runStages } from "./stages.mjs";
import { writeWhole } from "./training-tables.mjs";

const build = openBuild(["tables", "corpus", "pairs", "method", "pack"], {
  recipe: fileURLToPath(new URL("pearl-small/recipe.yaml", import.meta.url)),
  needed: ["work", "base"],
});
const { work, data, base, recipe, seed, tables, corpus, synonyms, once } = build;
const inWork = (/** @type {string[]} */ ...names) => join(work, ...names);
const [mean, model] = ["pairs", "model"].map((name) => inWork(name));
const machine = ["--threads", String(recipe.threads), "--seed", String(seed), "--yes"];
const resuming = ["--checkpoint-every", "50", "--resume"];

const isModel = (/** @type {string} */ folder) => existsSync(join(folder, "config.json"));

/** @param {{ options: Record<string, string | number>, settings?: Record<string, unknown> }} of */
const flagsOf = ({ options, settings = {} }) => [
  ...flags(options),
  ...Object.entries(settings).flatMap(([name, value]) => ["--set", `${name}=${value}`]),
];

async function makeTables() {
  const ofMini = readRecipe();
  await prepare({ data, output: tables, recipe: ofMini, seed: ofMini.seed });
  const sources = pairsBySource(synonyms, recipe.longest);
  for (const [i, own] of recipe.pairs.entries())
    await writePairs(join(tables, `pairs-${i}.tsv`), sources, { ...own, seed: recipe.seed + i });
}

/** The mean of trainings that start from the base. */
async function makeMean() {
  const folders = recipe.pairs.map((/** @type {unknown} */ _, /** @type {number} */ i) =>
    inWork(`pairs-${i}`),
  );
  for (const [i, own] of recipe.pairs.entries()) {
    if (isModel(folders[i])) continue;
    const table = join(tables, `pairs-${i}.tsv`);
    await pearl(
      ...["finetune", "--base", base, "--pairs", table, "--objective", "nt-xent", "--validate", "0"],
      ...[...flagsOf(own), ...machine, ...resuming, "-o", folders[i]],
    );
  }
  averageModels(folders, mean);
}

async function makeModel() {
  if (isModel(model)) return;
  const preset = inWork("method.yaml");
  writeWhole(preset, stringify(recipe.method.settings));
  await pearl(
    ...["train", "--corpus", corpus, "--preset", preset, "--base", mean],
    ...["--steps", String(recipe.method.steps), ...machine, ...resuming, "-o", model],
  );
}

/** What decides the tables; options of trainings do not. */
const ofTables = [
  ...recipe.pairs.map((/** @type {any} */ { pairs, shares }) => ({ pairs, shares })),
  recipe.longest,
];

const stages = [
  () => once("tables", ofTables, makeTables),
  () => once("corpus", [], build.makeCorpus),
  () => once("pairs", [recipe.pairs, seed], makeMean),
  () => once("method", [recipe.method, seed], makeModel),
  () =>
    pack({
      ...{ model, vocabulary: ["tokenizer.json", "words.txt"], card: smallCard },
      graph: storeIntegers(readModel(join(model, "onnx/model.onnx")), { tables: 4 }),
      ...build,
    }),
];
await runStages(stages.slice(0, build.last + 1));
