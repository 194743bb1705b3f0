/**
 * Measures the constants of the cost model of docs/scale.md on made persons of five columns, compares its predictions with
 * four other runs, and writes the page's tables.
 *
 *     npm run build && node benchmarks/scale.mjs [--continue | --recorded] [--parallel 1]
 *
 * All figures are CPU seconds of runs on one thread: on a shared machine, wall time would tell what else runs there.
 * They go to benchmarks/results/scale.json, each as soon as it is measured: a run that was stopped continues with
 * --continue. With --parallel, several are measured at once. With --recorded, nothing is measured.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual, parseArgs } from "node:util";
import { personsOfOneTable, personsOfTwoTables } from "./made-persons.mjs";
import { machine } from "./measuring.mjs";
import { conclude } from "./scale/conclude.mjs";
import { pageWith } from "./scale/page.mjs";

const { values } = parseArgs({
  options: {
    recorded: { type: "boolean", default: false },
    continue: { type: "boolean", default: false },
    parallel: { type: "string", default: "1" },
  },
});
const root = fileURLToPath(new URL("..", import.meta.url));
const recorded = join(root, "benchmarks/results/scale.json");
const page = join(root, "docs/scale.md");

/** What the constants are computed from: whole runs of small tables, and first passes and shards of small and of large ones. */
const fitted = [
  { kind: "scan", rows: [100_000] },
  { kind: "encode", rows: [10_000] },
  { kind: "encode", rows: [40_000] },
  { kind: "encode merge", rows: [40_000], shards: 2 },
  { kind: "join", rows: [12_000, 12_000] },
  { kind: "join first pass", rows: [2_000, 2_000] },
  { kind: "join first pass", rows: [12_000, 12_000] },
  { kind: "join", rows: [12_000, 12_000], shards: 15 },
  { kind: "join", rows: [12_000, 12_000], shards: 3 },
  { kind: "join merge", rows: [12_000, 12_000], shards: 2 },
  { kind: "join merge", rows: [30_000, 30_000], shards: 2 },
  { kind: "dedupe", rows: [12_000] },
  { kind: "dedupe first pass", rows: [2_000] },
  { kind: "dedupe first pass", rows: [12_000] },
  { kind: "dedupe", rows: [12_000], shards: 15 },
  { kind: "dedupe", rows: [12_000], shards: 3 },
  { kind: "scan", rows: [410_000] },
  { kind: "dedupe first pass", rows: [410_000] },
  { kind: "dedupe", rows: [410_000], shards: 200 },
  { kind: "dedupe", rows: [410_000], shards: 4 },
  { kind: "join first pass", rows: [410_000, 41_000] },
  { kind: "join", rows: [410_000, 41_000], shards: 200 },
  { kind: "join", rows: [410_000, 41_000], shards: 4 },
  { kind: "join first pass", rows: [30_000, 30_000] },
  { kind: "dedupe first pass", rows: [60_000] },
];

/** Runs that the model predicts, of other sizes. */
const checked = [
  { kind: "encode", rows: [100_000] },
  { kind: "join", rows: [20_000, 8_000] },
  { kind: "dedupe", rows: [22_000] },
  { kind: "join sharded", rows: [16_000, 14_000], shards: 4 },
];

const folder = mkdtempSync(join(tmpdir(), "pearl-scale-"));

/** The paths of the tables, which are made when they are first asked for. */
function tablesOf(kind, rows) {
  const isJoin = kind.startsWith("join");
  const paths = rows.map((count, side) =>
    join(folder, `${isJoin ? "two" : "one"}-${rows[0]}-${side}-${count}.csv`),
  );
  if (existsSync(paths[0])) return paths;
  const made = isJoin ? personsOfTwoTables(rows[0]) : personsOfOneTable(rows[0]);
  [made.left, made.right].slice(0, rows.length).forEach((table, side) => {
    const names = Object.keys(table);
    const lines = Array.from({ length: rows[side] }, (_, row) =>
      names.map((name) => table[name][row]).join(),
    );
    writeFileSync(paths[side], `${names.join()}\n${lines.join("\n")}\n`);
  });
  return paths;
}

/** Tells on another channel what CPU time a process took, of all its threads. */
const tellTime =
  'import { writeSync } from "node:fs"; process.on("exit", () => writeSync(3, JSON.stringify(process.cpuUsage())));';

