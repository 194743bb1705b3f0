/**
 * Measures pearl-embeddings/web in headless Chromium, and beside it the same work in Node, natively and in WebAssembly:
 *
 *     npm run build && node benchmarks/web.mjs [--rounds 5] [--rows 10000] [--only first|encode|join]
 *
 *   - first vector: from the first line of a page to the vector of one phrase, the weights in the browser's cache; in
 *     Node from the start of a process
 *   - encode: 10,000 of these names, the model loaded
 *   - join: two tables of 10,000 names each (made-tables.mjs) by one column, the model loaded; in pages with and without
 *     the headers by which a page may share memory among threads
 *
 * The browser starts anew for every round, on a profile that has the weights. Processor times are those of all its
 * processes together, or of the Node process, from /proc, so they hold on a busy machine, too.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { playgroundServer } from "../examples/playground/serve.mjs";
import { makeTables } from "./made-tables.mjs";
import { median, readOptions, root } from "./measuring.mjs";

const { values: options } = readOptions("rounds=5 rows=10000 json=web only child");
const rows = Number(options.rows);
const { left, right, truth } = makeTables(rows, rows);
const round = (/** @type {number} */ x) => Number(x.toPrecision(3));

/** @typedef {{ seconds: number, processorSeconds: number, matches?: readonly { left: number, right: number }[] }} Measured */

/** Seconds of processor time that a process has used, and its parent. */
function processOf(/** @type {string} */ pid) {
  const [, parent, ...fields] = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return { parent, seconds: (Number(fields[9]) + Number(fields[10])) / 100 };
}

/** Seconds of processor time of the browser on a profile, all its processes together. */
function browserSeconds(/** @type {string} */ profile) {
  /** @type {Map<string, ReturnType<typeof processOf> & { own: boolean }>} */
  const all = new Map();
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      all.set(pid, {
        ...processOf(pid),
        own: readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(profile),
      });
    } catch {} // it has ended
  }
  const isOurs = (/** @type {string} */ pid) => {
    for (let at = all.get(pid); at !== undefined; at = all.get(at.parent)) if (at.own) return true;
    return false;
  };
  return [...all].filter(([pid]) => isOurs(pid)).reduce((sum, [, { seconds }]) => sum + seconds, 0);
}

/** In a page: the first vector. */
const firstVector = `(async () => {
  const started = performance.now();
  const { PhraseEncoder } = await import("/dist/web/index.js");
  const encoder = await PhraseEncoder.load("pearl-mini", { models: "/models/" });
  await encoder.encode(["The New York Times"]);
  return { seconds: (performance.now() - started) / 1000 };
})()`;

/** In a page: vectors of many names. */
const encodeNames = `(async (names) => {
  const { PhraseEncoder } = await import("/dist/web/index.js");
  const encoder = await PhraseEncoder.load("pearl-mini", { models: "/models/" });
  await encoder.encode(["The New York Times"]);
  window.before?.();
  const started = performance.now();
  await encoder.encode(names);
  return { seconds: (performance.now() - started) / 1000 };
})`;

/** In a page: the join. */
const joinTables = `(async ({ left, right }) => {
  const { PhraseEncoder, join } = await import("/dist/web/index.js");
  const encoder = await PhraseEncoder.load("pearl-mini", { models: "/models/" });
  await encoder.encode(["The New York Times"]);
  window.before?.();
  const started = performance.now();
  const rows = (names) => names.map((name) => ({ name }));
  const { matches } = await join(rows(left), rows(right), { encoder });
  return { seconds: (performance.now() - started) / 1000, matches };
})`;

const codes = {
  first: firstVector,
  encode: `${encodeNames}(${JSON.stringify(left)})`,
  join: `${joinTables}(${JSON.stringify({ left, right })})`,
};

/** Runs code in a page of a new browser on a profile. @returns {Promise<Measured>} */
async function inBrowser(
  /** @type {string} */ profile,
  /** @type {string} */ address,
  /** @type {string} */ code,
) {
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: "/usr/bin/chromium",
    args: ["--no-sandbox"],
  });
  const page = await context.newPage();
  let before = 0;
  await page.exposeFunction("before", () => {
    before = browserSeconds(profile);
  });
  await page.goto(`${address}/models/pearl-mini/config.json`);
  before = browserSeconds(profile);
  const found = /** @type {{ seconds: number }} */ (await page.evaluate(code));
  const processorSeconds = browserSeconds(profile) - before;
  await context.close();
  return { ...found, processorSeconds };
}

/** In Node, in this process. @returns {Promise<Measured>} */
async function inNode(/** @type {string} */ what) {
  const { PhraseEncoder } = await import("../dist/index.js");
  const encoder = await PhraseEncoder.load("pearl-mini");
  await encoder.encode(["The New York Times"]);
  const spent = () => process.cpuUsage().user / 1e6 + process.cpuUsage().system / 1e6;
  let [started, before] = [0, 0];
  /** @type {Measured["matches"]} */
  let matches;
  if (what === "encode") {
    [started, before] = [performance.now(), spent()];
    await encoder.encode(left);
  } else if (what === "join") {
    const { fuzzyJoin } = await import("../dist/index.js");
    [started, before] = [performance.now(), spent()];
    ({ matches } = await fuzzyJoin(left, right, { encoder }));
  }
  const measured = {
    seconds: (performance.now() - started) / 1000,
    processorSeconds: spent() - before,
    matches,
  };
  await encoder.dispose();
  return measured;
}

