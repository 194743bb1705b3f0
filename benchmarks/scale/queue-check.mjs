/**
 * Compares the simulated queue (queue.mjs) with a real one: workers do jobs that only wait, and are killed after given times.
 *
 *     npm run build && node benchmarks/scale/queue-check.mjs [ADDRESS] && node benchmarks/scale.mjs --recorded
 *
 * ADDRESS is an empty database (default: postgres://, of PGHOST and the like). The result goes into benchmarks/results/scale.json.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { createRandom } from "../../dist/random.js";
import { JobQueue } from "../../dist/stores/queue/queue.js";
import { waitForRun } from "../../dist/stores/queue/wait.js";
import { work } from "../../dist/stores/queue/work.js";
import { simulateQueue } from "./queue.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { worker: { type: "boolean", default: false } },
});
const [address = "postgres://"] = positionals;

const recorded = fileURLToPath(new URL("../results/scale.json", import.meta.url));

const settings = { workers: 4, shards: 24, shard: 10, merge: 2, expire: 6, retries: 3 };
/** Seconds that workers live, in the order in which they are born; later ones are not killed. */
const lives = [7, 22, 35, 48, 15, 31, 18];

/** Waits as long as the job says, and writes its part. */
async function runJob({ step }, { output }, signal) {
  await sleep(1000 * settings[step], undefined, { signal });
  if (output !== undefined) writeFileSync(output, "done");
  return { printed: "", notes: "" };
}

async function beWorker() {
  const queue = await JobQueue.open(address);
  const stop = new AbortController();
  process.once("SIGTERM", () => stop.abort());
  console.log("ready");
  const modelOf = async () => undefined;
  await work(queue, runJob, { until: "aborted", signal: stop.signal, modelOf, onNote: () => {} });
  await queue.close();
}

const births = [];
const isOver = new AbortController();
/** Keeps a worker running: kills it when its time is over, and starts the next one. */
async function keepWorker() {
  while (!isOver.signal.aborted) {
    const started = performance.now();
    const child = spawn(process.execPath, [fileURLToPath(import.meta.url), "--worker", address], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const closed = new Promise((resolve) => child.on("close", resolve));
    await new Promise((resolve) => child.stdout.once("data", resolve));
    births.push((performance.now() - started) / 1000);
    const life = lives[births.length - 1];
    await sleep(life === undefined ? 1e8 : 1000 * life, undefined, { signal: isOver.signal }).catch(() => {});
    child.kill(isOver.signal.aborted ? "SIGTERM" : "SIGKILL");
    await closed;
  }
}

async function measure() {
  const parts = mkdtempSync(join(tmpdir(), "pearl-queue-"));
  const queue = await JobQueue.open(address);
  const run = {
    ...{ run: `check-${Date.now()}`, command: "encode", arguments: ["made.csv"], settings: {} },
    ...{ shards: settings.shards, folder: tmpdir(), parts },
  };
  const workers = Array.from({ length: settings.workers }, keepWorker);
  while (births.length < settings.workers) await sleep(10);
  await queue.submit(run, { expireInSeconds: settings.expire, retryLimit: settings.retries });
  const started = performance.now();
  await waitForRun(queue, run, {
    signal: new AbortController().signal,
    onNote: console.log,
    onProgress: () => {},
  });
  const seconds = (performance.now() - started) / 1000;
  isOver.abort();
  await Promise.all(workers);
  await queue.close();
  rmSync(parts, { recursive: true, force: true });
  return seconds;
}

/** Seconds of simulated runs, from the shortest. */
function simulated(restart) {
  return Array.from({ length: 200 }, (_, seed) => {
    const open = [...lives];
    const untilKill = () => open.shift() ?? Infinity;
    return simulateQueue({ ...settings, restart, untilKill, random: createRandom(seed) }).seconds;
  }).sort((a, b) => a - b);
}

if (values.worker) await beWorker();
else {
  const measured = await measure();
  const later = births.slice(settings.workers);
  const restart = later.reduce((sum, seconds) => sum + seconds, 0) / Math.max(1, later.length);
  const runs = simulated(restart);
  const predicted = runs.reduce((sum, seconds) => sum + seconds, 0) / runs.length;
  const queueCheck = {
    ...{ ...settings, lives, kills: later.length, restart, measured, predicted },
    ...{ shortest: runs[0], longest: runs.at(-1), ratio: predicted / measured },
  };
  console.log(queueCheck);
  const record = JSON.parse(readFileSync(recorded, "utf8"));
  writeFileSync(recorded, `${JSON.stringify({ ...record, queueCheck }, null, 1)}\n`);
}
