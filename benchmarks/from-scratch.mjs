/**
 * Trains a small model from scratch for half an hour and compares it with the untrained baselines. Runs pearl
 * corpus build, pearl mine, pearl train, pearl bench, and optionally pearl ablate, as a user would.
 *
 *     npm run build && node benchmarks/from-scratch.mjs [--minutes 30] [--threads 2] [--ablation-steps 0]
 *         [--data ../shared/data] [--work FOLDER] [--text all|none]
 *         [--json benchmarks/results/from-scratch.json]
 *
 * The work folder (default: pearl-from-scratch in the temporary folder) keeps finished steps, which are
 * skipped; an interrupted step resumes. Training uses no rows of CoNLL-2003 and BC5CDR, no pairs of the
 * evaluation's other half (kept-back.sha256), and no WordNet.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { asksMisspelling, pairKey, readEvaluation, setOfPair } from "../scripts/leaks.mjs";
import { readRows, writeRows, writeWhole } from "../scripts/training-tables.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const { values: options } = parseArgs({
  options: {
    minutes: { type: "string", default: "30" },
    threads: { type: "string", default: "2" },
    data: { type: "string", default: join(here, "../../shared/data") },
    work: { type: "string", default: join(tmpdir(), "pearl-from-scratch") },
    text: { type: "string", default: "all" },
    json: { type: "string", default: join(here, "results/from-scratch.json") },
    preset: { type: "string", default: join(here, "from-scratch.yaml") },
    "ablation-steps": { type: "string", default: "0" },
  },
});
const data = resolve(options.data);
const work = resolve(options.work);
mkdirSync(work, { recursive: true });
const program = join(here, "../dist/cli/main.js");

/** Runs pearl, prints the command, and returns the seconds it took. @param {string[]} parameters */
function pearl(...parameters) {
  console.error(`$ pearl ${parameters.join(" ")}`);
  const started = performance.now();
  const { status } = spawnSync(process.execPath, [program, ...parameters], { stdio: ["ignore", 2, 2] });
  if (status !== 0) process.exit(status ?? 1);
  return (performance.now() - started) / 1000;
}

/**
 * Runs a step unless it is finished.
 * @param {string} product
 * @param {() => number | Promise<number>} make returns its seconds
 */
async function once(product, make) {
  const record = join(work, `${product}.seconds`);
  if (existsSync(record)) return Number(readFileSync(record, "utf8"));
  const seconds = await make();
  writeFileSync(record, String(seconds));
  return seconds;
}

/** Rows of a table of the training data. @param {string} name */
const rows = (name) => readRows(join(data, "train", name));

/** Quotes a cell if needed. @param {string | number} cell */
const quoted = (cell) => (String(cell).includes('"') ? `"${String(cell).replaceAll('"', '""')}"` : cell);

/** The second column of a table as plain text. @param {string} name */
function* textLines(name) {
  for (const [, text] of rows(`text/${name}.tsv.gz`)) if (text) yield [text];
}

/** A header, and rows with the cells quoted that need it. */
function* table(/** @type {string[]} */ header, /** @type {Iterable<(string | number)[]>} */ lines) {
  yield header;
  for (const cells of lines) yield cells.map(quoted);
}

const lexicalClasses = new Set(["NP", "VP", "PP", "ADVP", "ADJP"]);

/** Typed phrases and chunks. Only noun phrases name entities: other chunks have type OTHER. */
function* phraseRows() {
  for (const [phrase, lexical, type, source, , count] of rows("types.tsv.gz"))
    if (!/^(conll2003|bc5cdr)/.test(source) && phrase.trim() !== "" && phrase.length <= 120)
      yield [phrase, lexical, type, Number(count) || 1];
  for (const [phrase, lexical, count] of rows("chunks.tsv.gz"))
    if (lexicalClasses.has(lexical) && phrase.trim() !== "")
      yield [phrase, lexical, lexical === "NP" ? "" : "OTHER", Number(count) || 1];
}

const evaluation = readEvaluation(data);

/** False for a pair of the evaluation, also of the half that is kept back, and for the misspellings that it asks for. */
const isAllowed = (a, b, source) =>
  a &&
  b &&
  setOfPair(evaluation, pairKey(a, b)) === undefined &&
  !asksMisspelling(evaluation, [a, b, source]);

