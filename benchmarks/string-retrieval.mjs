/**
 * Compares character encoders with Levenshtein distance on string retrieval (the task `strings`). The
 * encoders are trained by `pearl pretrain-characters` on spelling alone.
 *
 *     npm run build && node benchmarks/string-retrieval.mjs [--runs love,ngrams,ngrams:all] [--rounds 3]
 *       [--add] [--levenshtein 19970] [--threads N]
 *
 * Training uses words of ../shared/data/words. "ngrams" and "love" see only the 215,916 words that the task
 * does not use, and so neither its dictionary nor its queries. "ngrams:all" sees all 235,886 words, including
 * the dictionary; it sees queries only by chance, since its misspellings (src/methods/characters/attacks.ts)
 * have other seeds. "bag:synthetic" and "bilstm:synthetic" see words made up like those 215,916 (Zaratiana et al.), and
 * pearl-strings is the embedded model. Precision@1 is that of the task (ties count 1/k). The time is that of a whole search:
 * encoding the queries and finding the largest product with ONNX Runtime, with and without the time to encode
 * the dictionary. Levenshtein compares every query with every word and needs no preparation. Processor time
 * (user and system, all threads) is compared, since other load shares the cores; --levenshtein N times the first N
 * queries alone, for a machine with little time. With --add and --levenshtein, added models are compared with that run.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { readLines } from "../dist/benchmark/data-folder.js";
import { levenshteinBaseline } from "../dist/benchmark/models.js";
import { rankAnswers } from "../dist/benchmark/rank.js";
import { runBenchmark } from "../dist/benchmark/runner.js";
import { drawRetrieval } from "../dist/benchmark/tasks/strings.js";
import { PhraseEncoder } from "../dist/encoder/phrase-encoder.js";
import { pretrainCharacters } from "../dist/methods/characters/pretrain-characters.js";
import { GraphBuilder } from "../dist/onnx/builder.js";
import { encodeModel } from "../dist/onnx/io/file.js";
import { createOrtSession } from "../dist/runtime/ort-session.js";
import { median, round, stopwatch } from "./measuring.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const { values: options } = parseArgs({
  options: {
    runs: { type: "string", default: "love,ngrams,ngrams:all" },
    rounds: { type: "string", default: "3" },
    data: { type: "string", default: resolve(root, "../shared/data") },
    models: { type: "string" },
    add: { type: "boolean" },
    levenshtein: { type: "string" },
    threads: { type: "string", default: String(availableParallelism()) },
    json: { type: "string", default: join(root, "benchmarks/results/string-retrieval.json") },
  },
});
/** Small models for a fast search. */
const SETTINGS = {
  love: { kind: "love", width: 64, pieces: 2000, epochs: 0.36 },
  ngrams: { kind: "ngrams", width: 64, epochs: 0.2 },
  bilstm: { kind: "bilstm", width: 64, epochs: 0.2 },
  bag: { kind: "bag", width: 64, epochs: 0.2 },
};
/** For `:synthetic`, in epochs of 25,600 words; the file of words is resembled. */
const SYNTHETIC = {
  bag: { kind: "bag", width: 300, epochs: 4 },
  bilstm: { kind: "bilstm", width: 64, hidden: 300, pooling: "mean", epochs: 10 },
};
const SEEN = {
  all: "all 235,886 words, the dictionary among them; queries only where an attack made the same misspelling by chance",
  outside: "the words that the task did not draw; neither dictionary nor queries",
  synthetic: "none: words made up like those that the task did not draw",
  embedded:
    "nearly all words of the dictionary (models/pearl-strings/README.md); human misspellings, not these queries",
};
const SEED = 0;

