/**
 * Measures recall, search speed and opening time of an index of 500,000 phrases, and compares a smaller one
 * with FAISS.
 *
 *     npm run build && node benchmarks/index-speed.mjs [--rows 500000] [--peer-rows 20000] [--index FOLDER]
 *       [--model pearl-mini]
 *
 * Phrases are distinct names and terms of ../shared/data/train. A query is such a phrase with one edit (a
 * letter deleted, inserted or changed, the first word moved to the end, or a word added) that is not itself
 * in the index. Embeddings are by default those of pearl-mini with 600 dimensions.
 *
 * recall@1 is the fraction of queries whose first hit is as near as the nearest row of an exact search
 * (scores within 1e-6 are ties). Recall and speed are measured on `--queries` queries; the time includes
 * reading the cells of the hits. Processor time is also given, since other work may share the machine.
 * Opening is timed in separate processes. `--index` keeps the index and reuses an existing one: building half
 * a million rows takes minutes. FAISS (python3-faiss, IndexHNSWFlat with the same connectivity and efforts,
 * 32-bit) and pearl build and search the first `--peer-rows` rows in one run; without python3-faiss the
 * record says that FAISS was not measured.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { PhraseEncoder, VectorIndex } from "../dist/index.js";
import { createRandom, sampleWithout } from "../dist/random.js";
import { exactNeighbours } from "../dist/search/exact.js";
import { readOptions, root } from "../scripts/options.mjs";
import { readRows } from "../scripts/training-tables.mjs";
import { machine, median, printedBy, round, stopwatch, writeRecord } from "./measuring.mjs";

const { values: options } = readOptions(
  "rows=500000 queries=2000 peer-rows=20000 index model=pearl-mini data=train json=index-speed",
);
const rows = Number(options.rows);
const queryCount = Number(options.queries);
const peerRows = Math.min(rows, Number(options["peer-rows"]));
const folder = mkdtempSync(join(tmpdir(), "pearl-index-speed-"));
const batch = 8192;

const { phrases, queries, peerQueries } = makePhrases();
const encoder = await PhraseEncoder.load(options.model);
const { dimension } = encoder;
const encode = async (texts) => (await encoder.encodeMatrix(texts)).data;
const vectors = await encode(phrases);
const queryVectors = await encode(queries);
const peerVectors = await encode(peerQueries);
await encoder.dispose();

const place = options.index ?? join(folder, "whole");
const built = existsSync(place) ? "an earlier run" : await build(place, rows, "hnsw");
const whole = await measure(place, vectors, queryVectors);
const opening = openTimes(place);
const small = await comparison();
const half = await halfPrecision();
rmSync(folder, { recursive: true });

const record = {
  task: `an index of ${rows} phrases, ${dimension} dimensions (${basename(options.model)})`,
  ...{ rows, queries: queryCount, machine: machine() },
  hnsw: { build: built, openMilliseconds: opening, ...whole },
  besideFaiss: { rows: peerRows, ...small },
  float16: half,
};
writeRecord(record, options.json);

/** Draws phrases and queries with a seed. */
function makePhrases() {
  const files = ["pairs/names.tsv.gz", "types.tsv.gz"];
  const all = [
    ...new Set(files.flatMap((file) => Array.from(readRows(join(options.data, file)), ([phrase]) => phrase))),
  ];
  if (all.length < rows)
    throw new Error(`${options.data} has ${all.length} phrases, expected at least ${rows}`);
  const random = createRandom(1);
  const drawn = sampleWithout(all, rows, random);
  const known = new Set(drawn);
  const queriesOf = (list) => {
    const made = new Set();
    while (made.size < queryCount) {
      const query = edited(list[Math.floor(random() * list.length)], drawn, random);
      if (query.trim() !== "" && !known.has(query)) made.add(query);
    }
    return [...made];
  };
  return { phrases: drawn, queries: queriesOf(drawn), peerQueries: queriesOf(drawn.slice(0, peerRows)) };
}

function edited(phrase, others, random) {
  const at = Math.floor(random() * phrase.length);
  const letter = String.fromCharCode(97 + Math.floor(random() * 26));
  const kind = random();
  if (kind < 0.25) return phrase.slice(0, at) + phrase.slice(at + 1);
  if (kind < 0.5) return phrase.slice(0, at) + letter + phrase.slice(at);
  if (kind < 0.75) return phrase.slice(0, at) + letter + phrase.slice(at + 1);
  const words = phrase.split(" ");
  if (words.length > 1) return [...words.slice(1), words[0]].join(" ");
  return `${phrase} ${others[Math.floor(random() * others.length)].split(" ")[0]}`;
}

/** Adds the first rows batch by batch, then builds the graph; processor time is user plus system time. */
async function build(path, count, backend, precision = "float32") {
  const layout = { dimension, columns: ["phrase"], phraseColumn: "phrase", backend, precision };
  const index = await VectorIndex.create(path, layout);
  const adding = stopwatch();
  for (let first = 0; first < count; first += batch) {
    const last = Math.min(first + batch, count);
    await index.add({
      vectors: vectors.subarray(first * dimension, last * dimension),
      cells: phrases.slice(first, last).map((phrase) => [phrase]),
    });
  }
  const added = adding();
  const making = stopwatch();
  await index.optimise();
  const made = making();
  const { bytes } = await index.describe();
  await index.close();
  return { adding: added, graph: made, bytes };
}

