/**
 * Measures `pearl serve` over loopback, and beside it the same model behind transformers.js in a plain HTTP server:
 *
 *     npm run build && node scripts/make-e5-shape.mjs && node benchmarks/serve.mjs [--seconds 10] [--soak 20000]
 *
 *   - one: a phrase per request, 500 per second, each sent when it is due; the time from then to its answer
 *   - most: a phrase per request, as many as 32 connections get
 *   - batches: 64 phrases per request in base64, 4 connections
 *   - soak: many requests of one phrase, and the memory of the server after each tenth of them
 *   - peer: a model of E5-small's shape behind both servers in turns, a phrase per request, 16 connections
 *
 * Thousands of different requests are sent in turn. The load comes from this process (autocannon, whose fixed rate sends in
 * bursts, so that one is our own loop), on the same cores. Processor times are those of the servers alone, read from /proc, so
 * they hold on a busy machine, too.
 */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { Agent, createServer, request } from "node:http";
import { availableParallelism } from "node:os";
import { basename } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
// @ts-expect-error: the package has no types
import autocannon from "autocannon";
import { mean } from "../dist/statistics.js";
import { readOptions, root } from "../scripts/options.mjs";
import { machine, processUse, transformersPipeline, versions, writeRecord } from "./measuring.mjs";

const { values: options } = readOptions("seconds=10 soak=20000 rounds=2 json=serve peer?", {
  model: `${root}.cache/e5-shape`,
});
const seconds = Number(options.seconds);
const round = (/** @type {number} */ x) => Number(x.toPrecision(3));

/** The peer: the pipeline of transformers.js, a route, nothing else. */
async function servePeer() {
  // threads that do not spin between operators are the faster choice on a busy machine
  const extract = await transformersPipeline(options.model, availableParallelism(), "0");
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const { input } = JSON.parse(text);
    const vectors = await extract(input, { pooling: "mean", normalize: true });
    const data = vectors.tolist().map((row, index) => ({
      ...{ object: "embedding", index },
      embedding: Buffer.from(Float32Array.from(row).buffer).toString("base64"),
    }));
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ object: "list", data }));
  });
  server.listen(0, "127.0.0.1", () => {
    console.log(`listening on http://127.0.0.1:${Object(server.address()).port}`);
  });
}

