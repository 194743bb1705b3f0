/**
 * Time and memory of `pearl join` by the workers of a queue, on made tables of persons in five columns: all workers, their jobs
 * and the database together, looked up every four seconds (proportional set size, on Linux only). With --compare, one process joins
 * the tables too, before, and the bytes must be equal.
 *
 *     npm run build && node benchmarks/workers.mjs --queue postgres://me@localhost/shop [--rows 1000000x100000]
 *       [--workers 4] [--shards 16] [--memory 2g] [--temp FOLDER] [--compare] [--json FILE]
 *
 * Ten million rows and a million need 25 GB of disk:
 *
 *     node benchmarks/workers.mjs --queue postgres://me@localhost/shop --rows 10000000x1000000 --memory 8g --temp /var/tmp
 */
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { personRows, rightPersonRows, writeTable } from "./made-persons.mjs";
import { machine, round, sha256 } from "./measuring.mjs";

const { values } = parseArgs({
  options: {
    queue: { type: "string" },
    rows: { type: "string", default: "1000000x100000" },
    workers: { type: "string", default: "4" },
    shards: { type: "string", default: "16" },
    memory: { type: "string", default: "2g" },
    temp: { type: "string", default: tmpdir() },
    compare: { type: "boolean", default: false },
    json: { type: "string" },
  },
});
if (values.queue === undefined) throw new Error("name the database of the queue: --queue postgres://...");
const main = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));

/** Starts pearl. @returns its output, when it has ended */
function pearl(words, cwd) {
  const child = spawn(process.execPath, [main, ...words], { cwd, stdio: ["ignore", "pipe", "inherit"] });
  let printed = "";
  child.stdout.on("data", (text) => {
    printed += text;
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) =>
      code === 0 ? resolve(printed) : reject(new Error(`pearl ${words[0]}: code ${code}`)),
    );
  });
}

const fileOf = (pid, name) => {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "utf8");
  } catch {
    return ""; // ended meanwhile, or of another user
  }
};

/** What takes memory, by the command lines of processes. */
const kinds = {
  jobs: (command) => command.includes("job-process"),
  workers: (command) => command.includes(`${main} work`),
  submit: (command) => command.includes(`${main} submit`),
  database: (command) => command.includes("postgres") && !command.includes("node"),
};

/** Megabytes of all processes of each kind. */
function megabytes() {
  const processes = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const found = {};
  for (const pid of processes) {
    const command = fileOf(pid, "cmdline").replaceAll("\0", " ");
    const [kind] = Object.entries(kinds).find(([, isOfKind]) => isOfKind(command)) ?? [];
    if (kind === undefined) continue;
    const kilobytes = Number(/^Pss:\s+(\d+)/m.exec(fileOf(pid, "smaps_rollup"))?.[1] ?? 0);
    found[kind] = (found[kind] ?? 0) + (kilobytes * 1024) / 1e6;
  }
  return found;
}

async function timed(work) {
  const started = performance.now();
  await work();
  return round((performance.now() - started) / 1000, 0);
}

async function joinByWorkers(folder) {
  const peak = { megabytes: 0 };
  const timer = setInterval(() => {
    const now = megabytes();
    const all = Object.values(now).reduce((sum, part) => sum + part, 0);
    if (all > peak.megabytes) Object.assign(peak, { megabytes: round(all, 0), of: now });
  }, 4000);
  const limits = ["--memory", values.memory, "--temp", folder];
  const submitted = ["submit", "join", "left.csv", "right.csv", "-m", "none", "-o", "by-workers.csv"];
  const how = ["--shards", values.shards, "--queue", values.queue, "--json", "report.json", "--wait", "-q"];
  const work = () => pearl(["work", values.queue, ...limits, "-q", "--until-empty"], folder);
  try {
    const seconds = await timed(async () => {
      const result = pearl([...submitted, ...how], folder);
      await new Promise((resolve) => setTimeout(resolve, 3000)); // workers would find no job before
      await Promise.all([result, ...Array.from({ length: Number(values.workers) }, work)]);
    });
    return { seconds, peak };
  } finally {
    clearInterval(timer);
  }
}

const folder = mkdtempSync(join(values.temp, "pearl-workers-"));
try {
  const [left, right] = values.rows.split("x").map(Number);
  await writeTable(join(folder, "left.csv"), personRows(left));
  await writeTable(join(folder, "right.csv"), rightPersonRows(left, right));
  const one = ["join", "left.csv", "right.csv", "-m", "none", "-o", "one.csv", "-q"];
  const alone = values.compare
    ? await timed(() => pearl([...one, "--memory", values.memory, "--temp", folder], folder))
    : undefined;
  const { seconds, peak } = await joinByWorkers(folder);
  if (values.compare)
    execFileSync("cmp", [join(folder, "one.csv"), join(folder, "by-workers.csv")], { stdio: "inherit" });
  const { matches, estimate } = JSON.parse(readFileSync(join(folder, "report.json"), "utf8"));
  const { rows, workers, shards, memory } = values;
  const bytes = statSync(join(folder, "by-workers.csv")).size;
  const found = {
    rows,
    workers: Number(workers),
    shards: Number(shards),
    memory,
    seconds,
    peak,
    matches,
    estimate,
    bytes,
    sha256: await sha256(join(folder, "by-workers.csv")),
  };
  console.log(
    `${rows} rows by ${workers} workers in ${shards} shards: ${seconds} seconds, ${peak.megabytes} MB in all, ` +
      `${matches.toLocaleString("en")} matches` +
      (alone === undefined ? "" : `; the same bytes as one process, which took ${alone} seconds`),
  );
  if (values.json !== undefined)
    writeFileSync(values.json, `${JSON.stringify({ machine: machine(), alone, ...found }, null, 1)}\n`);
} finally {
  rmSync(folder, { recursive: true });
}