const folder = options.models ?? mkdtempSync(join(tmpdir(), "pearl-strings-"));
const listed = [
  ...new Set((await readLines(join(options.data, "words/words.txt.gz"))).map((line) => line.trim())),
].filter((word) => word !== "");
const { words, queriesOf } = drawRetrieval(listed, SEED);
const result = {
  task: "string retrieval: precision@1 among 19,970 words, one random edit a query, fair protocol",
  published: {
    source: "Zaratiana et al.",
    bilstm: 0.904,
    editDistance: 0.877,
    note: "another draw of words, noise not specified exactly",
  },
  seed: SEED,
  queries: words.length,
  cores: availableParallelism(),
  cpu: cpus()[0].model,
  node: process.version,
  /** @type {any[]} */ models: [],
  /** @type {any} */ levenshtein: undefined,
};
// --add keeps the recorded results of Levenshtein and of other runs
const recorded = options.add ? JSON.parse(readFileSync(options.json, "utf8")) : { models: [] };
const added = [];
for (const run of options.runs.split(",")) {
  added.push(await measure(run));
  result.models = [...recorded.models, ...added];
  write();
}
const again = recorded.levenshtein && options.levenshtein !== undefined;
const compared = again ? await levenshtein() : (recorded.levenshtein ?? (await levenshtein()));
result.levenshtein = recorded.levenshtein ?? compared;
for (const model of added) {
  model.timesFasterThanLevenshtein = timesFaster(model.search, compared);
  if (again) model.levenshtein = compared;
}
write();
if (options.models === undefined) rmSync(folder, { recursive: true });

function write() {
  writeFileSync(options.json, `${JSON.stringify(result, null, 2)}\n`);
}

/** Runs `work` and measures its wall-clock and processor seconds. */
async function timed(work) {
  const watch = stopwatch();
  const value = await work();
  const { processorSeconds, seconds: wallSeconds } = watch();
  return { value, processorSeconds, wallSeconds };
}

/** Scores of a model in the task. */
async function scores(model) {
  const [report] = await runBenchmark({
    ...{ tasks: ["strings"], models: [model], dataFolder: join(options.data, "bench"), seed: SEED },
  });
  return Object.fromEntries(report.results.map(({ metric, score }) => [metric, round(score, 4)]));
}

/** Levenshtein's precision and time on queries with one edit; ties count 1/k, as in the task. */
async function levenshtein() {
  const count = Math.min(words.length, Number(options.levenshtein ?? words.length));
  const [queries, expected] = [queriesOf[1].slice(0, count), words.slice(0, count)];
  const request = { queries, candidates: words, expected };
  const context = { model: levenshteinBaseline(), dataFolder: options.data, protocol: "fair", seed: SEED };
  const { value, processorSeconds, wallSeconds } = await timed(() => rankAnswers(request, context));
  const credit = value.reduce((sum, answer) => sum + answer.credit, 0);
  return {
    method: "every query with every word, fastest-levenshtein, 1 - distance / longer length, one thread",
    queries: count,
    precision: { "precision@1, 1 edit": round(credit / count, 4) },
    searchProcessorSeconds: round(processorSeconds, 2),
    searchWallSeconds: round(wallSeconds, 2),
  };
}

async function measure(run) {
  const isEmbedded = run === "pearl-strings";
  const [name, seen = isEmbedded ? "embedded" : "outside"] = run.split(":");
  const training = isEmbedded ? { folder: name } : await trained(name, seen);
  return {
    model: name,
    wordsSeenInTraining: SEEN[seen],
    training: training.record,
    precision: await scores(training.folder),
    search: await searchSpeed(training.folder),
  };
}

/** Ratios of processor time, without and with the encoding of the dictionary. */
function timesFaster({ queryProcessorSeconds, dictionaryProcessorSeconds }, compared) {
  const { searchProcessorSeconds, queries: timed = words.length } = compared;
  const levenshteinSeconds = (searchProcessorSeconds * words.length) / timed;
  return {
    dictionaryReady: round(levenshteinSeconds / queryProcessorSeconds, 1),
    dictionaryIncluded: round(levenshteinSeconds / (queryProcessorSeconds + dictionaryProcessorSeconds), 1),
  };
}

