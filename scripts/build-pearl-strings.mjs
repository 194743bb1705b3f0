/**
 * Builds models/pearl-strings from data: a bag of n-grams and views of a word, trained on human misspellings and on
 * the errors learned from them. Words of the task `misspellings` are held out before anything else, and sources that are
 * free for research only are left out.
 *
 *     npm run build && node scripts/build-pearl-strings.mjs --work WORK [--data ../shared/data] [--epochs N]
 *         [--scores BENCH.json] [-o models/pearl-strings]
 *
 * WORK holds the tables and the training, which continues from its last checkpoint when it was interrupted; more
 * epochs than before continue it, too. --scores is the output of `pearl bench --task misspellings --json`, for the card.
 */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readLines } from "../dist/benchmark/data-folder.js";
import { splitMisspellings } from "../dist/benchmark/tasks/misspellings.js";
import { writeModelFolder } from "../dist/files/sealed-folder.js";
import { pretrainCharacters } from "../dist/methods/characters/pretrain-characters.js";
import { readModel, writeModel } from "../dist/onnx/io/file.js";
import { quantizeDynamic } from "../dist/onnx/rewrite/quantize.js";

const { values } = parseArgs({
  options: {
    work: { type: "string" },
    data: { type: "string", default: "../shared/data" },
    epochs: { type: "string", default: "3" },
    scores: { type: "string" },
    output: { type: "string", short: "o", default: "models/pearl-strings" },
  },
});
if (values.work === undefined) {
  console.error("error: --work is missing: give a working folder, --work WORK");
  process.exit(2);
}
const at = (name) => join(values.work, name);
const settings = {
  kind: "ngrams",
  width: 56,
  units: {
    ...{ units: "ngrams", positions: 128, phraseLength: 32 },
    ngrams: { minimum: 2, maximum: 4, buckets: 2 ** 15, views: ["gaps", "places", "sound"] },
  },
  ...{ batchSize: 128, hardNegatives: 3, learningRate: 3e-3, seed: 1 },
  attacks: { preset: "typing", twice: 0.4 },
};

mkdirSync(values.work, { recursive: true });
const read = async (file) => (await readLines(join(values.data, file))).map((line) => line.split("\t"));
const pairs = await read("train/pairs/misspell.tsv.gz");
const { training, dictionary, heldOut } = splitMisspellings(
  pairs,
  await readLines(join(values.data, "words/words.txt.gz")),
);
const free = new Set(pairs.filter(([, , source]) => source === "codespell").map(pairKey));
const more = (await read("train/pairs2/misspell2.tsv.gz")).map((pair) => pairKey(pair).split("\t"));
const rows = [...training.filter((pair) => free.has(pairKey(pair))), ...more];
const lines = rows
  .filter(([wrong, right]) => wrong !== right && !heldOut.has(right) && !/[\s"]/.test(wrong + right))
  .map(pairKey);
writeFileSync(at("pairs.tsv"), `misspelling\tword\n${[...new Set(lines)].join("\n")}\n`);
writeFileSync(at("words.txt"), `${dictionary.filter((word) => !heldOut.has(word)).join("\n")}\n`);

rmSync(at("model"), { recursive: true, force: true });
const report = await pretrainCharacters({
  ...settings,
  ...{ output: at("model"), words: at("words.txt"), noise: at("pairs.tsv"), epochs: Number(values.epochs) },
  ...{ resume: "continue", checkpointEvery: 200, threads: 1, onNote: (note) => console.error(note) },
});

rmSync(values.output, { recursive: true, force: true });
await writeModelFolder(values.output, async (folder) => {
  cpSync(at("model"), folder, { recursive: true });
  rmSync(join(folder, "checksums.json"));
  writeModel(
    quantizeDynamic(readModel(readFileSync(at("model/onnx/model.onnx"))), { products: "kept" }),
    join(folder, "onnx/model.onnx"),
  );
  const config = JSON.parse(readFileSync(at("model/config.json"), "utf8"));
  writeFileSync(
    join(folder, "config.json"),
    `${JSON.stringify({ ...config, name: "pearl-strings", license: "apache-2.0" }, null, 2)}\n`,
  );
  writeFileSync(join(folder, "README.md"), card(report));
});
console.error(`${values.output}: ${report.result.steps} steps, loss ${report.result.loss}`);

/** Misspelling and word as one text, in lower case. */
function pairKey([wrong, right]) {
  return `${wrong}\t${right}`.toLowerCase();
}
