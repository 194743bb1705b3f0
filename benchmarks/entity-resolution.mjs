/**
 * Matches public tables by all their columns, without labels or flags, beside a TF-IDF baseline.
 *
 *     npm run build && node benchmarks/entity-resolution.mjs [FOLDER] [--sets NAME,NAME] [--json FILE]
 *
 *   FOLDER  sets laid out as in ../shared/data/er (the default): left.csv, right.csv and gt.csv (id_l, id_r) to join;
 *           table.csv and truth.csv (row from 1, entity) to dedupe; about.json says which
 *
 * The baseline compares whole rows as one text by weighted 3-grams, words and initials; its threshold is the one that
 * gives the best F1 on the set itself, which no user could know. Writes benchmarks/results/entity-resolution.json; with
 * --sets only prints.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { PhraseEncoder } from "../dist/encoder/phrase-encoder.js";
import { groupRows } from "../dist/group/group-rows.js";
import { matchTables } from "../dist/join/match-tables.js";
import { indexTerms, termRows } from "../dist/match/candidates/grams.js";
import { TermSearch } from "../dist/match/candidates/term-search.js";
import { foldPhrase } from "../dist/match/evidence/phrase.js";
import { readWholeTable } from "../dist/table/whole-table.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { sets: { type: "string" }, json: { type: "string" } },
});
const folder = positionals[0] ?? "../shared/data/er";
const promises = [0.9, 0.8, 0.95];
const round = (value, digits = 3) => Number(value.toFixed(digits));

async function readSet(name) {
  const read = async (file) => (await readWholeTable(join(folder, name, file))).columns;
  const about = JSON.parse(readFileSync(join(folder, name, "about.json"), "utf8"));
  if (about.kind === "join") {
    const [left, right, gt] = [await read("left.csv"), await read("right.csv"), await read("gt.csv")];
    const width = right.id.length;
    const rowOf = (table) => new Map(table.id.map((id, row) => [id, row]));
    const [leftRows, rightRows] = [rowOf(left), rowOf(right)];
    const gold = new Set(gt.id_l.map((id, pair) => leftRows.get(id) * width + rightRows.get(gt.id_r[pair])));
    return { name, about, left, right, gold, width };
  }
  const [left, truth] = [await read("table.csv"), await read("truth.csv")];
  const entities = [];
  truth.row.forEach((row, place) => {
    entities[row - 1] = truth.entity[place];
  });
  const width = entities.length;
  const gold = new Set(pairsInside(entities).map(([a, b]) => a * width + b));
  return { name, about, left, gold, width };
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

function judge(pairs, { gold, width }) {
  const right = pairs.filter(([a, b]) => gold.has(a * width + b)).length;
  const precision = pairs.length === 0 ? 1 : right / pairs.length;
  const recall = right / gold.size;
  const f1 = precision + recall > 0 ? (2 * precision * recall) / (precision + recall) : 0;
  return { pairs: pairs.length, precision: round(precision), recall: round(recall), f1: round(f1) };
}

/** Best F1 over all thresholds of the cosine of whole rows; of a row only the nearest other row is proposed. */
function baseline(set) {
  const textsOf = (table) => {
    const columns = Object.entries(table).filter(([name]) => name !== "id");
    return columns[0][1].map((_, row) => foldPhrase(columns.map(([, cells]) => cells[row]).join(" ")));
  };
  const left = textsOf(set.left);
  const right = set.right === undefined ? left : textsOf(set.right);
  const terms = termRows(left, set.right === undefined ? [] : right);
  const queries = set.right === undefined ? terms.left : terms.right;
  const search = new TermSearch(indexTerms(terms.left, terms.statistics.documents.length), terms.left);
  const found = new Map();
  right.forEach((_, row) => {
    const accept = set.right === undefined ? (other) => other !== row : undefined;
    for (const best of search.find(queries, row, { k: 1, postings: 20_000, accept })) {
      const pair = set.right === undefined && best.row > row ? [row, best.row] : [best.row, row];
      found.set(pair.join(), { pair, score: best.score });
    }
  });
  const ranked = [...found.values()].sort((a, b) => b.score - a.score);
  let [right_, best] = [0, { f1: 0, precision: 1, recall: 0 }];
  ranked.forEach(({ pair: [a, b] }, place) => {
    if (set.gold.has(a * set.width + b)) right_++;
    const f1 = (2 * right_) / (place + 1 + set.gold.size);
    if (f1 > best.f1) best = { f1, precision: right_ / (place + 1), recall: right_ / set.gold.size };
  });
  return { precision: round(best.precision), recall: round(best.recall), f1: round(best.f1) };
}

