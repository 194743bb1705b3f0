/**
 * Makes pearl-mini again, from data to card: tables, corpus, pretraining, fine-tunings, their average, packing, each as
 * models/pearl-mini/recipe.yaml says.
 *
 *     npm run build && node scripts/build-pearl-mini.mjs --work WORK [--data ../shared/data] [--seed 0]
 *         [--recipe FILE] [--until tables|corpus|pretrain|finetune] [--scores BENCH.json] [-o models/pearl-mini]
 *
 * What is finished in WORK is not done again, and an interrupted stage goes on from its last checkpoint.
 * WORK/build.json tells seconds and machine of each stage. --scores are those of `pearl bench --json`, for the card.
 */
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { stringify } from "yaml";
import { averageModels } from "./pearl-mini/average.mjs";
import { pack } from "./pearl-mini/pack.mjs";
import { prepare } from "./pearl-mini/prepare.mjs";
import { defaultData, readRecipe, recipePath } from "./pearl-mini/recipe.mjs";
import { fitShares, phrasesOfGroups } from "./pearl-mini/shares.mjs";
import { openStages, pearl } from "./pearl-mini/stages.mjs";
import { whitenModel } from "./pearl-mini/whiten.mjs";

const { values } = parseArgs({
  options: {
    work: { type: "string" },
    data: { type: "string", default: defaultData },
    recipe: { type: "string", default: recipePath },
    seed: { type: "string" },
    until: { type: "string", default: "pack" },
    scores: { type: "string" },
    output: { type: "string", short: "o", default: dirname(recipePath) },
  },
});
const stageNames = ["tables", "corpus", "pretrain", "finetune", "pack"];
const last = stageNames.indexOf(values.until);
if (values.work === undefined || last < 0) {
  console.error(
    values.work === undefined
      ? "error: give a folder for the work: --work WORK"
      : `error: --until must be one of ${stageNames.join(", ")}`,
  );
  process.exit(2);
}
const work = resolve(values.work);
const data = resolve(values.data);
const recipe = readRecipe(values.recipe);
const seed = Number(values.seed ?? recipe.seed);
mkdirSync(work, { recursive: true });
const { record, once } = openStages(work);
const [tables, corpus, pretrained, model] = ["tables", "corpus", "pretrained", "model"].map((name) =>
  join(work, name),
);
const synonyms = join(tables, "synonyms.tsv");
const texts = recipe.pretrain.texts.map((/** @type {string} */ name) => join(tables, "text", `${name}.txt`));
/** @param {number} ownSeed */
const machineOf = (ownSeed) => [
  ...["--device", recipe.device, "--threads", String(recipe.threads)],
  ...["--seed", String(ownSeed), "--checkpoint-every", "100", "--resume"],
];

/** The tables are of the recipe's seed whatever the run's: runs differ in training alone. */
const makeTables = () => prepare({ data, output: tables, recipe, seed: recipe.seed });

/** What stands under its name is whole: a cut between that and the record does no harm. @param {string} file */
const unlessThere = (file, /** @type {() => Promise<void>} */ make) => async () => {
  if (!existsSync(file)) await make();
};

const makeCorpus = unlessThere(join(corpus, "corpus.json"), () =>
  pearl(
    ...["corpus", "build", "--no-quotes", "--phrases", join(tables, "phrases.tsv")],
    ...["--synonyms", synonyms, "--resume", "-o", corpus],
  ),
);

const makePretrained = unlessThere(join(pretrained, "config.json"), () =>
  pearl(
    ...["pretrain", ...texts, "--also-words", join(tables, recipe.pretrain.alsoWords)],
    ...[...flags(recipe.pretrain.options), ...machineOf(seed), "-o", pretrained],
  ),
);

/**
 * One fine-tuning of several: what it starts from, `pretrained` if nothing is said, an earlier one or its base, or the
 * average of some with their shares, whitened by so many phrases where that is said; settings of its own; what is added to the seed.
 * @typedef {{ name: string, from?: string | Record<string, number>, settings?: object, steps?: number, seed?: number,
 *   whiten?: import("./pearl-mini/whiten.mjs").Powers & { phrases: number } }} Training
 */
/** @type {Training[]} */
const trainings = recipe.finetune.trainings;
const trained = trainings.map(({ name }) => join(work, name));
/** @type {Record<string, number>} */
const averageShares = recipe.finetune.average;

/**
 * @param {Record<string, number>} parts @param {string} output @param {(folder: string) => Promise<void>} finish
 * @param {string} [typeHead] one of the parts
 */
const makeAverage = (parts, output, finish, typeHead) =>
  unlessThere(join(output, "config.json"), async () => {
    const models = Object.entries(parts).map(([name, share]) => ({ folder: join(work, name), share }));
    const mean = `${output}.mean`;
    rmSync(mean, { recursive: true, force: true }); // of a work that was cut off
    averageModels(models, mean, typeHead && join(work, typeHead));
    await finish(mean);
    renameSync(mean, output);
  });

/** @param {Training["whiten"]} settings */
const whitening = (settings) => async (/** @type {string} */ folder) => {
  if (settings === undefined) return;
  const { phrases, ...powers } = settings;
  const [sample] = phrasesOfGroups(synonyms, [{}], { phrases, seed: recipe.seed });
  await whitenModel(folder, sample, powers);
};

const sharing = async (/** @type {string} */ folder) => {
  const { phrases, groups } = recipe.finetune.shares;
  await fitShares(folder, groups, phrasesOfGroups(synonyms, groups, { phrases, seed: recipe.seed }));
};

/** @param {Training} training @param {number} place */
const makeTraining = (
  { name, from = "pretrained", whiten, settings, steps = recipe.finetune.steps, seed: added = 0 },
  place,
) =>
  unlessThere(join(trained[place], "config.json"), async () => {
    const base = join(work, typeof from === "string" ? from : `${name}-base`);
    if (typeof from !== "string") await makeAverage(from, base, whitening(whiten))();
    const preset = join(work, `${name}.yaml`);
    writeFileSync(`${preset}.partial`, stringify({ ...recipe.finetune.settings, ...settings }));
    renameSync(`${preset}.partial`, preset);
    return pearl(
      ...["finetune", "--corpus", corpus, "--preset", preset, "--base", base, "--context", ...texts],
      ...["--steps", String(steps), ...machineOf(seed + added), "-o", trained[place]],
    );
  });

/** @param {Record<string, string | number>} options */
const flags = (options) => Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);

const stages = [
  () => once("tables", recipe.data, makeTables),
  () => once("corpus", recipe.data, makeCorpus),
  () => once("pretrain", [recipe.pretrain, seed], makePretrained),
  async () => {
    const { trainings: _, average: __, typeHead: ___, shares: ____, ...common } = recipe.finetune;
    for (const [place, training] of trainings.entries())
      await once(`finetune ${training.name}`, [common, training, seed], makeTraining(training, place));
    await once(
      "average",
      [recipe.finetune, seed],
      makeAverage(averageShares, model, sharing, recipe.finetune.typeHead),
    );
  },
  () =>
    pack({
      model,
      output: resolve(values.output),
      build: record,
      tables,
      recipe,
      seed,
      scores: values.scores,
    }),
];
try {
  for (const stage of stages.slice(0, last + 1)) await stage();
} catch (error) {
  console.error(`error: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}
