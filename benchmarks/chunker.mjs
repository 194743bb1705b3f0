/**
 * Measures the accuracy of the chunker on CoNLL-2000, and its speed.
 *
 *     npm run build && node benchmarks/chunker.mjs [--data ../shared/data] [--show CLASS|all]
 *
 * With --show, the most frequent errors in the development half are printed and no result is written.
 *
 * The gold rows (train/chunks.tsv.gz) are phrases with class and count, but without sentences, so each row is
 * chunked alone. A row of `conll2000` is one gold chunk; a row of `conll2000_pp+np` or `conll2000_vp+np` is
 * two adjacent ones, split where the first part is a known gold chunk of its class and the second a known NP.
 * As in the shared task, a predicted chunk is right only if both ends and the class are right:
 * precision = right / predicted, recall = right / gold, F1 is their harmonic mean; rows are weighted by count.
 * Systems of the shared task see whole sentences, but here the tagger does not, so the scores are not
 * comparable. "types" counts every row once. The rules were written by inspecting only the development half
 * (by a hash of the phrase); quote the held-out half.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { chunkSentence, joinCompounds } from "../dist/corpus/text/chunker.js";
import { createTagger } from "../dist/corpus/text/tagger.js";
import { readOptions } from "../scripts/options.mjs";
import { readRows } from "../scripts/training-tables.mjs";
import { machine, median, round, stopwatch, writeRecord } from "./measuring.mjs";

const { values: options } = readOptions("data= json=chunker show");
const CLASSES = ["NP", "VP", "PP", "ADVP", "ADJP"];
const tagger = createTagger();
const gold = readGold();
const halves = { development: newScore(), "held-out": newScore() };
const errors = [];
for (const row of gold) scoreRow(row);
if (options.show === undefined) {
  const task = "CoNLL-2000 chunks without their sentences";
  const scores = Object.fromEntries(Object.entries(halves).map(([name, score]) => [name, summary(score)]));
  const record = { task, rows: gold.length, halves: scores, speed: measureSpeed(), machine: machine() };
  writeRecord(record, options.json);
} else showErrors();

/** Rows with their gold chunks: class, start and end, in characters without spaces. */
function readGold() {
  const rows = [...readRows(join(options.data, "train/chunks.tsv.gz"))];
  const split = rows.filter((row) => row[3].startsWith("conll2000"));
  const known = new Map(CLASSES.map((name) => [name, new Set()]));
  for (const [phrase, name, , source] of split) if (source === "conll2000") known.get(name)?.add(phrase);
  const gold = [];
  for (const [phrase, name, count, source] of split) {
    if (source === "conll2000") {
      const chunks = [[name, 0, compact(phrase).length]];
      gold.push({ phrase, kind: "single", count: Number(count), chunks });
      continue;
    }
    const cut = cutOf(phrase, known.get(name), known.get("NP"));
    if (cut === undefined) continue;
    const middle = compact(phrase.slice(0, cut)).length;
    const chunks = [
      [name, 0, middle],
      ["NP", middle, compact(phrase).length],
    ];
    gold.push({ phrase, kind: "joined", count: Number(count), chunks });
  }
  return gold;
}

/** The space between a known first chunk and a known NP, or undefined if there is not exactly one. */
function cutOf(phrase, firsts, seconds) {
  const cuts = [];
  for (let space = phrase.indexOf(" "); space >= 0; space = phrase.indexOf(" ", space + 1))
    if (firsts.has(phrase.slice(0, space)) && seconds.has(phrase.slice(space + 1))) cuts.push(space);
  return cuts.length === 1 ? cuts[0] : undefined;
}

function compact(text) {
  return text.replaceAll(" ", "");
}