/** Starts a server. @returns its address and process, and what stops it */
async function start(/** @type {string[]} */ parameters) {
  const child = spawn(process.execPath, parameters, { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const url = await new Promise((resolve, reject) => {
    void ended.then(() => reject(new Error(`${parameters[0]} ended`)));
    child.stdout.on("data", (text) => {
      const found = /listening on (\S+)/.exec(text.toString());
      if (found) resolve(found[1]);
    });
  });
  const stop = () => {
    child.kill("SIGTERM");
    return ended;
  };
  return { url, pid: child.pid, stop };
}

const startPearl = (/** @type {string[]} */ ...parameters) =>
  start([`${root}dist/cli/main.js`, "serve", "--port", "0", "--quiet", ...parameters]);

function megabytes(/** @type {number} */ pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1000;
}

let asked = 0;
/** Bodies that no other call gives. */
function bodies(/** @type {string} */ model, /** @type {number} */ count, /** @type {number} */ phrases) {
  const names = "Toyota Motor Corporation;Siemens AG Munich;University of Oxford;Zürcher Kantonalbank".split(
    ";",
  );
  return Array.from({ length: count }, () => {
    const input = Array.from({ length: phrases }, () => `${names[asked % 4]} ${asked++}`);
    return JSON.stringify({ model, input, encoding_format: "base64" });
  });
}

/** Loads a server with requests. */
async function load({ url, pid }, model, phrases, settings) {
  const used = processUse(pid).processorSeconds;
  const result = await autocannon({
    url: `${url}/v1/embeddings`,
    method: "POST",
    headers: { "content-type": "application/json" },
    requests: bodies(model, phrases === 1 ? 5000 : 200, phrases).map((body) => ({ body })),
    timeout: 60,
    ...settings,
  });
  const answered = result["2xx"];
  return {
    requests: answered,
    failed: result.non2xx + result.errors,
    requestsPerSecond: round(answered / result.duration),
    phrasesPerSecond: round((phrases * answered) / result.duration),
    milliseconds: { median: result.latency.p50, p99: result.latency.p99 },
    serverMillisecondsPerPhrase: round(
      (1000 * (processUse(pid).processorSeconds - used)) / (phrases * answered),
    ),
  };
}

/** Sends requests of one phrase at a fixed rate, whether or not earlier ones are answered (an open loop). */
async function loadAtRate({ url, pid }, model, rate) {
  const agent = new Agent({ keepAlive: true, maxSockets: 32 });
  const headers = { "content-type": "application/json" };
  const used = processUse(pid).processorSeconds;
  const texts = bodies(model, rate * seconds, 1);
  const start = performance.now();
  const post = (body, due) =>
    new Promise((answered) => {
      const sent = request(`${url}/v1/embeddings`, { method: "POST", agent, headers }, (response) => {
        response
          .resume()
          .on("end", () => answered(response.statusCode === 200 ? performance.now() - due : undefined));
      });
      sent.on("error", () => answered(undefined)).end(body);
    });
  const answers = [];
  while (answers.length < texts.length) {
    const due = start + (answers.length * 1000) / rate;
    if (due > performance.now()) await sleep(1);
    else answers.push(post(texts[answers.length], due));
  }
  const times = (await Promise.all(answers)).filter((time) => time !== undefined).sort((a, b) => a - b);
  const quantile = (/** @type {number} */ share) => round(times[Math.floor(times.length * share)]);
  agent.destroy();
  return {
    requests: times.length,
    failed: texts.length - times.length,
    requestsPerSecond: rate,
    milliseconds: { median: quantile(0.5), p99: quantile(0.99) },
    serverMillisecondsPerPhrase: round((1000 * (processUse(pid).processorSeconds - used)) / times.length),
  };
}

async function measureMini() {
  const server = await startPearl();
  const model = "pearl-mini";
  await load(server, model, 1, { connections: 8, duration: 2 });
  const one = await loadAtRate(server, model, 500);
  const most = await load(server, model, 1, { connections: 32, duration: seconds });
  const batches = await load(server, model, 64, { connections: 4, duration: seconds });
  const memory = [];
  const requests = Math.ceil(Number(options.soak) / 10);
  for (let part = 0; part < 10; part++) {
    await load(server, model, 1, { connections: 32, amount: requests });
    memory.push(Math.round(megabytes(server.pid)));
  }
  await server.stop();
  return { one, most, batches, soak: { requests: 10 * requests, megabytes: memory } };
}

async function measurePeer() {
  const model = basename(options.model);
  const pearl = await startPearl("--model", options.model);
  const peer = await start([fileURLToPath(import.meta.url), "--peer", "--model", options.model]);
  const settings = { connections: 16, duration: seconds };
  const rounds = [];
  for (let round = 0; round < Number(options.rounds); round++)
    rounds.push({ pearl: await load(pearl, model, 1, settings), peer: await load(peer, model, 1, settings) });
  await Promise.all([pearl.stop(), peer.stop()]);
  const ratio = (/** @type {string} */ what) => {
    const [own, other] = ["pearl", "peer"].map((who) => mean(rounds.map((one) => one[who][what])));
    return round(own / other);
  };
  return {
    rounds,
    pearlToPeer: { speed: ratio("phrasesPerSecond"), processorTime: ratio("serverMillisecondsPerPhrase") },
  };
}

async function main() {
  const before = machine();
  const [mini, e5Shape] = [await measureMini(), await measurePeer()];
  const record = {
    machine: before,
    versions: versions("fastify", "@huggingface/transformers"),
    mini,
    e5Shape,
  };
  writeRecord({ ...record, loadAfter: machine().load }, options.json);
}

await (options.peer ? servePeer() : main());
