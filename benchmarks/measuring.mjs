/** What benchmarks share: time and memory spent, records, phrases of the training data, and matching of sets of tables. */
import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createReadStream, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { openDuplicates } from "../dist/group/tables/dedupe-table.js";
import { openJoin } from "../dist/join/join-tables.js";
import { createRandom, sampleWithout } from "../dist/random.js";
import { deviation, mean } from "../dist/statistics.js";
import { root } from "../scripts/options.mjs";
import { readRows } from "../scripts/training-tables.mjs";

export const round = (/** @type {number} */ value, digits = 4) => Number(value.toFixed(digits));

export const median = (/** @type {readonly number[]} */ values) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/** Mean and standard deviation of draws. */
export const summary = (/** @type {readonly number[]} */ values) => ({
  mean: round(mean(values)),
  deviation: round(deviation(values)),
});

/** Starts a watch. @returns what gives the seconds since, by the clock and of the processor (user and system, all threads) */
export function stopwatch() {
  const [started, before] = [performance.now(), process.cpuUsage()];
  return () => {
    const { user, system } = process.cpuUsage(before);
    return { seconds: (performance.now() - started) / 1000, processorSeconds: (user + system) / 1e6 };
  };
}

/** A module that reports, when a process ends, the seconds of the processor and the greatest memory of all its threads. */
const reporting = `import { isMainThread } from "node:worker_threads";
if (isMainThread) process.on("exit", () => {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  const processorSeconds = (userCPUTime + systemCPUTime) / 1e6;
  console.error("measured " + JSON.stringify({ processorSeconds, peakMegabytes: (maxRSS * 1024) / 1e6 }));
});`;

/** Runs pearl, and measures the process. @param look is called twice a second with its id */
export async function measuredPearl(parameters, { cwd = ".", look = (_pid) => {} } = {}) {
  const preload = `--import=data:text/javascript,${encodeURIComponent(reporting)}`;
  const started = performance.now();
  const program = [preload, join(root, "dist/cli/main.js"), ...parameters];
  const child = spawn(process.execPath, program, { cwd, stdio: ["ignore", "ignore", "pipe"] });
  const said = text(child.stderr);
  const timer = setInterval(() => look(child.pid), 500);
  const [status] = await once(child, "close");
  clearInterval(timer);
  if (status !== 0) throw new Error(await said);
  const seconds = (performance.now() - started) / 1000;
  return { seconds, ...JSON.parse(/^measured (.*)$/m.exec(await said)?.[1] ?? "") };
}

/** Seconds of processor time that a process has used, from /proc, and its parent. */
export function processUse(/** @type {number | string} */ pid) {
  const [, parent, ...fields] = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return { parent, processorSeconds: (Number(fields[9]) + Number(fields[10])) / 100 };
}

/** Runs a program of Node in a process of its own. @returns the JSON that it prints */
export const printedBy = (/** @type {string[]} */ parameters, env = process.env) =>
  JSON.parse(
    execFileSync(process.execPath, parameters, {
      ...{ env, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"], maxBuffer: 2 ** 28 },
    }),
  );

/** The peer of encoders: the pipeline of transformers.js for a model folder, in full precision on the CPU. */
export async function transformersPipeline(
  /** @type {string} */ model,
  threads,
  /** @type {"0" | "1"} */ spinning,
) {
  const { env, pipeline } = await import("@huggingface/transformers");
  env.allowRemoteModels = false;
  env.localModelPath = dirname(resolve(model));
  const extra = { session: { intra_op: { allow_spinning: spinning } } };
  const session_options = { intraOpNumThreads: threads, extra };
  return pipeline("feature-extraction", basename(model), { dtype: "fp32", device: "cpu", session_options });
}

/** Load: the processes that ran or waited, on average of the last minute. */
export const machine = () => ({
  processor: cpus()[0].model,
  cores: availableParallelism(),
  node: process.version,
  load: loadavg()[0],
});

/** Versions of packages, as they are installed. */
export const versions = (/** @type {string[]} */ ...names) =>
  Object.fromEntries(
    names.map((name) => [
      name,
      JSON.parse(readFileSync(join(root, "node_modules", name, "package.json"), "utf8")).version,
    ]),
  );

/** Shows a record, and writes it where a path is given. */
export function writeRecord(/** @type {object} */ record, /** @type {string | undefined} */ path) {
  const shown = JSON.stringify(record, null, 2);
  console.log(shown);
  if (path !== undefined) writeFileSync(path, `${shown}\n`);
}

/** SHA-256 of a file, by which results of several days can be compared. */
export async function sha256(/** @type {string} */ path) {
  const hash = createHash("sha256");
  for await (const part of createReadStream(path)) hash.update(part);
  return hash.digest("hex");
}

/**
 * Distinct phrases in random order: half are of the word list, half are names or aliases.
 * @param {string} data a folder such as ../shared/data
 */
export function wordsAndNames(data, count, seed) {
  const random = createRandom(seed);
  const rows = (/** @type {string} */ path) => [...readRows(join(data, path))];
  const words = new Set(rows("words/words.txt.gz").flatMap(([word]) => word || []));
  const names = new Set(rows("train/pairs/names.tsv.gz").flatMap((cells) => cells.slice(0, 2)));
  const half = sampleWithout([...words], Math.floor(count / 2), random);
  const others = [...names].filter((name) => !words.has(name));
  return sampleWithout([...half, ...sampleWithout(others, count - half.length, random)], count, random);
}

/** The sets in the layout of `pearl bench --task er` that folders are or hold, by name. @param {readonly string[]} parents */
export function setFolders(parents) {
  const isSet = (/** @type {string} */ folder) => existsSync(join(folder, "about.json"));
  return parents
    .flatMap((parent) => (isSet(parent) ? [parent] : readdirSync(parent).map((name) => join(parent, name))))
    .filter(isSet)
    .sort();
}

/** Pairs of rows of such a set as `left × width + right`, and what is promised of them, by the way that the commands take. */
export async function foundPairs(folder, { right, width }, options) {
  if (right !== undefined) {
    const { joined } = await openJoin(join(folder, "left.csv"), join(folder, "right.csv"), options);
    return { report: joined.findings, pairs: joined.matches.map((pair) => pair.left * width + pair.right) };
  }
  const { found } = await openDuplicates(join(folder, "table.csv"), options);
  const pairs = found.report.groups.flatMap(({ kept, others }) => {
    const rows = [kept, ...others.map(({ row }) => row)].sort((a, b) => a - b);
    return rows.flatMap((a, place) => rows.slice(place + 1).map((b) => a * width + b));
  });
  return { report: found.report, pairs };
}