function scoreRow({ phrase, kind, count, chunks }) {
  const half = createHash("md5").update(phrase).digest()[0] % 2 === 0 ? "development" : "held-out";
  const text = phrase.replaceAll("``", '"').replaceAll(" n't", "n't");
  const lengths = [];
  for (let place = 0, seen = 0; place <= text.length; place++) {
    lengths.push(seen);
    if (text[place] !== " ") seen++;
  }
  const predicted = [];
  for (const sentence of tagger.sentences(text)) {
    const words = joinCompounds(sentence);
    for (const { lexicalClass, first, last } of chunkSentence(words))
      predicted.push([lexicalClass, lengths[words[first].start], lengths[words[last].end]]);
  }
  const shift = text === phrase ? 0 : compact(phrase).length - compact(text).length;
  const found = new Set(
    predicted.map(
      ([name, start, end]) => `${name} ${start} ${end + (shift && end === compact(text).length ? shift : 0)}`,
    ),
  );
  const expected = new Set(chunks.map((chunk) => chunk.join(" ")));
  for (const weighing of ["occurrences", "types"]) {
    const weight = weighing === "types" ? 1 : count;
    for (const set of [kind, "all"]) {
      const table = halves[half][weighing][set];
      for (const key of found) table[key.split(" ")[0]].predicted += weight;
      for (const key of expected) {
        table[key.split(" ")[0]].gold += weight;
        if (found.has(key)) table[key.split(" ")[0]].right += weight;
      }
    }
  }
  if (half === "development" && [...expected].some((key) => !found.has(key))) {
    const tags = tagger
      .sentences(text)
      .flatMap((sentence) => sentence.map((word) => `${word.text}/${word.tag}`));
    errors.push({
      phrase,
      count,
      expected: String([...expected]),
      found: String([...found]),
      tags: tags.join(" "),
    });
  }
}

function newScore() {
  const table = () => Object.fromEntries(CLASSES.map((name) => [name, { gold: 0, predicted: 0, right: 0 }]));
  const sets = () => ({ single: table(), joined: table(), all: table() });
  return { occurrences: sets(), types: sets() };
}

/** Precision, recall and F1 by weighing, set of rows and class, and of all classes together. */
function summary(score) {
  const line = ({ gold, predicted, right }) => {
    const [precision, recall] = [predicted, gold].map((of) => (of === 0 ? 0 : right / of));
    const f1 = right === 0 ? 0 : (2 * precision * recall) / (precision + recall);
    return { precision: round(precision), recall: round(recall), f1: round(f1), gold, predicted };
  };
  const mapped = (table, change) =>
    Object.fromEntries(Object.entries(table).map(([name, one]) => [name, change(one)]));
  const withTotal = (classes) => {
    const all = { gold: 0, predicted: 0, right: 0 };
    for (const row of Object.values(classes)) for (const key of Object.keys(all)) all[key] += row[key];
    return mapped({ ...classes, all }, line);
  };
  return mapped(score, (sets) => mapped(sets, withTotal));
}

/**
 * Speed of tagging and chunking on one thread, in wall-clock time, which other load affects, and in processor
 * time; medians of three rounds.
 */
function measureSpeed() {
  const rows = [...readRows(join(options.data, "train/text/wikinews.tsv.gz"))];
  const texts = rows.slice(0, 700).map(([, text = ""]) => text);
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  const rounds = [1, 2, 3].map(() => {
    const watch = stopwatch();
    let tokens = 0;
    for (const text of texts)
      for (const sentence of tagger.sentences(text)) {
        tokens += sentence.length;
        chunkSentence(joinCompounds(sentence));
      }
    return { tokens, ...watch() };
  });
  const [seconds, processorSeconds] = ["seconds", "processorSeconds"].map((key) =>
    median(rounds.map((one) => one[key])),
  );
  return {
    tokensPerSecond: Math.round(rounds[0].tokens / seconds),
    tokensPerProcessorSecond: Math.round(rounds[0].tokens / processorSeconds),
    megabytesPerSecond: round(bytes / seconds / 1e6, 2),
    processorSecondsPerMegabyte: round(processorSeconds / (bytes / 1e6), 2),
  };
}

/** Prints the most frequent errors in the development half, to improve the rules. */
function showErrors() {
  const selected = errors.filter(
    ({ expected }) => options.show === "all" || expected.startsWith(options.show),
  );
  for (const { phrase, count, expected, found, tags } of selected
    .sort((a, b) => b.count - a.count)
    .slice(0, 60))
    console.log(count, phrase, expected, "=>", found, tags);
}
