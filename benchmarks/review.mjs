/**
 * What answers are worth: a reviewer who knows the truth judges pairs in rounds of ten.
 *
 *     npm run build && node benchmarks/review.mjs [FOLDER] [--sets NAME,NAME] [--strategies NAME,NAME] [--json FILE]
 *
 *   FOLDER  sets laid out as in ../shared/data/er (the default): left.csv, right.csv and gt.csv (id_l, id_r) to join;
 *           table.csv and truth.csv (row from 1, entity) to dedupe
 *
 * Strategies: "proposed" asks what `doubtful` proposes: pairs of the most gain and, where a promise is refused, a random
 * sample; "uncertain" the pairs nearest to even odds; "random" any likely pairs (mean of three seeds). Likely pairs are those
 * returned where a precision is refused. Writes benchmarks/results/review.json; with --sets only prints.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { PhraseEncoder } from "../dist/encoder/phrase-encoder.js";
import { groupRows } from "../dist/group/group-rows.js";
import { matchTables } from "../dist/join/match-tables.js";
import { createRandom, sampleWithout } from "../dist/random.js";
import { readWholeTable } from "../dist/table/whole-table.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { sets: { type: "string" }, strategies: { type: "string" }, json: { type: "string" } },
});
const folder = positionals[0] ?? "../shared/data/er";
const names = values.sets?.split(",") ?? ["wdc-1", "abt-buy", "chicago-sites", "walmart-amazon"];
const strategies = values.strategies?.split(",") ?? ["proposed", "uncertain", "random"];
const answersAt = [0, 20, 50, 100];
const round = 10;
const promised = 0.9;

async function readSet(name) {
  const read = async (file) => (await readWholeTable(join(folder, name, file))).columns;
  const about = JSON.parse(readFileSync(join(folder, name, "about.json"), "utf8"));
  if (about.kind === "join") {
    const [left, right, gt] = [await read("left.csv"), await read("right.csv"), await read("gt.csv")];
    const rowOf = (table) => new Map(table.id.map((id, row) => [id, row]));
    const [leftRows, rightRows] = [rowOf(left), rowOf(right)];
    const gold = new Set(gt.id_l.map((id, pair) => `${leftRows.get(id)} ${rightRows.get(gt.id_r[pair])}`));
    return { name, about, left, right, gold };
  }
  const [left, truth] = [await read("table.csv"), await read("truth.csv")];
  const entities = [];
  truth.row.forEach((row, place) => {
    entities[row - 1] = truth.entity[place];
  });
  return { name, about, left, gold: new Set(pairsInside(entities).map((pair) => pair.join(" "))) };
}

/** Pairs of rows with equal labels, the smaller row first. */
function pairsInside(labels) {
  const members = new Map();
  labels.forEach((label, row) => {
    if (members.has(label)) members.get(label).push(row);
    else members.set(label, [row]);
  });
  return [...members.values()].flatMap((rows) =>
    rows.flatMap((a, place) => rows.slice(place + 1).map((b) => [a, b])),
  );
}

const isMatch = ({ gold, right }, a, b) => gold.has(right === undefined && a > b ? `${b} ${a}` : `${a} ${b}`);

function judge(set, found) {
  const pairs = found.matches?.map(({ left, right }) => [left, right]) ?? pairsInside(found.groupOf);
  const right = pairs.filter(([a, b]) => isMatch(set, a, b)).length;
  const [precision, recall] = [right / Math.max(1, pairs.length), right / set.gold.size];
  return {
    pairs: pairs.length,
    precision,
    recall,
    f1: (2 * right) / Math.max(1, pairs.length + set.gold.size),
  };
}

const choose = {
  proposed: (result) => result.doubtful(round),
  uncertain: (result) =>
    result
      .doubtful(Infinity)
      .sort((a, b) => Math.abs(a.probability - 0.5) - Math.abs(b.probability - 0.5))
      .slice(0, round),
  random: (result, random) => sampleWithout(result.doubtful(Infinity), round, random),
};

/** The state after each number of answers. */
async function review(set, unlabelled, strategy, seed) {
  const random = createRandom(seed);
  const known = [];
  let result = unlabelled;
  const states = [];
  for (const count of answersAt) {
    while (known.length < count) {
      const asked = choose[strategy](result, random);
      if (asked.length === 0) break;
      for (const { left, right } of asked) known.push({ left, right, match: isMatch(set, left, right) });
      result = await result.withKnown(known);
    }
    const { estimate, promise } = result;
    states.push({
      answers: known.length,
      yes: known.filter(({ match }) => match).length,
      estimate,
      established: promise.established ? 1 : 0,
      bySample: promise.established && promise.reason.includes("at random") ? 1 : 0,
      promised: judge(set, result),
      // No estimate reaches 1, so these are the likely pairs.
      likely: judge(set, result.atPrecision(1)),
    });
  }
  return states;
}

/** Means of numbers at the same place in several objects. */
function mean(objects) {
  if (typeof objects[0] === "number")
    return Number((objects.reduce((sum, value) => sum + value, 0) / objects.length).toFixed(3));
  return Object.fromEntries(
    Object.keys(objects[0]).map((key) => [key, mean(objects.map((one) => one[key]))]),
  );
}

const encoder = await PhraseEncoder.load();
const sets = [];
console.log("set | asked | answers | yes | promised P R F1 | estimate | established | likely P R F1");
for (const name of names) {
  const set = await readSet(name);
  const unlabelled = await (set.right === undefined
    ? groupRows(set.left, { encoder, precision: promised })
    : matchTables(set.left, set.right, { encoder, precision: promised }));
  for (const strategy of strategies) {
    const runs = [];
    for (const seed of strategy === "random" ? [1, 2, 3] : [1])
      runs.push(await review(set, unlabelled, strategy, seed));
    const states = answersAt.map((_, place) => mean(runs.map((states) => states[place])));
    sets.push({ set: name, gold: set.about.gold ?? "whole", strategy, seeds: runs.length, states });
    for (const { answers, yes, estimate, established, promised: kept, likely } of states) {
      const scores = ({ precision, recall, f1 }) =>
        [precision, recall, f1].map((x) => x.toFixed(3)).join(" ");
      console.log(
        [name, strategy, answers, yes, scores(kept), estimate, established, scores(likely)].join(" | "),
      );
    }
  }
}
await encoder.dispose();
const record = { what: "a simulated review in rounds of ten", promised, node: process.version, sets };
const path =
  values.json ??
  (values.sets === undefined && fileURLToPath(new URL("results/review.json", import.meta.url)));
if (path) {
  mkdirSync(new URL("results/", import.meta.url), { recursive: true });
  writeFileSync(path, `${JSON.stringify(record, null, 1)}\n`);
}
