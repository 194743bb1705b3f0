/**
 * Measures time and memory of fuzzyJoin by table size, each size in a separate process.
 *
 *     npm run build && node benchmarks/join-speed.mjs [SIZE...]
 *
 * A size is LEFTxRIGHT; default: 1000x1000 10000x10000 100000x100000 1000000x10000. Writes
 * benchmarks/results/join-speed.json, which keeps earlier results of other sizes. The tables are those
 * of made-tables.mjs.
 */
import { fork } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { makeTables } from "./made-tables.mjs";
import { round, stopwatch } from "./measuring.mjs";

const defaults = ["1000x1000", "10000x10000", "100000x100000", "1000000x10000"];

/** Measures one join; runs in a separate process. */
async function measure(leftRows, rightRows) {
  const { fuzzyJoin } = await import("../dist/join/fuzzy-join.js");
  const { left, right, truth } = makeTables(leftRows, rightRows);
  const stages = {};
  const [started, watch] = [performance.now(), stopwatch()];
  const { matches } = await fuzzyJoin(left, right, {
    onProgress: (stage, done, total) => {
      if (done === total)
        process.stderr.write(
          `${leftRows} x ${rightRows}: ${stage} done, ${Math.round(watch().processorSeconds)} s of processor time\n`,
        );
      stages[stage] ??= performance.now();
    },
  });
  const { seconds, processorSeconds } = watch();
  const correct = matches.filter((match) => truth[match.right] === match.left).length;
  return {
    left: leftRows,
    right: rightRows,
    seconds: round(seconds, 2),
    processorSeconds: round(processorSeconds, 2),
    peakMegabytes: Math.round(process.resourceUsage().maxRSS / 1024),
    firstStepOf: Object.fromEntries(
      Object.entries(stages).map(([stage, at]) => [stage, round((at - started) / 1000, 2)]),
    ),
    precision: round(correct / Math.max(1, matches.length)),
    recall: round(correct / truth.filter((row) => row >= 0).length),
  };
}

function inOwnProcess(size) {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(import.meta.url), ["--one", size], {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    child.on("message", resolve);
    child.on("error", reject);
    child.on("exit", (code) => code !== 0 && reject(new Error(`${size} ended with code ${code}`)));
  });
}

if (process.argv[2] === "--one") {
  const [left, right] = process.argv[3].split("x").map(Number);
  process.send(await measure(left, right));
} else {
  const sizes = process.argv.length > 2 ? process.argv.slice(2) : defaults;
  const folder = new URL("results/", import.meta.url);
  const path = new URL("join-speed.json", folder);
  mkdirSync(folder, { recursive: true });
  const earlier = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")).sizes : [];
  const measured = new Map(earlier.map((row) => [`${row.left}x${row.right}`, row]));
  for (const size of sizes) {
    const row = await inOwnProcess(size);
    measured.set(size, row);
    process.stdout.write(`${JSON.stringify(row)}\n`);
    const result = {
      what: "fuzzyJoin without labels on made names, encoding included; seconds of wall time, processor seconds of all threads",
      node: process.version,
      machine: { processor: cpus()[0].model, cores: cpus().length },
      sizes: [...measured.values()].sort((a, b) => a.left * a.right - b.left * b.right || a.left - b.left),
    };
    writeFileSync(path, `${JSON.stringify(result, null, 1)}\n`);
  }
}
