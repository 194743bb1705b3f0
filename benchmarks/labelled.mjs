/**
 * Joins that learn from judged pairs, beside systems that were trained on the same pairs (abt-buy and walmart-amazon, public splits).
 *
 *     npm run build && node benchmarks/labelled.mjs [--data FOLDER] [--counts 60,200,600,2000] [--seeds 1,2,3] [--model MODEL]
 *       [--sets NAME,NAME] [--json FILE]
 *
 * The tables are the different rows of all three files. Labels of train and valid, or that many of train drawn at random, are given
 * to the join. Only the judged pairs of test are counted: a pair is found if the join wrote it (probability 0.5 or more). Labels of
 * test take no part. As in the published figures, rows of test pairs also occur in pairs of train: where a row has one partner, a
 * confirmed pair excludes its others.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pairScores } from "../dist/benchmark/metrics.js";
import { PhraseEncoder } from "../dist/encoder/phrase-encoder.js";
import { matchTables } from "../dist/join/match-tables.js";
import { createRandom, sampleWithout } from "../dist/random.js";
import { readWholeTable } from "../dist/table/whole-table.js";
import { readOptions } from "../scripts/options.mjs";
import { round, writeRecord } from "./measuring.mjs";

const { values } = readOptions(
  "data=er-labelled counts=60,200,600,2000 seeds=1,2,3 model sets=abt-buy,walmart-amazon json=labelled",
);
const numbersOf = (list) => list.split(",").filter(Boolean).map(Number);

/** The two tables, and the judged pairs of each file by their rows. */
async function readSet(folder) {
  const rowsOf = { left: new Map(), right: new Map() };
  const splits = /** @type {Record<string, { left: number, right: number, match: boolean }[]>} */ ({});
  let headers = /** @type {string[]} */ ([]);
  for (const split of ["train", "valid", "test"]) {
    const { columns } = await readWholeTable(join(folder, `${split}.csv.gz`), { column: "1" });
    const side = (name) => {
      const own = Object.keys(columns).filter((column) => column.startsWith(`${name}_`));
      return columns.label.map((_, row) => {
        const cells = own.map((column) => columns[column][row]);
        const key = JSON.stringify(cells);
        const known = rowsOf[name].get(key) ?? { row: rowsOf[name].size, cells };
        rowsOf[name].set(key, known);
        return known.row;
      });
    };
    const [left, right] = [side("left"), side("right")];
    const pairOf = (label, at) => ({ left: left[at], right: right[at], match: label === "1" });
    splits[split] = columns.label.map(pairOf);
    headers = Object.keys(columns).filter((name) => name !== "label");
  }
  const table = (name) => {
    const own = headers.filter((header) => header.startsWith(`${name}_`));
    const rows = [...rowsOf[name].values()];
    return Object.fromEntries(
      own.map((header, at) => [header.slice(name.length + 1), rows.map(({ cells }) => cells[at])]),
    );
  };
  const { train, valid, test } = splits;
  return { train, valid, test, tables: { left: table("left"), right: table("right") } };
}

/** Scores of matches on test, and at a promise of .9 the precision on all judged pairs that were not given. */
function judged({ train, valid, test, tables }, known, found) {
  const width = Object.values(tables.right)[0].length;
  const keyOf = ({ left, right }) => left * width + right;
  const scores = (matches, pairs) => {
    const asked = new Set(pairs.map(keyOf));
    const truth = new Set(pairs.filter(({ match }) => match).map(keyOf));
    const found = matches.map(keyOf).filter((key) => asked.has(key));
    return pairScores(found, truth);
  };
  const given = new Set(known.map(keyOf));
  // A few pairs of test are in train, too.
  const isUnseen = (pair) => !given.has(keyOf(pair));
  const { precision, recall, f1 } = scores(found.atPrecision(0.5).matches, test.filter(isUnseen));
  const unseen = [...train, ...valid, ...test].filter(isUnseen);
  const at = found.atPrecision(0.9);
  const { estimate, low, promise } = at;
  const measured = scores(at.matches, unseen);
  return {
    ...{ precision: round(precision ?? 1), recall: round(recall), f1: round(f1), kind: found.kind },
    promise: { established: promise.established, estimate: round(estimate), low: round(low) },
    unseen: {
      precision: round(measured.precision ?? 1),
      recall: round(measured.recall),
      matches: at.matches.length,
    },
  };
}

const encoder = await PhraseEncoder.load(values.model);
const results = [];
for (const name of values.sets.split(",")) {
  const folder = join(values.data, name);
  if (!existsSync(folder)) {
    console.log(`${name}: skipped, ${folder} does not exist`);
    continue;
  }
  const set = await readSet(folder);
  const started = performance.now();
  const without = await matchTables(set.tables.left, set.tables.right, { encoder });
  const all = [...set.train, ...set.valid];
  const drawn = numbersOf(values.counts).flatMap((count) =>
    numbersOf(values.seeds).map((seed) => ({
      seed,
      known: sampleWithout(set.train, count, createRandom(seed)),
    })),
  );
  for (const { seed, known } of [{ known: [] }, ...drawn, { known: all }]) {
    const found = known.length === 0 ? without : await without.withKnown(known);
    const result = { set: name, labels: known.length, seed, ...judged(set, known, found) };
    results.push(result);
    console.log(JSON.stringify(result), `${round((performance.now() - started) / 1000, 1)} s`);
  }
}
await encoder.dispose();
if (results.length > 0) writeRecord({ model: values.model ?? "pearl-mini", results }, values.json);
