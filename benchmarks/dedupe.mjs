/**
 * Measures clustering against a ground truth. Each of AutoFJ's sets is one table of left and right titles;
 * rows that the ground truth joins form one cluster.
 *
 *   npm run build && node benchmarks/dedupe.mjs [--data ../shared/data/bench/autofj] [--precision 0.9]
 *     [--thresholds 0.6,0.7] [--sets NAME,NAME] [--largest 100000] [--model MODEL] [--json FILE]
 *
 * Pairwise precision is the fraction of pairs within found clusters that are within a true cluster; pairwise
 * recall is the fraction of pairs within true clusters that are within a found one. B-cubed averages
 * precision and recall over rows (Bagga and Baldwin 1998). As in AutoFJ, all left titles count as different;
 * if some are not, precision is understated.
 */
import { readdir, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { PhraseEncoder } from "../dist/encoder/phrase-encoder.js";
import { cluster } from "../dist/group/cluster.js";
import { readColumns } from "../dist/table/whole-table.js";

const { values } = parseArgs({
  options: {
    data: { type: "string", default: "../shared/data/bench/autofj" },
    precision: { type: "string", default: "0.9" },
    thresholds: { type: "string", default: "" },
    sets: { type: "string" },
    largest: { type: "string", default: "100000" },
    model: { type: "string" },
    json: { type: "string" },
  },
});

/** Titles of both tables, and the true cluster of each. */
async function readSet(name) {
  const read = (file, columns) => readColumns(join(values.data, name, file), columns);
  const [leftIds, left] = await read("left.csv", ["id", "title"]);
  const [rightIds, right] = await read("right.csv", ["id", "title"]);
  const [truthLeft, truthRight] = await read("gt.csv", ["id_l", "id_r"]);
  const clusterOf = new Map(truthRight.map((id, row) => [id, `left ${truthLeft[row]}`]));
  return {
    name,
    phrases: [...left, ...right],
    truth: [
      ...leftIds.map((id) => `left ${id}`),
      ...rightIds.map((id) => clusterOf.get(id) ?? `right ${id}`),
    ],
  };
}

function sizes(labels) {
  const counts = new Map();
  for (const label of labels) counts.set(label, (counts.get(label) ?? 0) + 1);
  return counts;
}

const pairsOf = (counts) => [...counts.values()].reduce((sum, count) => sum + (count * (count - 1)) / 2, 0);
const harmonic = (a, b) => (a + b > 0 ? (2 * a * b) / (a + b) : 0);

function judge(groupOf, truth) {
  const both = Array.from(groupOf, (group, row) => `${group} ${truth[row]}`);
  const [found, expected, common] = [sizes(groupOf), sizes(truth), sizes(both)];
  const right = pairsOf(common);
  const precision = pairsOf(found) > 0 ? right / pairsOf(found) : 1;
  const recall = pairsOf(expected) > 0 ? right / pairsOf(expected) : 1;
  let [cubedPrecision, cubedRecall] = [0, 0];
  groupOf.forEach((group, row) => {
    const shared = common.get(both[row]);
    cubedPrecision += shared / found.get(group) / groupOf.length;
    cubedRecall += shared / expected.get(truth[row]) / groupOf.length;
  });
  return {
    pairs: { precision, recall, f1: harmonic(precision, recall) },
    bCubed: { precision: cubedPrecision, recall: cubedRecall, f1: harmonic(cubedPrecision, cubedRecall) },
  };
}

const encoder = await PhraseEncoder.load(values.model);
const settings = [
  { precision: Number(values.precision) },
  ...values.thresholds
    .split(",")
    .filter((text) => text !== "")
    .map((text) => ({ threshold: Number(text) })),
];
const names = values.sets?.split(",") ?? (await readdir(values.data)).sort();
const sets = [];
for (const name of names) {
  const { phrases, truth } = await readSet(name);
  if (phrases.length > Number(values.largest)) continue;
  for (const setting of settings) {
    const before = process.cpuUsage();
    const start = performance.now();
    const found = await cluster(phrases, { encoder, ...setting });
    const { user, system } = process.cpuUsage(before);
    const scores = judge(found.groupOf, truth);
    const { threshold, estimate: estimatedPrecision } = found;
    const seconds = (performance.now() - start) / 1000;
    const row = { name, rows: phrases.length, ...setting, threshold, estimatedPrecision, ...scores };
    sets.push({ ...row, seconds, processorSeconds: (user + system) / 1e6 });
    const shown = (score) =>
      `${score.precision.toFixed(3)} ${score.recall.toFixed(3)} ${score.f1.toFixed(3)}`;
    console.log(
      `${name.padEnd(26)} ${String(phrases.length).padStart(6)} at ${threshold.toFixed(2)} ` +
        `estimated ${estimatedPrecision.toFixed(3)} pairs ${shown(scores.pairs)} B3 ${shown(scores.bCubed)} ${seconds.toFixed(1)} s`,
    );
  }
}
const mean = (rows, value) => rows.reduce((sum, row) => sum + value(row), 0) / rows.length;
const summaries = settings.map((setting) => {
  const rows = sets.filter((row) =>
    setting.threshold === undefined
      ? row.precision !== undefined
      : row.threshold === setting.threshold && row.precision === undefined,
  );
  const scores = (kind) =>
    Object.fromEntries(
      ["precision", "recall", "f1"].map((name) => [name, mean(rows, (row) => row[kind][name])]),
    );
  const estimatedPrecision = mean(rows, (row) => row.estimatedPrecision);
  return {
    ...setting,
    sets: rows.length,
    estimatedPrecision,
    pairs: scores("pairs"),
    bCubed: scores("bCubed"),
  };
});
console.log(JSON.stringify(summaries, null, 2));
await encoder.dispose();
if (values.json) {
  const record = {
    benchmark: "dedupe",
    data: "AutoFJ, left and right titles of each set as one table",
    model: encoder.model.name,
    ...{ cores: availableParallelism(), node: process.version },
    ...{ summaries, sets },
  };
  await writeFile(values.json, `${JSON.stringify(record, null, 2)}\n`);
}
