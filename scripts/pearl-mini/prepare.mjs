/**
 * Writes the tables and texts for pearl-mini's corpus, without evaluation data.
 *
 *     npm run build && node scripts/pearl-mini/prepare.mjs -o TABLES [--data ../shared/data] [--recipe FILE]
 *         [--seed 0]
 *     pearl corpus build --no-quotes --phrases TABLES/phrases.tsv --synonyms TABLES/synonyms.tsv -o CORPUS
 *
 * TABLES receives phrases.tsv, synonyms.tsv, words.txt (WordNet's one-word lemmas), text/NAME.txt for each
 * text of the recipe (without article titles), and prepared.json, which counts the rows kept and removed by
 * source and reason.
 */
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { readEvaluation } from "../leaks.mjs";
import { readRows, writeRows } from "../training-tables.mjs";
import { mixPhrases, readChunks, readTyped } from "./data/phrases.mjs";
import { synonymRows } from "./data/synonyms.mjs";
import { Tally } from "./data/tally.mjs";
import { typoPairs } from "./data/typos.mjs";
import { formPairs } from "./data/word-forms.mjs";
import { readWordnet, singleWords } from "./data/wordnet-pairs.mjs";
import { defaultData, readRecipe, recipePath } from "./recipe.mjs";

/**
 * @param {{ data: string, output: string, recipe: any, seed: number, texts?: readonly string[] }} options
 *   `data` holds train/, bench/ and er/; `texts` defaults to those of the recipe
 * @returns {Promise<object>} the content of prepared.json
 */
export async function prepare({ data, output, recipe, seed, texts = recipe.pretrain.texts }) {
  const started = performance.now();
  const train = join(data, "train");
  const { phrases, synonyms, leaveOut } = recipe.data;
  const leftOut = [...leaveOut.evaluation, ...leaveOut.researchOnly];
  mkdirSync(join(output, "text"), { recursive: true });
  const tally = new Tally();
  const evaluation = readEvaluation(data);
  const kept = { longest: phrases.longest, leaveOut: leftOut, titles: evaluation.titles };
  const wordnet = await readWordnet();
  const typed = await readTyped(train, wordnet, kept, tally);
  const chunks = readChunks(train, kept, tally);
  const mixed = mixPhrases(typed, chunks, { ...phrases, seed });
  await writeRows(join(output, "phrases.tsv"), phraseRows(mixed, tally));
  const typos = await typoPairs({ data, wordnet, typed }, { ...synonyms.typos, seed });
  // word forms may come from texts that are not in `texts`
  for (const name of new Set([...texts, ...(synonyms.forms?.texts ?? [])]))
    await writeRows(join(output, "text", `${name}.txt`), textLines(join(train, "text", `${name}.tsv.gz`)));
  const formTexts = synonyms.forms?.texts.map((/** @type {string} */ name) =>
    join(output, "text", `${name}.txt`),
  );
  const forms = formTexts ? await formPairs(formTexts, wordnet.synsets, { ...synonyms.forms, seed }) : [];
  const inputs = { data: train, evaluation, wordnet, typed, chunks, typos, forms };
  const rows = synonymRows(inputs, { ...synonyms, leaveOut: leftOut, seed }, tally);
  await writeRows(join(output, "synonyms.tsv"), underHeader(["phrase", "synonym", "source"], rows));
  await writeRows(
    join(output, "words.txt"),
    singleWords(wordnet).map((word) => [word]),
  );
  const prepared = {
    ...{ seed, turneySynsets: wordnet.turney.length },
    evaluation: {
      pairs: evaluation.pairs.size,
      titles: evaluation.titles.size,
      keptBack: evaluation.keptBack.size,
    },
    ...tally.toJSON(),
    seconds: Math.round((performance.now() - started) / 100) / 10,
  };
  const path = join(output, "prepared.json");
  writeFileSync(`${path}.partial`, `${JSON.stringify(prepared, null, 2)}\n`);
  renameSync(`${path}.partial`, path);
  return prepared;
}

/** @param {readonly import("./data/phrases.mjs").Phrase[]} phrases @param {Tally} tally */
function* phraseRows(phrases, tally) {
  yield ["phrase", "class", "type", "count"];
  for (const { phrase, lexical, type, count } of phrases) {
    tally.kept("phrases.tsv, by class and type", `${lexical} ${type || "unknown"}`);
    yield [phrase, lexical, type, count];
  }
}

/** @param {string[]} header @param {Iterable<string[]>} rows */
function* underHeader(header, rows) {
  yield header;
  yield* rows;
}

/** Yields the second column of a table, which is running text; the first is a title. @param {string} path */
function* textLines(path) {
  for (const [, text] of readRows(path)) if (text) yield [text];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      data: { type: "string", default: defaultData },
      output: { type: "string", short: "o" },
      recipe: { type: "string", default: recipePath },
      seed: { type: "string" },
    },
  });
  if (values.output === undefined) {
    console.error("error: -o is missing: give a folder for the tables, -o TABLES");
    process.exit(2);
  }
  const recipe = readRecipe(values.recipe);
  const seed = Number(values.seed ?? recipe.seed);
  const report = await prepare({ data: resolve(values.data), output: resolve(values.output), recipe, seed });
  console.log(JSON.stringify(report, null, 2));
}
