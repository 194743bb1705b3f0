/**
 * Builds models/pearl-strings from data: a bag of n-grams and views of a word, trained on human misspellings and on
 * the errors learned from them. Words of the task `misspellings` are held out before anything else, and sources that are
 * free for research only are left out.
 *
 *     npm run build && node scripts/build-pearl-strings.mjs --work WORK [--data ../shared/data] [--epochs N]
 *         [--scores BENCH.json] [-o models/pearl-strings]
 *
 * WORK holds the tables and the training, which continues from its last checkpoint when it was interrupted; a finished
 * one is kept. 3 epochs took 260 s of processor time. --scores is the output of `pearl bench --task misspellings --json`, for the card.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readLines } from "../dist/benchmark/data-folder.js";
import { splitMisspellings } from "../dist/benchmark/tasks/strings.js";
import { writeModelFolder } from "../dist/files/sealed-folder.js";
import { pretrainCharacters } from "../dist/methods/characters/pretrain-characters.js";
import { readModel, writeModel } from "../dist/onnx/io/file.js";
import { quantizeDynamic } from "../dist/onnx/rewrite/quantize.js";
import { readOptions, refuse } from "./options.mjs";

const { values } = readOptions("work data= epochs=3 scores output,o=models/pearl-strings");
if (values.work === undefined) refuse("--work is missing: give a working folder, --work WORK");
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

if (!existsSync(at("model")))
  await pretrainCharacters({
    ...settings,
    ...{ output: at("model"), words: at("words.txt"), noise: at("pairs.tsv"), epochs: Number(values.epochs) },
    ...{ resume: "continue", checkpointEvery: 200, threads: 1, onNote: (note) => console.error(note) },
  });
const record = JSON.parse(readFileSync(at("model/training.json"), "utf8"));

rmSync(values.output, { recursive: true, force: true });
await writeModelFolder(values.output, async (folder) => {
  cpSync(at("model"), folder, { recursive: true });
  for (const name of ["checksums.json", "metrics.jsonl"]) rmSync(join(folder, name));
  const model = readModel(readFileSync(at("model/onnx/model.onnx")));
  // all words were in lower case: capitals get the vector of small letters
  const { data } = model.graph.initializers.get("characters.capital.weight");
  data.copyWithin(settings.width, 0, settings.width);
  writeModel(quantizeDynamic(model, { products: "kept" }), join(folder, "onnx/model.onnx"));
  const config = JSON.parse(readFileSync(at("model/config.json"), "utf8"));
  writeFileSync(
    join(folder, "config.json"),
    `${JSON.stringify({ ...config, name: "pearl-strings", license: "apache-2.0" }, null, 2)}\n`,
  );
  writeFileSync(join(folder, "README.md"), card(record));
});
console.error(`${values.output}: ${record.result.steps} steps, loss ${record.result.loss}`);

/** Misspelling and word as one text, in lower case. */
function pairKey([wrong, right]) {
  return `${wrong}\t${right}`.toLowerCase();
}

/** The model card. Scores are those of --scores; without them the card says that none were measured. */
function card({ data, settings: used, result }) {
  const reports = values.scores === undefined ? [] : JSON.parse(readFileSync(values.scores, "utf8"));
  const scored = reports.map(({ model, results: [{ score, n }, alone] }) => ({ model, score, n, alone }));
  const own = scored.find(({ model }) => model === "pearl-strings");
  const percent = (score) => (100 * score).toFixed(1);
  const rows = scored
    .map(({ model, score, alone }) => `| ${model} | ${percent(score)} | ${percent(alone.score)} |`)
    .join("\n");
  const index =
    own &&
    `model-index:
  - name: pearl-strings
    results:
      - task: { type: misspellings }
        dataset: { name: misspellings, type: misspellings }
        metrics:
          - { type: precision@1, value: ${own.score.toFixed(4)} }
`;
  return `---
license: apache-2.0
library_name: pearl
tags: [string-similarity, spelling, character-ngrams]
${index ?? ""}---

# pearl-strings

For typing errors in names, words and codes: an embedded model that gives a misspelled word a vector near that of the
right one. It knows no meaning.

    npx pearl join left.csv right.csv --model pearl-strings

- **Input**: each word in lower case without accents, as its 2- to 4-grams, the pairs of letters around each letter, the
  first and last four letters with their places, and n-grams of its consonants by English sound, in 2^15 buckets.
- **Output**: the sum of their vectors at length 1, ${used.width} dimensions; for several words, the mean of theirs.
- **Training**: ${data.misspellings.toLocaleString("en-US")} misspellings, and ${data.words.toLocaleString("en-US")} words whose misspellings are drawn from the errors learned from
  them, ${used.attacks.twice} of these twice; NT-Xent at temperature ${used.temperature} with up to ${used.hardNegatives} words of similar spelling for each;
  ${result.steps} steps of ${used.batchSize} misspellings. Rows are int8 with a scale each. \`scripts/build-pearl-strings.mjs\` makes it again.
- **Speed**: 20,000 words are found among 20,000 in 1/36 of the processor time of Levenshtein's distance, in 1/23 with the
  encoding of the dictionary (\`benchmarks/results/string-retrieval.json\`).
- **Limits**: errors of one random letter are found about as often as by Levenshtein's distance (94.1 and 93.9 %); what
  people do, far more often. One word for another ("stop" for "spot") cannot be seen in the spelling. The sounds are English. Capitals
  and accents do not count.

## Data and licences

| data | from |
| --- | --- |
| misspellings | codespell's dictionaries (CC BY-SA 3.0) and those of typos (MIT or Apache-2.0); lists that are free for research only were left out |
| words | the word list of NLTK (public domain) |

## Scores

${
  own
    ? `\`pearl bench --task misspellings\`: precision@1 in percent of ${own.n.toLocaleString("en-US")} misspellings of held-out words, among
${dictionary.length.toLocaleString("en-US")} words; a tie counts as a fraction. About half of them are from Norvig's list (Birkbeck and Wikipedia), which was not trained
on. The held-out words were in no part of the training; other forms of them ("recieves" for "receives") were; the second column
leaves out queries with such a form in the table (55 of the rest have one in the list of typos). pearl-mini reads a word that
it does not know as the known word one edit away.

| | all | ${own.alone.n.toLocaleString("en-US")} without another form |
| --- | --- | --- |
${rows}`
    : "None were measured: `pearl bench --task misspellings --model pearl-strings` measures it."
}
`;
}
