/**
 * Measures how many gold phrases get an entity type without a model, and how often it is right.
 *
 *     npm run build && node benchmarks/typing.mjs [--data ../shared/data] [--sample 1] [--show COUNT]
 *
 * With --sample N only about one phrase in N is measured; --show prints the most frequent errors in the
 * development half instead of writing the result.
 *
 * The gold data is train/types.tsv.gz: each row has a phrase without its sentence, one of 19 types, a source
 * and its quality (gold, silver or list). coverage = labelled / rows; agreement = equal to gold / labelled;
 * every row counts once. The patterns were written by inspecting only the development half (by a hash of the
 * phrase); quote the held-out half. A phrase may have several types in the table, but gets only one:
 * "ceiling" is the agreement if each phrase gets its most frequent type.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { createPhraseTyper } from "../dist/corpus/typing/phrase-typer.js";
import { readOptions } from "../scripts/options.mjs";
import { readRows } from "../scripts/training-tables.mjs";
import { machine, round, stopwatch, writeRecord } from "./measuring.mjs";

const { values: options } = readOptions("data= json=typing sample=1 show");
const rows = [...readRows(join(options.data, "train/types.tsv.gz"))];
const typer = await createPhraseTyper();
const tallies = { development: newTally(), "held-out": newTally() };
const examples = new Map();
const watch = stopwatch();
let measured = 0;
for (const [phrase, lexicalClass, type, source, quality] of rows) {
  const digest = createHash("md5").update(phrase).digest();
  if (digest[1] % Number(options.sample) !== 0) continue;
  measured++;
  const label = typer(phrase, lexicalClass);
  const name = digest[0] % 2 === 0 ? "development" : "held-out";
  tally(tallies[name], { phrase, type, source: source.split(":")[0], quality }, label);
  if (name === "development" && label?.type !== type) {
    const key = `${type} -> ${label?.type ?? "-"} (${label?.source ?? ""})`;
    examples.set(key, [...(examples.get(key) ?? []), phrase]);
  }
}
const { processorSeconds } = watch();
if (options.show === undefined) {
  const record = {
    ...{ task: "entity types of gold phrases without a model", rows: measured },
    halves: Object.fromEntries(Object.entries(tallies).map(([name, one]) => [name, summary(one)])),
    ...{ processorSecondsPer100000: round((processorSeconds / measured) * 1e5, 1), machine: machine() },
  };
  writeRecord(record, options.json);
} else {
  const frequent = [...examples].sort((a, b) => b[1].length - a[1].length).slice(0, Number(options.show));
  for (const [key, phrases] of frequent) {
    const shown = phrases.filter((_, i) => i % Math.ceil(phrases.length / 14) === 0);
    console.log(key, phrases.length, shown.join(" | "));
  }
}

function newTally() {
  const tables = { byTypeSource: {}, bySource: {}, byType: {}, byQuality: {} };
  return { all: cell(), ...tables, pairs: {}, phrases: new Map() };
}

function cell() {
  return { rows: 0, labelled: 0, right: 0 };
}

function tally(one, { phrase, type, source, quality }, label) {
  const add = (table, key) => {
    table[key] ??= cell();
    table[key].rows++;
    if (label !== undefined) table[key].labelled++;
    if (label?.type === type) table[key].right++;
  };
  add(one, "all");
  add(one.bySource, source);
  add(one.byType, type);
  add(one.byQuality, quality);
  if (label !== undefined) add(one.byTypeSource, label.source);
  if (label !== undefined && label.type !== type) {
    const pair = `${type} labelled ${label.type}`;
    one.pairs[pair] = (one.pairs[pair] ?? 0) + 1;
  }
  const types = one.phrases.get(phrase) ?? [];
  one.phrases.set(phrase, [...types, type]);
}

function summary(one) {
  const line = ({ rows, labelled, right }) => ({
    rows,
    coverage: round(labelled / rows),
    agreement: labelled === 0 ? null : round(right / labelled),
  });
  const table = (cells) =>
    Object.fromEntries(
      Object.entries(cells)
        .sort((left, right) => right[1].rows - left[1].rows)
        .map(([key, value]) => [key, line(value)]),
    );
  let ceiling = 0;
  for (const types of one.phrases.values()) {
    const counts = new Map();
    for (const type of types) counts.set(type, (counts.get(type) ?? 0) + 1);
    ceiling += Math.max(...counts.values());
  }
  const worstPairs = Object.entries(one.pairs).sort((left, right) => right[1] - left[1]);
  return {
    all: { ...line(one.all), ceiling: round(ceiling / one.all.rows) },
    byTypeSource: table(one.byTypeSource),
    byQuality: table(one.byQuality),
    byType: table(one.byType),
    bySource: table(one.bySource),
    worstPairs: worstPairs.slice(0, 30).map(([pair, count]) => ({ pair, rows: count })),
  };
}
