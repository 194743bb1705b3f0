/**
 * Memory, time and disk of `pearl dedupe --memory` on made tables of persons in five columns, and how they grow with the rows.
 *
 *     npm run build && node benchmarks/large-tables.mjs [--command dedupe] [--rows 50000,100000,200000] [--memory 8g]
 *       [--temp FOLDER] [--threads N] [--model pearl-strings] [--runs 3] [--json FILE]
 *
 * Each table is made in the folder for temporary files, deduplicated by the command line in a process of its own, and
 * removed. 15 % of the rows repeat one of the last 100,000. Ten million rows need about 2 GB of disk beside the pairs. The disk is
 * the space of the temporary files that the process holds open, looked up twice a second, on Linux only:
 *
 *     node benchmarks/large-tables.mjs --rows 10000000 --memory 8g --temp /var/tmp --json ten-million.json
 *
 * `--command join` takes two tables, written 200000x20000; half of the right rows repeat one of the left, miswritten.
 * `cluster` takes the names alone. `--memory none` sets no limit. `link` makes a store, and links 1 % more rows to a copy of it,
 * and these once more (which is what starting and reading take), `--runs` times; medians are given.
 *
 *     node benchmarks/large-tables.mjs --command join --rows 10000000x1000000 --memory 8g --threads 4 --temp /var/tmp
 *     node benchmarks/large-tables.mjs --command link --rows 300000 --memory none --model none
 *
 * On a busy machine compare the processor times.
 */
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
} from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { readOptions } from "../scripts/options.mjs";
import { personRows, rightPersonRows, writeTable } from "./made-persons.mjs";
import { machine, measuredPearl, median, sha256, writeRecord } from "./measuring.mjs";

const { values } = readOptions(
  "command=dedupe rows=50000,100000,200000 memory=8g model=pearl-strings runs=3 json",
  { temp: tmpdir(), threads: String(availableParallelism()) },
);
const { command, memory, threads, model } = values;

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

/** Runs the command on tables of a folder. @returns what it took and found */
async function run(folder, tables, own = []) {
  const limit = memory === "none" ? [] : ["--memory", memory, "--temp", folder];
  const [result, report] = ["out.csv", "report.json"].map((name) => join(folder, name));
  const how = ["-m", model, "-q", "--threads", threads, "-o", result, "--json", report];
  let diskMegabytes = 0;
  const look = (pid) => {
    const now = openMegabytes(pid, folder, (target) => target.endsWith(".csv"));
    diskMegabytes = Math.max(diskMegabytes, now);
  };
  const taken = await measuredPearl([command, ...tables, ...own, ...how, ...limit], { look });
  const { matches, groupsOfSeveral, estimate, promise, added, created, hasLearned } = JSON.parse(
    readFileSync(report, "utf8"),
  );
  return {
    ...{ ...taken, diskMegabytes, matches: matches ?? groupsOfSeveral, estimate },
    ...{ established: promise?.established, added, created, hasLearned, sha256: await sha256(result) },
  };
}

/** Links more rows to copies of a store, and the same again. */
async function linkMore(folder, store, more) {
  const rounds = [];
  for (let round = 0; round < Number(values.runs); round++) {
    const own = ["--store", `${store}-${round}`];
    copyFileSync(store, own[1]);
    rounds.push([await run(folder, [more], own), await run(folder, [more], own)]);
    rmSync(own[1]);
  }
  const figures = ["seconds", "processorSeconds", "peakMegabytes"];
  const of = (place) => {
    const own = rounds.map((round) => round[place]);
    const medians = figures.map((key) => [key, median(own.map((one) => one[key]))]);
    return { ...own[0], ...Object.fromEntries(medians) };
  };
  return rounds.length === 0 ? {} : { more: of(0), again: of(1) };
}

/** @param shown rows of the table, or of both as 200000x20000 */
async function measure(shown) {
  const folder = mkdtempSync(join(values.temp, "pearl-large-"));
  const [rows, right] = shown.split("x").map(Number);
  const [table, other, store] = ["persons.csv", "right.csv", "store.pearl"].map((name) => join(folder, name));
  const isLink = command === "link";
  try {
    await writeTable(table, isLink ? partOf(rows, true) : personRows(rows));
    if (isLink) await writeTable(other, partOf(rows, false));
    else if (right !== undefined) await writeTable(other, rightPersonRows(rows, right));
    const tables = isLink || right === undefined ? [table] : [table, other];
    const bytes = tables.reduce((sum, path) => sum + statSync(path).size, 0);
    const own = { cluster: ["-c", "name"], link: ["--store", store] };
    const found = await run(folder, tables, own[command]);
    const further = isLink ? await linkMore(folder, store, other) : {};
    return { tables: shown, rows: rows + (right ?? 0), bytes, ...found, ...further };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The rows before a place of a table of which 1 % comes later, or those from there on. */
function* partOf(rows, isFirst) {
  let at = 0;
  for (const row of personRows(rows + Math.ceil(rows / 100))) if (at++ < rows === isFirst) yield row;
}

const results = [];
for (const shown of values.rows.split(",")) results.push(await measure(shown));
writeRecord({ command, memory, threads, model, machine: machine(), results }, values.json);