/** Runs a script of Node.js. @returns its CPU seconds, and what it printed */
async function run(script, ...words) {
  const flags = ["--import", `data:text/javascript,${encodeURIComponent(tellTime)}`];
  const child = spawn(process.execPath, [...flags, script, ...words], {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit", "pipe"],
  });
  const read = async (/** @type {import("node:stream").Readable} */ channel) =>
    (await channel.toArray()).join("");
  const [printed, told] = [1, 3].map((channel) =>
    read(/** @type {import("node:stream").Readable} */ (child.stdio[channel])),
  );
  const code = await new Promise((resolve) => child.on("close", resolve));
  if (code !== 0) throw new Error(`${script} ${words.join(" ")} ended with code ${code}`);
  const { user, system } = JSON.parse(await told);
  return { seconds: (user + system) / 1e6, printed: await printed };
}

/** A run, a first pass or a shard in a process of its own, by stage. A shard takes what the first pass kept before. */
async function runStages(task) {
  const [kind] = task.kind.split(" ");
  const learned = join(folder, `${kind}-${task.rows.join("-")}.part`);
  if (task.shards !== undefined && !existsSync(learned))
    await runStages({ kind: `${kind} first pass`, rows: task.rows });
  const settings = { ...task, files: tablesOf(task.kind, task.rows), shard: 2, learned };
  const output = join(folder, `${JSON.stringify(task).replace(/\W+/g, "-")}.out.csv`);
  const script = fileURLToPath(new URL("scale/stages.mjs", import.meta.url));
  return JSON.parse((await run(script, JSON.stringify({ ...settings, output }))).printed);
}

const runPearl = async (...words) =>
  (await run(join(root, "dist/cli/main.js"), ...words, "--threads", "1", "--quiet")).seconds;

/** A sharded command by the command line, its shards at once: CPU seconds of its first pass, of each shard, and of the merge. */
async function runSharded({ kind, rows, shards }) {
  const files = tablesOf(kind, rows);
  const isEncode = kind.startsWith("encode");
  const words = isEncode ? ["encode", ...files, "-c", "name"] : ["join", ...files, "-m", "none"];
  const name = kind.replace(" ", "-");
  const learned = isEncode ? undefined : `${name}-learned.part`;
  const learn = learned ? await runPearl(...words, "--learn", learned) : undefined;
  const parts = Array.from({ length: shards }, (_, place) => `${name}-${place + 1}.part`);
  const each = await Promise.all(
    parts.map((part, place) =>
      runPearl(
        ...[...words, "--shard", `${place + 1}/${shards}`, "-o", part],
        ...(learned ? ["--learned", learned] : []),
      ),
    ),
  );
  const merge = await runPearl("merge", ...parts, "-o", `${name}-merged.${isEncode ? "parquet" : "csv"}`);
  return { learn, shards: each, merge };
}

async function measure(task) {
  if (task.kind === "join sharded") {
    const { learn, shards, merge } = await runSharded(task);
    return { seconds: { learn, shards: shards.reduce((sum, one) => sum + one, 0), merge } };
  }
  if (task.kind.endsWith("merge")) return { seconds: { total: (await runSharded(task)).merge } };
  return runStages(task);
}

const known = existsSync(recorded) ? JSON.parse(readFileSync(recorded, "utf8")) : {};
const isOf =
  ({ kind, rows, shards }) =>
  (one) =>
    one.kind === kind && one.shards === shards && isDeepStrictEqual(one.rows, rows);

/** Measures what the record lacks, and keeps it at once. */
async function measureAll() {
  const found = values.continue ? [...(known.fitted ?? []), ...(known.checked ?? [])] : [];
  const record = () => {
    const of = (tasks) => tasks.flatMap((task) => found.find(isOf(task)) ?? []);
    return { machine: machine(), fitted: of(fitted), checked: of(checked) };
  };
  const open = [...fitted, ...checked].filter((task) => !found.some(isOf(task)));
  const worker = async () => {
    for (let task = open.shift(); task !== undefined; task = open.shift()) {
      found.push({ ...task, ...(await measure(task)) });
      console.log(JSON.stringify(found.at(-1)));
      write(record());
    }
  };
  await Promise.all(Array.from({ length: Number(values.parallel) }, worker));
  return record();
}

const write = (record) => writeFileSync(recorded, `${JSON.stringify(record, null, 1)}\n`);

try {
  mkdirSync(join(root, "benchmarks/results"), { recursive: true });
  const record = conclude(values.recorded ? known : await measureAll());
  write(record);
  for (const { kind, rows, predicted, measured, ratio } of record.checked)
    console.log(
      `${kind} of ${rows.join(" × ")} rows: predicted ${predicted.toFixed(1)} s, measured ${measured.toFixed(1)} s, ratio ${ratio.toFixed(2)}`,
    );
  writeFileSync(page, pageWith(readFileSync(page, "utf8"), record));
} finally {
  rmSync(folder, { recursive: true });
}