/** Recall against an exact search, and speed with one hit, with ten hits, and with single queries. */
async function measure(path, candidates, queryRows) {
  const exact = await exactNeighbours(queryRows, candidates, { dimension, metric: "inner-product" });
  const index = await VectorIndex.open(path);
  const { searchedBy, rows: count } = await index.describe();
  // One untimed search loads the file into memory.
  await index.search(queryRows, { k: 1 });
  const timed = async (k) => {
    const watch = stopwatch();
    const hits = await index.search(queryRows, { k });
    const [perSecond, perProcessorSecond] = Object.values(watch()).map((spent) =>
      Math.round(queryCount / spent),
    );
    return { hits, perSecond, perProcessorSecond };
  };
  const one = await timed(1);
  const ten = await timed(10);
  const single = [];
  for (let query = 0; query < 200; query++) {
    const started = performance.now();
    await index.search(queryRows.subarray(query * dimension, (query + 1) * dimension), { k: 10 });
    single.push(performance.now() - started);
  }
  await index.close();
  const near = one.hits.filter(([hit], query) => hit.score >= exact.scores[query] - 1e-6).length;
  const same = one.hits.filter(([hit], query) => Number(hit.key) - 1 === exact.indices[query]).length;
  return {
    ...{ rows: count, searchedBy, recallAt1: near / queryCount, sameRowFirst: same / queryCount },
    queriesPerSecond: { k1: one.perSecond, k10: ten.perSecond },
    queriesPerProcessorSecond: { k1: one.perProcessorSecond, k10: ten.perProcessorSecond },
    singleQueryMilliseconds: round(median(single), 2),
  };
}

/**
 * Milliseconds to open the index (wall-clock and processor time) and of the first search, each in five
 * processes that have already loaded usearch.
 */
function openTimes(path) {
  const program = `
    import { VectorIndex } from ${JSON.stringify(join(root, "dist/search/vector-index.js"))};
    const busy = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
    const started = performance.now();
    const before = busy();
    const index = await VectorIndex.open(${JSON.stringify(resolve(path))});
    const opened = performance.now();
    const processor = busy() - before;
    await index.search(new Float32Array(${dimension}).fill(0.1), { k: 10 });
    console.log(JSON.stringify([opened - started, processor, performance.now() - opened]));
    await index.close();`;
  const runs = Array.from({ length: 5 }, () => printedBy(["--input-type=module", "-e", program]));
  const of = (column) => round(median(runs.map((run) => run[column])), 1);
  return { median: of(0), processor: of(1), firstSearch: of(2) };
}

/** Runs pearl and FAISS on the same rows and queries, one after the other. */
async function comparison() {
  const path = join(folder, "small");
  const part = vectors.slice(0, peerRows * dimension);
  const made = await build(path, peerRows, "hnsw");
  const pearl = { build: made.graph, ...(await measure(path, part, peerVectors)) };
  const exact = await exactNeighbours(peerVectors, part, { dimension, metric: "inner-product" });
  const files = { "rows.f32": part, "queries.f32": peerVectors, "best.f64": Float64Array.from(exact.scores) };
  for (const [name, { buffer }] of Object.entries(files))
    writeFileSync(join(folder, name), Buffer.from(buffer));
  const PEER = `
import json, os, sys, time
import numpy as np, faiss
folder, dimension = sys.argv[1], int(sys.argv[2])
read = lambda name, kind: np.fromfile(os.path.join(folder, name), dtype=kind)
rows = read("rows.f32", "<f4").reshape(-1, dimension)
queries = read("queries.f32", "<f4").reshape(-1, dimension)
best = read("best.f64", "<f8")
def timed(work):
    clock, cpu = time.perf_counter(), time.process_time()
    result = work()
    return result, time.perf_counter() - clock, time.process_time() - cpu
index = faiss.IndexHNSWFlat(dimension, 16, faiss.METRIC_INNER_PRODUCT)
index.hnsw.efConstruction = 128
index.hnsw.efSearch = 256
_, seconds, cpu = timed(lambda: index.add(rows))
index.search(queries[:200], 10)
(scores, labels), search, search_cpu = timed(lambda: index.search(queries, 10))
found = np.einsum("qd,qd->q", queries.astype("f8"), rows[labels[:, 0]].astype("f8"))
print(json.dumps({"version": faiss.__version__,
  "build": {"seconds": round(seconds, 1), "processorSeconds": round(cpu, 1)},
  "recallAt1": float((found >= best - 1e-6).mean()),
  "queriesPerSecond": {"k10": round(len(queries) / search)},
  "queriesPerProcessorSecond": {"k10": round(len(queries) / search_cpu)}}))
`;
  const run = spawnSync("/usr/bin/python3", ["-c", PEER, folder, String(dimension)], { encoding: "utf8" });
  const peer = run.status === 0 ? JSON.parse(run.stdout) : "not measured: python3-faiss is not here";
  return {
    pearl,
    peer: { what: `faiss.IndexHNSWFlat(${dimension}, 16), efConstruction 128, efSearch 256`, result: peer },
  };
}

/** Size and score errors of float16 with exact search, on the rows of the comparison. */
async function halfPrecision() {
  const part = vectors.subarray(0, peerRows * dimension);
  const exact = await exactNeighbours(peerVectors, part, { dimension, metric: "inner-product" });
  const { bytes } = await build(join(folder, "half"), peerRows, "exact", "float16");
  const index = await VectorIndex.open(join(folder, "half"));
  const hits = await index.search(peerVectors, { k: 1 });
  await index.close();
  const errors = hits.map(([hit], query) => Math.abs(hit.score - exact.scores[query]));
  const same = hits.filter(([hit], query) => Number(hit.key) - 1 === exact.indices[query]).length;
  return { rows: peerRows, bytes, largestScoreError: Math.max(...errors), sameRowFirst: same / queryCount };
}
