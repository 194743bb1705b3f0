/**
 * Checks that training tables contain no evaluation data.
 *
 *     npm run check:leaks -- [FOLDER] [--data ../shared/data] [--json FILE]
 *
 * FOLDER is a corpus (pearl corpus build) or a folder of tables (scripts/pearl-mini/prepare.mjs). Without it,
 * the tables of pearl-mini are built in a temporary folder; models/pearl-mini/recipe.yaml lists the packages
 * that this needs. Prints the number of checked rows and of hits for each evaluation set. The exit code is 1
 * if there is a hit, and 0 if there is none or if the evaluation data is missing (with a note).
 */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { readEvaluation } from "./leaks.mjs";
import { checkPhrases, checkRecipe, checkSynonyms, checkTexts } from "./pearl-mini/leak-checks.mjs";
import { prepare } from "./pearl-mini/prepare.mjs";
import { defaultData, readRecipe, recipePath } from "./pearl-mini/recipe.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    data: { type: "string", default: defaultData },
    recipe: { type: "string", default: recipePath },
    json: { type: "string" },
  },
});
const data = resolve(values.data);
const [given] = positionals;
if (!existsSync(join(data, "bench/kept-back.sha256"))) {
  console.log(`leak check skipped: no evaluation files in ${join(data, "bench")}`);
} else if (given !== undefined && !existsSync(join(given, "synonyms.tsv"))) {
  console.error(`error: ${given} has no synonyms.tsv: give a corpus folder or a folder of tables`);
  process.exitCode = 2;
} else {
  const recipe = readRecipe(values.recipe);
  const folder = given ?? mkdtempSync(join(tmpdir(), "pearl-leaks-"));
  try {
    // texts are checked where they are, so they need no copy
    if (given === undefined) await prepare({ data, output: folder, recipe, seed: recipe.seed, texts: [] });
    report(await checkAll(folder, recipe));
  } catch (error) {
    console.error(`error: ${error instanceof Error ? error.message : error}`);
    process.exitCode = 1;
  } finally {
    if (given === undefined) rmSync(folder, { recursive: true });
  }
}

/** @param {string} folder @param {any} recipe */
async function checkAll(folder, recipe) {
  const evaluation = readEvaluation(data);
  return [
    ...(await checkSynonyms(folder, evaluation)),
    ...(await checkPhrases(folder, data, evaluation)),
    ...checkRecipe(recipe, data),
    ...checkTexts(recipe.pretrain.texts, data, evaluation),
  ];
}

/** @param {import("./pearl-mini/leak-checks.mjs").Check[]} checks */
function report(checks) {
  const width = Math.max(...checks.map(({ what }) => what.length));
  console.log(`${"evaluation".padEnd(width)}     checked  hits`);
  for (const { what, checked, hits } of checks) {
    console.log(`${what.padEnd(width)}  ${String(checked).padStart(10)}  ${String(hits.length).padStart(4)}`);
    for (const hit of hits.slice(0, 3)) console.log(`  ${hit}`);
  }
  const found = checks.reduce((sum, { hits }) => sum + hits.length, 0);
  if (values.json !== undefined) {
    const rows = checks.map(({ what, checked, hits }) => ({ what, checked, hits: hits.length }));
    writeFileSync(values.json, `${JSON.stringify(rows, null, 2)}\n`);
  }
  console.log(found === 0 ? "no leak" : `error: ${found} rows contain evaluation data`);
  if (found > 0) process.exitCode = 1;
}