/** Pairs of all sources but the tables of entity resolution, and titles with their descriptions. */
function* synonymRows() {
  for (const kind of ["names", "biomed", "abbrev", "misspell", "lexical"])
    for (const [a, b] of rows(`pairs/${kind}.tsv.gz`)) if (isAllowed(a, b, kind)) yield [a, b, kind];
  for (const [title, gloss] of rows("gloss_wiki.tsv.gz"))
    if (isAllowed(title, gloss, "gloss")) yield [title, gloss, "gloss"];
}

// without article titles, which include those of AutoFJ and YAGO
const textNames = options.text === "none" ? [] : ["simplewiki", "wikinews", "medical", "general_pd"];
const seconds = {};
seconds.tables = await once("tables", async () => {
  const started = performance.now();
  const write = (/** @type {string} */ name, /** @type {Iterable<(string | number)[]>} */ lines) =>
    writeRows(join(work, name), lines);
  await write("phrases.tsv", table(["phrase", "class", "type", "count"], phraseRows()));
  await write("synonyms.tsv", table(["phrase", "synonym", "source"], synonymRows()));
  for (const name of textNames) await write(`${name}.txt`, textLines(name));
  return (performance.now() - started) / 1000;
});
const corpus = join(work, "corpus");
const texts = textNames.map((name) => join(work, `${name}.txt`));
const tables = ["--phrases", join(work, "phrases.tsv"), "--synonyms", join(work, "synonyms.tsv")];
seconds.corpus = await once("corpus", () =>
  pearl(
    "corpus",
    "build",
    ...texts,
    ...(texts.length > 0 ? ["--min-count", "3"] : []),
    ...tables,
    "-o",
    corpus,
    "--resume",
  ),
);
seconds.mining = await once("mining", () => pearl("mine", corpus, "--resume"));
const model = join(work, "model");
const method = ["--preset", options.preset, "--threads", options.threads, "--device", "cpu"];
seconds.training = await once("training", () =>
  pearl("train", "--corpus", corpus, ...method, "--minutes", options.minutes, "-o", model, "--resume"),
);
const bench = join(data, "bench");
const scores = join(work, "bench.json");
seconds.bench = await once("bench", () =>
  pearl("bench", "--data", bench, "--model", model, "--model", "tfidf", "--json", scores),
);
const ablation = join(work, "ablation.json");
if (options["ablation-steps"] !== "0")
  seconds.ablation = await once("ablation", () =>
    pearl(
      "ablate",
      "--corpus",
      corpus,
      ...method,
      "--steps",
      options["ablation-steps"],
      "--data",
      bench,
      "-o",
      join(work, "ablation"),
      "--json",
      ablation,
    ),
  );

const { taskScores } = await import("../dist/methods/benchmark-score.js");
const reports = JSON.parse(readFileSync(scores, "utf8"));
/**
 * Metrics that exist for every model, for tasks whose main metric needs embeddings.
 * @type {Record<string, string>}
 */
const shared = { ppdb: "auc", "ppdb-filtered": "auc" };
const byModel = Object.fromEntries(
  reports.map((/** @type {any} */ report) => {
    const own = taskScores(report);
    for (const [task, metric] of Object.entries(shared)) {
      const found = report.results.find((/** @type {any} */ r) => r.task === task && r.metric === metric);
      if (found) own[`${task} (${metric})`] = found.score;
    }
    // in the report, the name of the trained model is a local path
    return [report.model === "tfidf" ? "tfidf" : "from scratch", own];
  }),
);
/** @param {string[]} names @param {string[]} tasks */
const means = (names, tasks) =>
  Object.fromEntries(
    names.map((name) => [name, tasks.reduce((sum, task) => sum + byModel[name][task], 0) / tasks.length]),
  );
const models = Object.keys(byModel);
const trained = /** @type {string} */ (models.find((name) => name !== "tfidf"));
const common = Object.keys(byModel[trained]).filter((task) => models.every((name) => task in byModel[name]));
const all = Object.keys(byModel[trained]).filter((task) => !task.includes("("));
const result = {
  machine: { processor: cpus()[0]?.model, threads: Number(options.threads) },
  minutes: Number(options.minutes),
  seconds,
  scores: byModel,
  macro: {
    tasksOfBoth: { tasks: common, means: means(models, common) },
    allTasks: { tasks: all, means: means([trained], all) },
  },
  training: JSON.parse(readFileSync(join(model, "training.json"), "utf8")),
  ...(existsSync(ablation) && { ablation: JSON.parse(readFileSync(ablation, "utf8")) }),
};
writeWhole(options.json, `${JSON.stringify(result, null, 2)}\n`);
console.log(JSON.stringify(result.macro, null, 2));