/** The same in a process of its own. @returns {Promise<Measured>} */
function inOwnProcess(/** @type {string} */ what, /** @type {"native" | "web"} */ runtime) {
  const parameters = [fileURLToPath(import.meta.url), "--child", what, "--rows", options.rows];
  const env = { ...process.env, PEARL_RUNTIME: runtime };
  const child = spawn(process.execPath, parameters, { env, stdio: ["ignore", "pipe", "inherit"] });
  return new Promise((resolve, reject) => {
    let text = "";
    child.stdout.on("data", (part) => {
      text += part;
    });
    child.on("exit", (code) => (code === 0 ? resolve(JSON.parse(text)) : reject(new Error(`code ${code}`))));
  });
}

/** Medians of rounds, and how many pairs are right. @param {Measured[]} all */
function summary(all) {
  const { matches } = all[0];
  const correct = matches?.filter((match) => truth[match.right] === match.left).length ?? 0;
  return {
    seconds: round(median(all.map(({ seconds }) => seconds))),
    processorSeconds: round(median(all.map(({ processorSeconds }) => processorSeconds))),
    ...(matches && {
      matches: matches.length,
      precision: round(correct / matches.length),
      recall: round(correct / truth.filter((row) => row >= 0).length),
    }),
  };
}

/** A server without the headers of pages that may share memory. */
function plainServer() {
  const server = playgroundServer();
  server.prependListener("request", (_, response) => {
    const write = response.writeHead.bind(response);
    // @ts-expect-error: one of its forms
    response.writeHead = (status, headers = {}) =>
      write(
        status,
        Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith("Cross-Origin"))),
      );
  });
  return server;
}

/** Measures one kind of work everywhere, in turns. */
async function measure(/** @type {keyof typeof codes} */ what, /** @type {number} */ rounds) {
  const servers = { shared: playgroundServer(), copied: plainServer() };
  const profile = mkdtempSync(join(tmpdir(), "pearl-web-"));
  const code = codes[what];
  /** @type {Record<string, Measured[]>} */
  const found = { shared: [], copied: [], native: [], web: [] };
  for (const [memory, server] of Object.entries(servers)) {
    await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
    const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
    const address = `http://127.0.0.1:${port}`;
    await inBrowser(profile, address, firstVector); // fills the cache
    for (let turn = 0; turn < rounds; turn++) found[memory].push(await inBrowser(profile, address, code));
    server.close();
  }
  for (let turn = 0; turn < rounds; turn++)
    for (const runtime of /** @type {const} */ (["native", "web"]))
      found[runtime].push(await inOwnProcess(what, runtime));
  rmSync(profile, { recursive: true, force: true });
  const { shared, copied, native, web } = Object.fromEntries(
    Object.entries(found).map(([name, all]) => [name, summary(all)]),
  );
  const ratio = (/** @type {{ processorSeconds: number }} */ other) =>
    round(shared.processorSeconds / other.processorSeconds);
  return {
    rounds,
    chromium: { sharedMemory: shared, copiedMemory: copied },
    node: { native, webAssembly: web },
    processorTimeToNode: { native: ratio(native), webAssembly: ratio(web) },
  };
}

async function main() {
  const loadBefore = loadavg()[0];
  const rounds = Number(options.rounds);
  const { only } = options;
  const parts = {
    ...((only ?? "first") === "first" && { firstVectorWarm: await measure("first", rounds) }),
    ...((only ?? "encode") === "encode" && { encode: { rows, ...(await measure("encode", rounds)) } }),
    ...((only ?? "join") === "join" && { join: { rows: [rows, rows], ...(await measure("join", 1)) } }),
  };
  const { version } = JSON.parse(readFileSync(`${root}node_modules/onnxruntime-web/package.json`, "utf8"));
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
  const versions = { node: process.versions.node, chromium: browser.version(), "onnxruntime-web": version };
  await browser.close();
  const machine = { processor: cpus()[0].model, cores: cpus().length, loadBefore, loadAfter: loadavg()[0] };
  const facts = { machine, versions, model: "pearl-mini" };
  const [[name, part]] = Object.entries(parts);
  const result =
    only === undefined
      ? { ...facts, ...parts }
      : { ...JSON.parse(readFileSync(options.json, "utf8")), [name]: { ...facts, ...part } };
  const text = JSON.stringify(result, null, 2);
  writeFileSync(options.json, `${text}\n`);
  console.log(text);
}

if (options.child === undefined) await main();
else console.log(JSON.stringify(await inNode(options.child)));