const chosen = values.sets?.split(",");
const names = readdirSync(folder).filter((name) => existsSync(join(folder, name, "about.json")));
const encoder = await PhraseEncoder.load();
const sets = [];
const cell = (value) => (typeof value === "number" ? value.toFixed(3) : value);
console.log(
  "set | promise | P | R | F1 | estimate | low-high | established | seconds | tf-idf, best threshold P R F1",
);
for (const name of names.filter((each) => chosen === undefined || chosen.includes(each))) {
  const set = await readSet(name);
  const started = performance.now();
  const result =
    set.right === undefined
      ? await groupRows(set.left, { encoder })
      : await matchTables(set.left, set.right, { encoder });
  const seconds = round((performance.now() - started) / 1000, 1);
  const simple = baseline(set);
  const at = promises.map((promised) => {
    const found = result.atPrecision(promised);
    const pairs =
      set.right === undefined
        ? pairsInside(found.groupOf)
        : found.matches.map(({ left, right }) => [left, right]);
    const { estimate, low, high, promise } = found;
    const range = { estimate: round(estimate), low: round(low), high: round(high) };
    return {
      promised,
      ...judge(pairs, set),
      ...range,
      established: promise.established,
      reason: promise.reason,
    };
  });
  const columns = result.columns.map(({ name: column, other, kind, weights }) => {
    return { column, other, kind, weights: weights.map((weight) => round(weight, 2)) };
  });
  sets.push({
    set: name,
    kind: result.kind ?? "groups",
    gold: set.about.gold ?? "whole",
    seconds,
    baseline: simple,
    at,
    columns,
  });
  for (const row of at) {
    const { promised, precision, recall, f1, estimate, low, high, established, reason } = row;
    const line = [name, promised, precision, recall, f1, estimate, `${cell(low)}-${cell(high)}`];
    const said = established ? "yes" : `no: ${reason}`;
    const other = promised === 0.9 ? `${seconds} | ${Object.values(simple).map(cell).join(" ")}` : "";
    console.log([...line.map(cell), said, other].join(" | "));
  }
}
await encoder.dispose();

/** What the promise is worth: over sets with whole gold. */
const summary = promises.map((promised) => {
  const whole = sets.filter(({ gold }) => gold !== "incomplete");
  const kept = whole.flatMap(({ at }) => at.filter((row) => row.promised === promised && row.established));
  const errors = kept.map(({ precision, estimate }) => Math.abs(precision - estimate));
  const mean = errors.reduce((sum, error) => sum + error, 0) / Math.max(1, errors.length);
  const lowest = Math.min(1, ...kept.map(({ precision }) => precision));
  return {
    promised,
    sets: whole.length,
    established: kept.length,
    lowest,
    meanError: round(mean),
    largestError: round(Math.max(0, ...errors)),
  };
});
console.log(summary);
const record = {
  what: "rows matched by all columns, no labels, no flags; pairs of rows; baseline: TF-IDF of whole rows with the best threshold",
  promises: summary,
  node: process.version,
  machine: { processor: cpus()[0].model, cores: cpus().length },
  sets,
};
const path =
  values.json ??
  (chosen === undefined && fileURLToPath(new URL("results/entity-resolution.json", import.meta.url)));
if (path) {
  mkdirSync(new URL("results/", import.meta.url), { recursive: true });
  writeFileSync(path, `${JSON.stringify(record, null, 1)}\n`);
}
