/**
 * Runs each stage of a long build once: finished stages are recorded, and interrupted stages resume. The builds of pearl-mini
 * and pearl-small share their options and their corpus.
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { cpus, platform, totalmem } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { readOptions, refuse } from "./options.mjs";
import { readRecipe } from "./pearl-mini/recipe.mjs";
import { writeWhole } from "./training-tables.mjs";

const program = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));

/** Seconds between two records of a running stage: a killed stage loses at most this much of its time. */
const RECORD_EVERY = 20;

const machine = () => ({
  processor: cpus()[0]?.model.trim(),
  cores: cpus().length,
  memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
  system: platform(),
  node: process.version,
});

/**
 * Opens the stages of a work folder, which are recorded by name in its build.json: `seconds` over all runs of the
 * stage, `sittings` (runs: one more than its interruptions), a hash of its `settings`, the `machine`, `finished`.
 */
export function openStages(folder) {
  const path = join(folder, "build.json");
  const record = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : { stages: {} };
  /**
   * Runs a stage unless it is finished; `work` resumes from the files that it finds.
   * @throws Error the stage was recorded with other settings, unless `restart`: then it runs again
   */
  async function once(name, settings, work, { restart = false } = {}) {
    const hash = createHash("sha256").update(JSON.stringify(settings)).digest("hex").slice(0, 16);
    const isOther = record.stages[name] !== undefined && record.stages[name].settings !== hash;
    if (isOther && !restart)
      throw new Error(
        `stage ${name} in ${folder} was started with other settings: give a new folder with --work`,
      );
    const before = (!isOther && record.stages[name]) || { seconds: 0, sittings: 0, finished: false };
    if (before.finished) return;
    console.error(`== ${name}`);
    const started = performance.now();
    const update = (finished) => {
      record.stages[name] = {
        seconds: before.seconds + Math.round((performance.now() - started) / 1000),
        sittings: before.sittings + 1,
        ...{ settings: hash, machine: machine(), finished },
      };
      writeWhole(path, `${JSON.stringify(record, null, 2)}\n`);
    };
    update(false);
    const clock = setInterval(update, RECORD_EVERY * 1000, false);
    await Promise.resolve(work()).finally(() => clearInterval(clock));
    update(true);
  }
  return { record, once };
}

/** Runs pearl, which writes a checkpoint when it is stopped. Rejects on an exit code other than 0. */
export function pearl(...parameters) {
  console.error(`$ pearl ${parameters.join(" ")}`);
  return new Promise((done, failed) => {
    const child = spawn(process.execPath, [program, ...parameters], { stdio: ["ignore", 2, 2] });
    const stop = () => child.kill("SIGTERM");
    process.once("SIGTERM", stop);
    child.once("error", failed);
    child.once("exit", (code, signal) => {
      process.off("SIGTERM", stop);
      const end = `pearl ${parameters[0]} ended with ${code ?? signal}`;
      if (code === 0) done();
      else failed(new Error(`${end}: run the same command again to resume`));
    });
  });
}

/**
 * Reads the options of a program that builds a model, and opens the stages of its working folder.
 * @param {readonly string[]} stageNames for --until
 * @param {{ recipe: string, output?: string, needed?: string[] }} defaults of --recipe and -o (in the working folder), and the
 *   folders without which the program ends with 2
 */
export function openBuild(stageNames, { recipe: path, output, needed = ["work"] }) {
  const { values } = readOptions(`${needed.join(" ")} data= seed scores output,o`, {
    ...{ recipe: path, until: stageNames[stageNames.length - 1] },
  });
  for (const name of needed)
    if (values[name] === undefined) refuse(`--${name} is missing: give a folder, --${name} FOLDER`);
  const last = stageNames.indexOf(values.until);
  if (last < 0) refuse(`--until must be one of ${stageNames.join(", ")}`);
  const work = resolve(values.work);
  const [tables, corpus] = [join(work, "tables"), join(work, "corpus")];
  const synonyms = join(tables, "synonyms.tsv");
  const recipe = readRecipe(values.recipe);
  mkdirSync(work, { recursive: true });
  /** Skips a corpus that exists: a file under its final name is complete, even if the run stopped before it was recorded. */
  async function makeCorpus() {
    if (existsSync(join(corpus, "corpus.json"))) return;
    const phrases = ["--phrases", join(tables, "phrases.tsv"), "--synonyms", synonyms];
    await pearl("corpus", "build", "--no-quotes", ...phrases, "-o", corpus);
  }
  const seed = Number(values.seed ?? recipe.seed);
  return {
    ...{ work, data: resolve(values.data), base: values.base && resolve(values.base), recipe, seed, last },
    ...{ tables, corpus, synonyms, makeCorpus, ...openStages(work) },
    ...{ output: resolve(values.output ?? output ?? join(work, recipe.name)), scores: values.scores },
  };
}

/** @param {Record<string, string | number>} options of the command line, by name */
export const flags = (options) =>
  Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);

/** Runs stages in order. If one fails, prints why and ends the program with 1. */
export async function runStages(/** @type {readonly (() => Promise<void>)[]} */ stages) {
  try {
    for (const stage of stages) await stage();
  } catch (error) {
    console.error(`error: ${error instanceof Error ? error.message : error}`);
    process.exitCode = 1;
  }
}
