/**
 * Memory, time and disk of `pearl dedupe --memory` on made tables of persons in five columns, and how they grow with the rows.
 *
 *     npm run build && node benchmarks/large-tables.mjs [--command dedupe] [--rows 50000,100000,200000] [--memory 8g]
 *       [--temp FOLDER] [--threads N] [--model pearl-strings] [--json FILE]
 *
 * Each table is made in the folder for temporary files, deduplicated by the command line in a process of its own, and
 * removed. 15 % of the rows repeat one of the last 100,000. Ten million rows need about 2 GB of disk beside the pairs. The disk is
 * the space of the temporary files that the process holds open, looked up twice a second, on Linux only:
 *
 *     node benchmarks/large-tables.mjs --rows 10000000 --memory 8g --temp /var/tmp --json ten-million.json
 *
 * `--command join` takes two tables, written 200000x20000; half of the right rows repeat one of the left, miswritten.
 * `cluster` takes the names alone, and `link` makes a store. `--memory none` sets no limit.
 *
 *     node benchmarks/large-tables.mjs --command join --rows 10000000x1000000 --memory 8g --threads 4 --temp /var/tmp
 *
 * On a busy machine compare the processor times.
 */
import { spawn } from "node:child_process";
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { personRows, rightPersonRows, writeTable } from "./made-persons.mjs";
import { machine, readOptions, sha256 } from "./measuring.mjs";

const { values } = readOptions("command=dedupe rows=50000,100000,200000 memory=8g model=pearl-strings json", {
  temp: tmpdir(),
  threads: String(availableParallelism()),
});

/** Prints the greatest memory of a process with all its threads (in megabytes) and its seconds, when it ends. */
const measuring = `process.on("exit", () => {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  const seconds = (userCPUTime + systemCPUTime) / 1e6;
  console.error("measured " + JSON.stringify({ peakMegabytes: (maxRSS * 1024) / 1e6, processorSeconds: seconds }));
});`;

/** Megabytes of the files of a folder that a process holds open, those without a name too; 0 where there is no /proc. */
function openMegabytes(pid, folder, isOther) {
  try {
    const descriptors = `/proc/${pid}/fd`;
    // A file may be open twice.
    const sizes = new Map();
    for (const name of readdirSync(descriptors)) {
      const target = readlinkSync(join(descriptors, name));
      if (!target.startsWith(folder) || isOther(target)) continue;
      const { ino, blocks } = statSync(join(descriptors, name));
      sizes.set(ino, (blocks * 512) / 1e6);
    }
    return [...sizes.values()].reduce((sum, size) => sum + size, 0);
  } catch {
    return 0;
  }
}

/** Runs a command, and looks up now and then what its process takes. */
async function watched(args, env, look) {
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "ignore", "pipe"] });
  const timer = setInterval(() => look(child.pid), 500);
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    stderr += text;
  });
  const status = await new Promise((resolve) => child.once("close", resolve));
  clearInterval(timer);
  if (status !== 0) throw new Error(stderr);
  return stderr;
}

const ofCommand = {
  dedupe: () => [],
  join: () => [],
  cluster: () => ["-c", "name"],
  link: (folder) => ["--store", join(folder, "store.pearl")],
};

/** @param shown rows of the table, or of both as 200000x20000 */
async function measure(shown) {
  const folder = mkdtempSync(join(values.temp, "pearl-large-"));
  const [rows, right] = shown.split("x").map(Number);
  try {
    const tables = [join(folder, "persons.csv")];
    await writeTable(tables[0], personRows(rows));
    if (right !== undefined) {
      tables.push(join(folder, "right.csv"));
      await writeTable(tables[1], rightPersonRows(rows, right));
    }
    const bytes = tables.reduce((sum, path) => sum + statSync(path).size, 0);
    const started = performance.now();
    const main = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));
    const limit = values.memory === "none" ? [] : ["--memory", values.memory, "--temp", folder];
    const result = join(folder, "out.csv");
    const outputs = ["-o", result, "--json", join(folder, "report.json")];
    const own = ofCommand[values.command](folder);
    const how = ["-m", values.model, "-q", "--threads", values.threads];
    const args = [main, values.command, ...tables, ...own, ...how, ...outputs, ...limit];
    const env = {
      ...process.env,
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(measuring)}`,
    };
    let diskMegabytes = 0;
    const stderr = await watched(args, env, (pid) => {
      diskMegabytes = Math.max(
        diskMegabytes,
        openMegabytes(pid, folder, (target) => target.endsWith(".csv")),
      );
    });
    const measured = JSON.parse(/measured (.*)/.exec(stderr)[1]);
    const seconds = (performance.now() - started) / 1000;
    const report = JSON.parse(readFileSync(join(folder, "report.json"), "utf8"));
    const { matches = report.groupsOfSeveral, estimate, promise } = report;
    const found = { matches, estimate, established: promise.established };
    const taken = { seconds, ...measured, diskMegabytes };
    return {
      tables: shown,
      rows: rows + (right ?? 0),
      bytes,
      ...taken,
      ...found,
      sha256: await sha256(result),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const results = [];
for (const shown of values.rows.split(",")) {
  const found = await measure(shown);
  results.push(found);
  const [first] = results;
  const growth = found.processorSeconds / found.rows / (first.processorSeconds / first.rows);
  const measured = [found.peakMegabytes, found.processorSeconds, found.seconds, found.diskMegabytes];
  const [peak, processor, seconds, disk] = measured.map((value) => Math.round(value));
  const what = values.command === "cluster" ? "groups" : "pairs";
  console.log(
    `${shown} rows: ${peak} MB, ${processor} CPU seconds, ${seconds} seconds, ` +
      `${disk} MB of disk, ${found.matches.toLocaleString("en")} ${what} found; ` +
      `${growth.toFixed(2)} × the first table's CPU time per row`,
  );
}
if (values.json !== undefined) {
  const { command, memory, threads, model } = values;
  writeFileSync(
    values.json,
    `${JSON.stringify({ command, memory, threads, model, machine: machine(), results }, null, 1)}\n`,
  );
}
