/**
 * What answers are worth: a reviewer who knows the truth judges pairs in rounds of ten.
 *
 *     npm run build && node benchmarks/review.mjs [FOLDER] [--sets NAME,NAME] [--strategies NAME,NAME] [--cuts NAME,NAME]
 *       [--json FILE]
 *
 *   FOLDER  sets laid out as in ../shared/data/er (the default): left.csv, right.csv and gt.csv (id_l, id_r) to join;
 *           table.csv and truth.csv (row from 1, entity) to dedupe
 *
 * Strategies: "proposed" asks what `doubtful` proposes: pairs of the most gain and, where a promise is refused, a random
 * sample; "uncertain" the pairs nearest to even odds; "random" any likely pairs (mean of three seeds). Likely pairs are those
 * returned where a precision is refused.
 *
 * Cuts: whether answers establish a refused promise rightly. From each set, tables are drawn with 20, 50 or 100 true pairs (to
 * dedupe: entities of several rows) and as many other rows, with two seeds, compared by all columns and by the one that
 * about.json names. Where the promise is refused at first, the reviewer answers what is proposed until it is established, or
 * 100 answers are given. A promise holds if the precision measured against the truth reaches it: of matches, of pairs of rows
 * in groups, or by one column of rows with the row that is kept. Sets whose truth is incomplete are left out.
 *
 * Writes benchmarks/results/review.json; with --sets or --cuts only prints.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { pairScores } from "../dist/benchmark/metrics.js";
import { pairsInside, readErSet } from "../dist/benchmark/tasks/er.js";
import { PhraseEncoder } from "../dist/encoder/phrase-encoder.js";
import { groupRows } from "../dist/group/group-rows.js";
import { duplicatesByColumn, duplicatesByColumns } from "../dist/group/roads.js";
import { matchTables } from "../dist/join/match-tables.js";
import { joinColumns } from "../dist/join/roads.js";
import { planColumns } from "../dist/match/columns/fields.js";
import { createRandom, sampleWithout } from "../dist/random.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sets: { type: "string" },
    strategies: { type: "string" },
    cuts: { type: "string" },
    json: { type: "string" },
  },
});
const folder = positionals[0] ?? "../shared/data/er";
const isWhole = values.sets === undefined && values.cuts === undefined;
const listed = (text, all) => text?.split(",") ?? (isWhole ? all : []);
const names = listed(values.sets, ["wdc-1", "abt-buy", "chicago-sites", "walmart-amazon"]);
const cutNames = listed(values.cuts, [
  ...["abt-buy", "dblp-acm", "fodors-zagats", "imdb-dbpedia"],
  ...["cora", "chicago-sites", "febrl1", "fake-1000", "wdc-1"],
]);
const cutSizes = [20, 50, 100];
const cutSeeds = [1, 2];
const strategies = values.strategies?.split(",") ?? ["proposed", "uncertain", "random"];
const answersAt = [0, 20, 50, 100];
const round = 10;
const promised = 0.9;

async function readSet(name) {
  const about = JSON.parse(readFileSync(join(folder, name, "about.json"), "utf8"));
  return { name, about, ...(await readErSet(join(folder, name))) };
}

const isMatch = ({ pairs, width, right }, a, b) =>
  pairs.has(right === undefined && a > b ? b * width + a : a * width + b);

/** Where nothing is found, precision is 0. */
function judge(set, { matches, groupOf }) {
  const found = matches?.map(({ left, right }) => left * set.width + right) ?? pairsInside(groupOf);
  const { precision = 0, ...scores } = pairScores(found, set.pairs);
  return { ...scores, precision };
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

/** Some true pairs of a set, or entities of several rows, and as many other rows. */
function cut({ about, left, right, pairs: gold, width }, size, random) {
  const pairs = [...gold].map((pair) => [Math.floor(pair / width), pair % width]);
  const drawn = (list) => sampleWithout(list, Math.min(size, list.length), random);
  const withOthers = (table, chosen) => {
    const others = [...Object.values(table)[0].keys()].filter((row) => !chosen.has(row));
    return [...chosen, ...drawn(others)].sort((a, b) => a - b);
  };
  const taken = (table, rows) =>
    Object.fromEntries(Object.entries(table).map(([name, cells]) => [name, rows.map((row) => cells[row])]));
  const cutGold = (...sides) => {
    const [a, b] = sides.map((rows) => new Map(rows.map((row, place) => [row, place])));
    const inside = pairs.filter(([x, y]) => a.has(x) && b.has(y));
    return { pairs: new Set(inside.map(([x, y]) => a.get(x) * b.size + b.get(y))), width: b.size };
  };
  if (right !== undefined) {
    const some = drawn(pairs);
    const [lefts, rights] = [left, right].map((table, side) =>
      withOthers(table, new Set(some.map((pair) => pair[side]))),
    );
    return { about, left: taken(left, lefts), right: taken(right, rights), ...cutGold(lefts, rights) };
  }
  const firstOf = new Map();
  for (const [a, b] of pairs) if (!firstOf.has(b)) firstOf.set(b, firstOf.get(a) ?? a);
  const firsts = new Set(drawn([...new Set(firstOf.values())]));
  const chosen = [...firstOf].flatMap(([row, first]) => (firsts.has(first) ? [row] : []));
  const rows = withOthers(left, new Set([...firsts, ...chosen]));
  return { about, left: taken(left, rows), ...cutGold(rows, rows) };
}

/** The columns to compare: all, or the one that about.json names. */
function compare({ about, left, right }, columns) {
  const options = { encoder, precision: promised, known: [] };
  const [on] = about.on.split(":");
  if (right === undefined)
    return columns === "all" ? duplicatesByColumns(left, options) : duplicatesByColumn(left, on, options);
  const chosen = columns === "all" ? options : { ...options, on: [on] };
  return joinColumns({ left, right }, planColumns(left, right, chosen), chosen);
}

function stateOf(set, { findings, matches, report, table }, columns) {
  const { promise } = findings ?? report;
  if (report === undefined || columns === "all")
    return { promise, ...judge(set, { matches, groupOf: table?.groupOf }) };
  const rows = report.groups.flatMap(({ others }) => others);
  const right = rows.filter(({ row, keptRow }) => isMatch(set, row, keptRow)).length;
  return { promise, pairs: rows.length, precision: right / Math.max(1, rows.length) };
}

/** Answers what is proposed until the promise is established. */
async function reviewCut(set, columns) {
  let result = await compare(set, columns);
  const first = stateOf(set, result, columns);
  const known = [];
  const isEstablished = () => stateOf(set, result, columns).promise.established;
  while (!isEstablished() && known.length < 100) {
    const asked = result.doubtful(round);
    if (asked.length === 0) break;
    for (const { left, right } of asked) known.push({ left, right, match: isMatch(set, left, right) });
    result = await result.withKnown(known);
  }
  const last = stateOf(set, result, columns);
  const short = ({ promise, pairs, precision }) => {
    const { established, reason } = promise;
    return { established, reason, matches: pairs, precision: Number(precision.toFixed(3)) };
  };
  return { answers: known.length, first: short(first), last: short(last) };
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
const cuts = [];
console.log("set | columns | size | seed | answers | first: matches P | last: matches P established reason");
for (const name of cutNames) {
  const whole = await readSet(name);
  const runs = ["all", "one"].flatMap((columns) =>
    cutSizes.flatMap((size) => cutSeeds.map((seed) => ({ set: name, columns, size, seed }))),
  );
  for (const run of runs) {
    const set = cut(whole, run.size, createRandom(run.seed));
    const found = await reviewCut(set, run.columns);
    cuts.push({ ...run, truePairs: set.pairs.size, ...found });
    const [first, last] = [found.first, found.last].map(
      ({ matches, precision }) => `${matches} ${precision}`,
    );
    const { established, reason } = found.last;
    console.log([...Object.values(run), found.answers, first, last, established, reason].join(" | "));
  }
}
await encoder.dispose();
/** How often the promise was refused, then established, and how often it held. */
const counted = (columns) => {
  const some = cuts.filter((one) => one.columns === columns);
  const held = (list, state) => list.filter((one) => one[state].precision >= promised).length;
  const [atFirst, refused] = [true, false].map((flag) =>
    some.filter(({ first }) => first.established === flag),
  );
  const later = refused.filter(({ last }) => last.established);
  const answers = later.map((one) => one.answers).sort((a, b) => a - b);
  return {
    ...{ tables: some.length, establishedAtFirst: atFirst.length, heldAtFirst: held(atFirst, "first") },
    ...{ refused: refused.length, establishedByAnswers: later.length, held: held(later, "last") },
    answers: [answers[0], answers[answers.length >> 1], answers.at(-1)],
  };
};
const counts = { all: counted("all"), one: counted("one") };
console.log(counts);
const what = "a simulated review in rounds of ten";
const record = { what, promised, node: process.version, sets, counts, cuts };
const path = values.json ?? (isWhole && fileURLToPath(new URL("results/review.json", import.meta.url)));
if (path) {
  mkdirSync(new URL("results/", import.meta.url), { recursive: true });
  writeFileSync(path, `${JSON.stringify(record, null, 1)}\n`);
}
