/**
 * What joins and dedupes without flags find on tables with truth, and what their promises of precision are worth.
 *
 *     npm run build && node benchmarks/promise.mjs [FOLDER ...] [--seeds 1,2,3] [--tables 4] [--precision 0.9]
 *       [--model none] [--json FILE] [--against FILE]
 *
 *   FOLDER     sets in the layout of `pearl bench --task er`; default: tables of look-alikes that ../shared/stress makes
 *   --seeds    seeds of the tables that are made (default 1); --tables of each archetype (default 4)
 *   --against  a file of --json: lists the sets whose pairs or estimates differ, and exits with 1 if any does
 *
 * A promise is false where so few of the pairs are right that chance alone (binomial, at most 400 pairs) explains it in less
 * than 5 % of cases. The measured precision is inside where it lies between low and high. A refusal is wrong where 30 pairs
 * or more were found and the target was reached. F1 counts the pairs found, also where the promise was refused.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pairScores } from "../dist/benchmark/metrics.js";
import { readErSet } from "../dist/benchmark/tasks/er.js";
import { PhraseEncoder } from "../dist/encoder/phrase-encoder.js";
import { mean } from "../dist/statistics.js";
import { readOptions } from "../scripts/options.mjs";
import { foundPairs, round, setFolders } from "./measuring.mjs";

const { values, positionals } = readOptions("seeds=1 tables=4 precision=0.9 model json against");
const target = Number(values.precision);

/** Tables of look-alikes in a temporary folder, or undefined where their maker is absent. */
function madeTables() {
  const maker = "../shared/stress/make_tables.py";
  if (!existsSync(maker)) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "pearl-promise-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  for (const seed of values.seeds.split(","))
    execFileSync("python3", [maker, folder, "--seed", seed, "--tables", values.tables]);
  return folder;
}

/** The probability of at most `right` of `count` where each is right with probability `p`. */
function binomialAtMost(right, count, p) {
  let term = count * Math.log(1 - p);
  let total = 0;
  for (let k = 0; k <= right; k++) {
    total += Math.exp(term);
    term += Math.log((count - k) / (k + 1)) + Math.log(p / (1 - p));
  }
  return Math.min(1, total);
}

/** What one set measures. */
async function judged(folder, encoder) {
  const set = await readErSet(folder);
  const started = performance.now();
  const { report, pairs } = await foundPairs(folder, set, { encoder, precision: target });
  const { precision, recall, f1 } = pairScores(pairs, set.pairs);
  const { estimate, low, high, promise } = report;
  const [p, count] = [precision ?? 1, Math.min(400, pairs.length)];
  const { archetype } = JSON.parse(readFileSync(join(folder, "about.json"), "utf8"));
  return {
    set: basename(folder),
    ...{ archetype: archetype ?? basename(folder), truePairs: set.pairs.size, pairs: pairs.length },
    ...{ precision, recall, f1, estimate, low, high, established: promise?.established === true },
    reason: promise?.reason,
    isFalse: promise?.established === true && binomialAtMost(Math.round(p * count), count, target) < 0.05,
    isInside: p >= low - 1e-9 && p <= high + 1e-9,
    isRefusedThoughRight: promise?.established !== true && pairs.length >= 30 && p >= target,
    sha256: createHash("sha256")
      .update(pairs.toSorted((a, b) => a - b).join(" "))
      .digest("hex"),
    seconds: round((performance.now() - started) / 1000, 2),
  };
}

/** One line for sets, as a person compares them. */
function line(name, sets) {
  const established = sets.filter((set) => set.established);
  const large = sets.filter((set) => set.truePairs >= 50);
  const share = large.length === 0 ? 0 : large.filter((set) => set.established).length / large.length;
  const inside = established.filter((set) => set.isInside).length;
  return [
    ...[name.padEnd(16), `${sets.length} sets`, `F1 ${mean(sets.map(({ f1 }) => f1)).toFixed(3)}`],
    `established ${established.length} (${share.toFixed(2)} of ${large.length} with 50 true pairs)`,
    `false ${sets.filter((set) => set.isFalse).length}`,
    `inside ${inside}`,
    `refused though right ${sets.filter((set) => set.isRefusedThoughRight).length}`,
  ].join("  ");
}

const given = positionals.length > 0 ? positionals : [madeTables()].flatMap((folder) => folder ?? []);
if (given.length === 0) {
  console.error(
    "error: no folder is named, and ../shared/stress, which makes tables, is absent. Name a folder.",
  );
  process.exit(1);
}
const encoder = values.model === "none" ? undefined : await PhraseEncoder.load(values.model);
const sets = [];
for (const folder of setFolders(given)) {
  const set = await judged(folder, encoder);
  sets.push(set);
  console.log(JSON.stringify(set));
}
await encoder?.dispose();
console.log();
for (const archetype of [...new Set(sets.map((set) => set.archetype))].sort()) {
  const own = sets.filter((set) => set.archetype === archetype);
  if (own.length > 1) console.log(line(archetype, own));
}
console.log(line("all", sets));
if (values.json !== undefined) {
  const { model = "pearl-mini", seeds, tables } = values;
  const conditions = { target, model, seeds, tables };
  writeFileSync(values.json, `${JSON.stringify({ ...conditions, sets }, null, 2)}\n`);
}
if (values.against !== undefined) {
  const before = new Map(JSON.parse(readFileSync(values.against, "utf8")).sets.map((set) => [set.set, set]));
  for (const set of sets) {
    const old = before.get(set.set);
    const isSame = old?.sha256 === set.sha256 && Math.abs(old.estimate - set.estimate) < 1e-6;
    if (isSame && old.established === set.established) continue;
    process.exitCode = 1;
    console.log(
      "differs:",
      set.set,
      { before: old?.f1, now: set.f1 },
      { before: old?.estimate, now: set.estimate },
    );
  }
}