/** Trains a model unless it already exists. */
async function trained(name, seen) {
  const output = join(folder, `${name}-${seen}`);
  const file = join(folder, `${seen}.txt`);
  const drawn = new Set(seen === "all" ? [] : words);
  writeFileSync(file, `${listed.filter((word) => !drawn.has(word)).join("\n")}\n`);
  const times = join(folder, `${name}-${seen}.json`);
  if (!existsSync(output)) {
    const { processorSeconds, wallSeconds } = await timed(() =>
      pretrainCharacters({
        output,
        seed: 1,
        threads: Number(options.threads),
        ...(seen === "synthetic"
          ? { ...SYNTHETIC[name], synthetic: 25_600, like: file, attacks: { preset: "edits", twice: 0.5 } }
          : { ...SETTINGS[name], words: file }),
      }),
    );
    writeFileSync(times, JSON.stringify({ processorSeconds, wallSeconds }));
  }
  const { data, settings, result: end } = JSON.parse(readFileSync(join(output, "training.json"), "utf8"));
  // the file does not exist for a model that was trained on the command line
  const time = existsSync(times) ? JSON.parse(readFileSync(times, "utf8")) : {};
  return {
    folder: output,
    record: {
      ...{ words: data.words, ...settings, ...end },
      ...Object.fromEntries(Object.entries(time).map(([name, seconds]) => [name, round(seconds, 0)])),
    },
  };
}

/** Median times over rounds, after a warm-up. */
async function searchSpeed(model) {
  const encoder = await PhraseEncoder.load(model, { threads: Number(options.threads) });
  await encoder.encodeMatrix(words.slice(0, 2000));
  const product = await bestProduct(encoder.dimension);
  const rounds = [];
  for (let i = 0; i < Number(options.rounds); i++) {
    const dictionary = await timed(async () =>
      transposed((await encoder.encodeMatrix([...words])).data, encoder.dimension),
    );
    const search = await timed(async () => {
      const { data } = await encoder.encodeMatrix([...queriesOf[1]]);
      return product.best(data, dictionary.value);
    });
    rounds.push({ dictionary, search });
  }
  await encoder.dispose();
  await product.release();
  const middle = (pick) => round(median(rounds.map(pick)), 2);
  const right = rounds[0].search.value.filter((best, i) => best === i).length;
  return {
    dimension: encoder.dimension,
    found: round(right / words.length, 4),
    queryProcessorSeconds: middle(({ search }) => search.processorSeconds),
    queryWallSeconds: middle(({ search }) => search.wallSeconds),
    dictionaryProcessorSeconds: middle(({ dictionary }) => dictionary.processorSeconds),
    dictionaryWallSeconds: middle(({ dictionary }) => dictionary.wallSeconds),
  };
}

/** Transposes a matrix, for the dictionary's side of the product. */
function transposed(data, dimension) {
  const count = data.length / dimension;
  const columns = new Float32Array(data.length);
  for (let i = 0; i < count; i++)
    for (let j = 0; j < dimension; j++) columns[j * count + i] = data[i * dimension + j];
  return columns;
}

/** Finds the word with the largest product for each query, in one graph of MatMul and ArgMax. */
async function bestProduct(dimension) {
  const block = 1024;
  const g = new GraphBuilder();
  const queries = g.input("queries", "float32", ["rows", dimension]);
  const columns = g.input("columns", "float32", [dimension, "words"]);
  g.output("best", g.add("ArgMax", [g.add("MatMul", [queries, columns])], { axis: 1, keepdims: 0 }));
  const session = await createOrtSession(encodeModel(g.model()), { threads: Number(options.threads) });
  return {
    async best(data, dictionary) {
      const found = [];
      const count = dictionary.length / dimension;
      for (let from = 0; from < data.length; from += block * dimension) {
        const rows = data.subarray(from, from + block * dimension);
        const { best } = await session.run({
          queries: { type: "float32", dims: [rows.length / dimension, dimension], data: rows },
          columns: { type: "float32", dims: [dimension, count], data: dictionary },
        });
        for (const row of best.data) found.push(Number(row));
      }
      return found;
    },
    release: () => session.release(),
  };
}
