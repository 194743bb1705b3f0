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
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { readEvaluation } from "../leaks.mjs";
import { readOptions, refuse } from "../options.mjs";
import { readRows, writeRows, writeWhole } from "../training-tables.mjs";
import { typoPairs } from "./data/made-pairs.mjs";
import { countNames } from "./data/name-counts.mjs";
import { mixPhrases, readChunks, readTyped } from "./data/phrases.mjs";
import { synonymRows } from "./data/synonyms.mjs";
import { formPairs } from "./data/word-forms.mjs";
import { readWordnet, singleWords } from "./data/wordnet.mjs";
import { readRecipe, recipePath } from "./recipe.mjs";

/**
 * Writes the tables; returns the content of prepared.json.
 * @param options `data` holds train/, bench/ and er/; `texts` defaults to those of the recipe
 */
export async function prepare({ data, output, recipe, seed, texts = recipe.pretrain.texts }) {
  const started = performance.now();
  const train = join(data, "train");
  const { phrases, synonyms } = recipe.data;
  const leaveOut = [...recipe.data.leaveOut.evaluation, ...recipe.data.leaveOut.researchOnly];
  mkdirSync(join(output, "text"), { recursive: true });
  const tally = openTally();
  const evaluation = await readEvaluation(data);
  const kept = { longest: phrases.longest, leaveOut, titles: evaluation.titles };
  const wordnet = await readWordnet();
  const typed = await readTyped(train, wordnet, kept, tally);
  const chunks = readChunks(train, kept, tally);
  const typos = await typoPairs({ data, wordnet, typed }, { ...synonyms.typos, seed });
  // word forms may come from texts that are not in `texts`
  const { forms: { texts: formTexts = [], ...ofForms } = {} } = synonyms;
  const pathOf = (name) => join(output, "text", `${name}.txt`);
  for (const name of new Set([...texts, ...formTexts]))
    await writeRows(pathOf(name), textLines(join(train, "text", `${name}.tsv.gz`)));
  const counts = await countNames(texts.map(pathOf));
  const mixed = mixPhrases(typed, chunks, { ...phrases, counts, seed });
  for (const { lexical, type } of mixed)
    tally.kept("phrases.tsv, by class and type", `${lexical} ${type || "unknown"}`);
  const phraseRows = mixed.map(({ phrase, lexical, type, count }) => [phrase, lexical, type, count]);
  await writeRows(join(output, "phrases.tsv"), [["phrase", "class", "type", "count"], ...phraseRows]);
  const forms = await formPairs(formTexts.map(pathOf), wordnet.synsets, { ...ofForms, seed });
  const inputs = { data: train, evaluation, wordnet, typed, chunks, typos, forms };
  await writeRows(join(output, "synonyms.tsv"), synonymRows(inputs, { ...synonyms, leaveOut, seed }, tally));
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
    ...tally.counts,
    seconds: Math.round((performance.now() - started) / 100) / 10,
  };
  writeWhole(join(output, "prepared.json"), `${JSON.stringify(prepared, null, 2)}\n`);
  return prepared;
}

/** Counts the rows kept, by table and kind, and removed, by source and reason. */
function openTally() {
  const counts = { kept: {}, leftOut: {} };
  const add = (group, where, what) => {
    group[where] ??= {};
    group[where][what] = (group[where][what] ?? 0) + 1;
  };
  return {
    counts,
    kept: (table, kind) => add(counts.kept, table, kind),
    leftOut: (source, why) => add(counts.leftOut, source, why),
  };
}

/** Yields the second column of a table, which is running text; the first is a title. */
function* textLines(path) {
  for (const [, text] of readRows(path)) if (text) yield [text];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = readOptions("data= output,o seed", { recipe: recipePath });
  if (values.output === undefined) refuse("-o is missing: give a folder for the tables, -o TABLES");
  const recipe = readRecipe(values.recipe);
  const seed = Number(values.seed ?? recipe.seed);
  const report = await prepare({ data: resolve(values.data), output: resolve(values.output), recipe, seed });
  console.log(JSON.stringify(report, null, 2));
}
