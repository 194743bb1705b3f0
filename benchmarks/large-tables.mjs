/**
 * Memory and time of `pearl dedupe --memory` on made tables of persons in five columns, and how they grow with the rows.
 *
 *     npm run build && node benchmarks/large-tables.mjs [--rows 50000,100000,200000] [--memory 8g] [--temp FOLDER]
 *       [--threads N] [--model pearl-strings] [--json FILE]
 *
 * Each table is made in the folder for temporary files, deduplicated by the command line in a process of its own, and
 * removed. 15 % of the rows repeat one of the last 100,000. Ten million rows need about 2 GB of disk beside the pairs:
 *
 *     node benchmarks/large-tables.mjs --rows 10000000 --memory 11g --temp /var/tmp --json ten-million.json
 *
 * On a busy machine compare the processor times.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import { availableParallelism, cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { personRows } from "./made-persons.mjs";

const { values } = parseArgs({
  options: {
    rows: { type: "string", default: "50000,100000,200000" },
    memory: { type: "string", default: "8g" },
    temp: { type: "string", default: tmpdir() },
    threads: { type: "string", default: String(availableParallelism()) },
    model: { type: "string", default: "pearl-strings" },
    json: { type: "string" },
  },
});

/** Prints the greatest memory of a process with all its threads (in megabytes) and its seconds, when it ends. */
const measuring = `process.on("exit", () => {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  const seconds = (userCPUTime + systemCPUTime) / 1e6;
  console.error("measured " + JSON.stringify({ peakMegabytes: (maxRSS * 1024) / 1e6, processorSeconds: seconds }));
});`;

async function writeTable(path, rows) {
  let lines = ["name,street,city,phone,born"];
  for (const cells of personRows(rows)) {
    lines.push(cells.join());
    if (lines.length < 50_000) continue;
    await appendFile(path, `${lines.join("\n")}\n`);
    lines = [];
  }
  if (lines.length > 0) await appendFile(path, `${lines.join("\n")}\n`);
}

async function measure(rows) {
  const folder = mkdtempSync(join(values.temp, "pearl-large-"));
  const path = join(folder, "persons.csv");
  try {
    await writeTable(path, rows);
    const bytes = statSync(path).size;
    const started = performance.now();
    const command = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));
    const limits = ["--memory", values.memory, "--temp", folder, "--threads", values.threads];
    const args = ["dedupe", path, "-m", values.model, "-o", join(folder, "kept.csv"), "-q", ...limits];
    const { stderr, status } = spawnSync(process.execPath, [command, ...args], {
      encoding: "utf8",
      env: { ...process.env, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(measuring)}` },
    });
    if (status !== 0) throw new Error(stderr);
    const measured = JSON.parse(/measured (.*)/.exec(stderr)[1]);
    return { rows, bytes, seconds: (performance.now() - started) / 1000, ...measured };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const results = [];
for (const rows of values.rows.split(",").map(Number)) {
  const found = await measure(rows);
  results.push(found);
  const [first] = results;
  const growth = found.processorSeconds / rows / (first.processorSeconds / first.rows);
  const shown = [found.peakMegabytes, found.processorSeconds, found.seconds].map((value) =>
    Math.round(value),
  );
  console.log(
    `${rows.toLocaleString("en")} rows: ${shown[0]} MB, ${shown[1]} CPU seconds, ${shown[2]} seconds; ` +
      `${growth.toFixed(2)} × the first table's CPU time per row`,
  );
}
if (values.json !== undefined) {
  const machine = { processor: cpus()[0].model, cores: availableParallelism(), node: process.version };
  const { memory, threads, model } = values;
  writeFileSync(values.json, `${JSON.stringify({ memory, threads, model, machine, results }, null, 1)}\n`);
}
