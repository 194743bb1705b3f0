/**
 * Measures how well spans are tagged after one and five examples of each tag.
 *
 *     npm run build && node benchmarks/tag.mjs [--data ../shared/data] [--tested 1000]
 *
 * Target: CoNLL-2003 (PER, LOC, ORG, MISC), the development half of the benchmark. Support: sentences drawn greedily, the
 * rarest tag first, until each tag has at least K spans (Yang and Katiyar, 2020; CONTaiNER draws in the same way). Test:
 * the first --tested sentences; support comes from the others. Metric: F1 of whole spans with their tags, mean and standard deviation over
 * ten draws. This is not the protocol of the CONTaiNER paper, whose source is OntoNotes and whose test set is CoNLL's:
 *
 * Source: sentences of Wikinews in which every word with a capital, except the first, is part of a name in
 * train/types.tsv.gz; its tags are those names' types. No person tagged them, and rows of CoNLL-2003 are left out.
 *
 * - NNShot: the nearest token of the support, by the features of the encoder alone
 * - Viterbi: with the transitions of the source
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { spanScores } from "../dist/fewshot/tag/decode.js";
import { spansOf } from "../dist/fewshot/tag/sentences.js";
import { decoded, distancesTo } from "../dist/fewshot/tag/tagger.js";
import { placesOf, tokenFeatures } from "../dist/fewshot/tag/tokens.js";
import { PhraseEncoder, trainTagger } from "../dist/index.js";
import { createRandom, shuffled } from "../dist/random.js";
import { readOptions } from "../scripts/options.mjs";
import { readRows } from "../scripts/training-tables.mjs";
import { summary, writeRecord } from "./measuring.mjs";

const { values: options } = readOptions("data= json=tag tested=1000 draws=10");
const rowsOf = (path) => readRows(join(options.data, path));

function target() {
  const lines = readFileSync(join(options.data, "bench/conll2003/dev.json"), "utf8").trim().split("\n");
  return lines.map((line) => {
    const { sentences, ner } = JSON.parse(line);
    const tags = sentences[0].map(() => "O");
    for (const [first, last, type] of ner[0]) tags.fill(type, first, last + 1);
    return { tokens: sentences[0], tags };
  });
}

/** Names with the type that most of their rows give them. */
function knownNames() {
  const counts = new Map();
  for (const [phrase, , type, source, quality] of rowsOf("train/types.tsv.gz")) {
    if (/^(conll2003|bc5cdr|regex)/.test(source) || !/^\p{Lu}../u.test(phrase)) continue;
    const own = counts.get(phrase) ?? new Map();
    counts.set(phrase, own.set(type, (own.get(type) ?? 0) + (quality === "gold" ? 3 : 1)));
  }
  const names = new Map();
  for (const [phrase, own] of counts) {
    const [type, count] = [...own].sort((a, b) => b[1] - a[1])[0];
    const all = [...own.values()].reduce((sum, value) => sum + value, 0);
    if (type !== "OTHER" && count > 0.7 * all) names.set(phrase, type);
  }
  return names;
}

/** Sentences of news in which every name is known. */
function source(count) {
  const names = knownNames();
  const found = [];
  for (const [, text] of rowsOf("train/text/wikinews.tsv.gz"))
    for (const sentence of text.split(/(?<=[.!?])\s+(?=\p{Lu})/u)) {
      const tokens = sentence.match(/\p{L}[\p{L}\p{M}'’.-]*\p{L}|\p{L}|\p{N}+(?:[.,]\p{N}+)*|[^\s]/gu) ?? [];
      const tags = tokens.length >= 5 && tokens.length <= 40 ? tagsBy(names, tokens) : undefined;
      if (tags?.some((tag) => tag !== "O")) found.push({ tokens, tags });
    }
  return [...shuffled(found.length, createRandom(0))].slice(0, count).map((i) => found[i]);
}

function tagsBy(names, tokens) {
  const tags = tokens.map(() => "O");
  for (let at = 0; at < tokens.length; ) {
    let length = Math.min(6, tokens.length - at);
    while (length > 0 && !names.has(tokens.slice(at, at + length).join(" "))) length--;
    if (length > 1 || (length === 1 && at > 0))
      tags.fill(names.get(tokens.slice(at, at + length).join(" ")), at, at + length);
    else if (at > 0 && /^\p{Lu}/u.test(tokens[at])) return undefined;
    at += Math.max(length, 1);
  }
  return tags;
}

/** Sentences until each tag has at least `count` spans, the rarest tag first. */
function support(sentences, count, seed) {
  const order = [...shuffled(sentences.length, createRandom(seed))];
  const labels = sentences.map(({ tags }) => spansOf(tags).map(({ label }) => label));
  const totals = new Map();
  for (const label of labels.flat()) totals.set(label, (totals.get(label) ?? 0) + 1);
  const chosen = new Set();
  const have = new Map();
  for (const [rarest] of [...totals].sort((a, b) => a[1] - b[1]))
    for (const row of order) {
      if ((have.get(rarest) ?? 0) >= count) break;
      if (chosen.has(row) || !labels[row].includes(rarest)) continue;
      chosen.add(row);
      for (const label of labels[row]) have.set(label, (have.get(label) ?? 0) + 1);
    }
  return chosen;
}

const encoder = await PhraseEncoder.load();
const all = target();
const tested = all.slice(0, Number(options.tested));
const others = all.slice(tested.length);
const learnedFrom = source(1500);
// the tagger of one sentence: only what the source taught it is used
const { tagger } = await trainTagger(learnedFrom.slice(0, 1), { encoder, source: learnedFrom });
const { transitions } = tagger;
const rows = await tokenFeatures(encoder, placesOf(tested));
const gold = tested.map(({ tags }) => tags);
const draws = Number(options.draws);
const result = { model: encoder.model.name, draws, tested: tested.length, points: [] };
for (const count of [1, 5]) {
  const values = { nnshot: [], "nnshot, viterbi": [] };
  for (let seed = 0; seed < draws; seed++) {
    const known = [...support(others, count, seed)].map((row) => others[row]);
    const knownRows = await tokenFeatures(encoder, placesOf(known));
    const distances = await distancesTo(rows, { ...knownRows, support: known });
    const score = (given) => spanScores(gold, decoded(tested, distances, { support: known, ...given })).f1;
    values.nnshot.push(score({}));
    values["nnshot, viterbi"].push(score({ transitions }));
  }
  const point = Object.fromEntries(Object.entries(values).map(([name, own]) => [name, summary(own)]));
  result.points.push({ spansOfATag: count, ...point });
}
await encoder.dispose();
writeRecord(result, options.json);
