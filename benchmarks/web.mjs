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
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { playgroundServer } from "../examples/playground/serve.mjs";
import { readOptions } from "../scripts/options.mjs";
import { makeTables } from "./made-tables.mjs";
import { machine, median, printedBy, processUse, stopwatch, versions, writeRecord } from "./measuring.mjs";

const { values: options } = readOptions("rounds=5 rows=10000 json=web only child");
const rows = Number(options.rows);
const program = { executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] };
const { left, right, truth } = makeTables(rows, rows);
const round = (/** @type {number} */ x) => Number(x.toPrecision(3));

/** @typedef {{ seconds: number, processorSeconds: number, matches?: readonly { left: number, right: number }[] }} Measured */

/** Seconds of processor time of the browser on a profile, all its processes together. */
function browserSeconds(/** @type {string} */ profile) {
  const all = new Map();
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const own = readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(profile);
      all.set(pid, { ...processUse(pid), own });
    } catch {} // it has ended
  }
  const isOurs = (/** @type {string} */ pid) => {
    for (let at = all.get(pid); at !== undefined; at = all.get(at.parent)) if (at.own) return true;
    return false;
  };
  return [...all]
    .filter(([pid]) => isOurs(pid))
    .reduce((sum, [, { processorSeconds }]) => sum + processorSeconds, 0);
}

/** Code of a page, which loads the model and then works. */
const inPage = (/** @type {string} */ work) => `(async () => {
  let started = performance.now();
  const { PhraseEncoder, join } = await import("/dist/web/index.js");
  const encoder = await PhraseEncoder.load("pearl-mini", { models: "/models/" });
  await encoder.encode(["The New York Times"]);
  let matches;
  ${work}
  return { seconds: (performance.now() - started) / 1000, matches };
})()`;
const watchAnew = "window.before?.(); started = performance.now();";
const codes = {
  first: inPage(""),
  encode: inPage(`${watchAnew} await encoder.encode(${JSON.stringify(left)});`),
  join: inPage(`const tables = ${JSON.stringify([left, right])}.map((names) => names.map((name) => ({ name })));
  ${watchAnew} ({ matches } = await join(...tables, { encoder }));`),
};

/** Runs code in a page of a new browser on a profile. @returns {Promise<Measured>} */
async function inBrowser(profile, address, code) {
  const context = await chromium.launchPersistentContext(profile, program);
  const page = await context.newPage();
  let before = 0;
  await page.exposeFunction("before", () => {
    before = browserSeconds(profile);
  });
  await page.goto(`${address}/models/pearl-mini/config.json`);
  before = browserSeconds(profile);
  const found = await page.evaluate(code);
  const processorSeconds = browserSeconds(profile) - before;
  await context.close();
  return { ...found, processorSeconds };
}

/** In Node, in this process. @returns {Promise<Measured>} */
async function inNode(/** @type {string} */ what) {
  const { fuzzyJoin, PhraseEncoder } = await import("../dist/index.js");
  const encoder = await PhraseEncoder.load("pearl-mini");
  await encoder.encode(["The New York Times"]);
  const { user, system } = process.cpuUsage();
  const sinceStart = { seconds: performance.now() / 1000, processorSeconds: (user + system) / 1e6 };
  const watch = stopwatch();
  if (what === "encode") await encoder.encode(left);
  const { matches } = what === "join" ? await fuzzyJoin(left, right, { encoder }) : {};
  const measured = { ...(what === "first" ? sinceStart : watch()), matches };
  await encoder.dispose();
  return measured;
}

/** The same in a process of its own. @returns {Measured} */
const inOwnProcess = (/** @type {string} */ what, /** @type {"native" | "web"} */ runtime) =>
  printedBy([fileURLToPath(import.meta.url), "--child", what, "--rows", options.rows], {
    ...process.env,
    PEARL_RUNTIME: runtime,
  });

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
    response.writeHead = (status, headers = {}) => {
      const kept = Object.entries(headers).filter(([name]) => !name.startsWith("Cross-Origin"));
      return write(status, Object.fromEntries(kept));
    };
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
    const address = `http://127.0.0.1:${Object(server.address()).port}`;
    await inBrowser(profile, address, codes.first); // fills the cache
    for (let turn = 0; turn < rounds; turn++) found[memory].push(await inBrowser(profile, address, code));
    server.close();
  }
  for (let turn = 0; turn < rounds; turn++)
    for (const runtime of ["native", "web"]) found[runtime].push(inOwnProcess(what, runtime));
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
  const before = machine();
  const rounds = Number(options.rounds);
  const { only } = options;
  const parts = {
    ...((only ?? "first") === "first" && { firstVectorWarm: await measure("first", rounds) }),
    ...((only ?? "encode") === "encode" && { encode: { rows, ...(await measure("encode", rounds)) } }),
    ...((only ?? "join") === "join" && { join: { rows: [rows, rows], ...(await measure("join", 1)) } }),
  };
  const browser = await chromium.launch(program);
  const used = { chromium: browser.version(), ...versions("onnxruntime-web") };
  await browser.close();
  const facts = { machine: before, loadAfter: machine().load, versions: used, model: "pearl-mini" };
  const [[name, part]] = Object.entries(parts);
  const record =
    only === undefined
      ? { ...facts, ...parts }
      : { ...JSON.parse(readFileSync(options.json, "utf8")), [name]: { ...facts, ...part } };
  writeRecord(record, options.json);
}

if (options.child === undefined) await main();
else console.log(JSON.stringify(await inNode(options.child)));
