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
import {
  asksMisspelling,
  folded,
  lemmaPairs,
  pairHash,
  pairKey,
  pairSets,
  readEvaluation,
} from "./leaks.mjs";
import { readOptions } from "./options.mjs";
import {
  impliedNames,
  ontologyNames,
  plurals,
  surnames,
  wordnetNames,
} from "./pearl-mini/data/typed-names.mjs";
import { readWordnet } from "./pearl-mini/data/wordnet.mjs";
import { prepare } from "./pearl-mini/prepare.mjs";
import { readRecipe, recipePath } from "./pearl-mini/recipe.mjs";
import { clean, readRows, readRowsUnderHeader } from "./training-tables.mjs";

const { values, positionals } = readOptions("data= json", { recipe: recipePath });
const data = resolve(values.data);
const [given] = positionals;
/** Sets that are scored without training on them. */
const untrained = ["conll2003", "bc5cdr"];

/** Checks by what they look for; `hits` holds locations and texts, for display. */
const checks = new Map();
function see(what, isHit, where) {
  const check = checks.get(what) ?? { what, checked: 0, hits: [] };
  checks.set(what, check);
  check.checked++;
  if (isHit) check.hits.push(where);
}

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
    const evaluation = await readEvaluation(data);
    const wordnet = await readWordnet();
    checkSynonyms(folder, evaluation, lemmaPairs(wordnet.turney));
    checkPhrases(folder, evaluation, await typesFromElsewhere(wordnet));
    checkTexts(recipe, evaluation);
    report();
  } catch (error) {
    console.error(`error: ${error instanceof Error ? error.message : error}`);
    process.exitCode = 1;
  } finally {
    if (given === undefined) rmSync(folder, { recursive: true });
  }
}

/**
 * No pair is in an evaluation file or among the hashes, consists of two lemmas of a synset behind Turney's
 * questions, or misspells a word that is asked for; and no evaluation title is paired with itself.
 */
function checkSynonyms(folder, evaluation, turneyPairs) {
  const { pairs, keptBack, titles } = evaluation;
  let line = 1;
  for (const [phrase, synonym, source] of readRowsUnderHeader(join(folder, "synonyms.tsv"))) {
    const where = `synonyms.tsv line ${++line}: ${phrase} | ${synonym} (${source})`;
    if (folded(phrase) === folded(synonym)) {
      // a name in another case is a pair of two spellings; only identical texts request twins
      see("titles to make twins of", phrase === synonym && titles.has(folded(phrase)), where);
      continue;
    }
    const key = pairKey(phrase, synonym);
    for (const set of pairSets) see(`pairs of ${set}`, pairs.get(key) === set, where);
    see("pairs of kept back", keptBack.has(pairHash(key)), where);
    see("pairs of turney's synsets", turneyPairs.has(key), where);
    see("misspellings of the evaluation", asksMisspelling(evaluation, [phrase, synonym, source]), where);
  }
}

/** No phrase has a type that only CoNLL-2003 or BC5CDR gives, and none is an evaluation title: it would get a twin. */
function checkPhrases(folder, { titles }, { evaluated, others }) {
  const rows = [...readRowsUnderHeader(join(folder, "phrases.tsv"))];
  // a name may occur a second time in capitals
  const known = rows.filter(([phrase]) => /\p{Ll}/u.test(phrase) && others.has(phrase));
  const capitals = new Set(known.map(([phrase]) => phrase.toUpperCase()));
  for (const [at, [phrase, , type]] of rows.entries()) {
    const where = `phrases.tsv line ${at + 2}: ${phrase}`;
    see("titles among the phrases", titles.has(folded(phrase)), where);
    const isStolen = evaluated.has(phrase) && !others.has(phrase) && !capitals.has(phrase);
    if (type !== "") see(`typed mentions of ${untrained.join(", ")}`, isStolen, `${where} (${type})`);
  }
}

/**
 * Phrases that the untrained sets type, and those that something else types: other rows, WordNet, ontologies,
 * surnames of persons in other rows, and names with an implied type.
 */
async function typesFromElsewhere(wordnet) {
  const [evaluated, others, persons] = [new Set(), new Set(), []];
  const train = join(data, "train");
  const add = (name, type) => {
    others.add(clean(name));
    if (type === "PERSON") persons.push(clean(name));
  };
  for (const [text, , type, source] of readRows(join(train, "types.tsv.gz")))
    if (untrained.some((set) => source.startsWith(set))) evaluated.add(clean(text));
    else add(text, type);
  for (const [text] of readRows(join(train, "chunks.tsv.gz"))) add(text);
  for (const [name] of ontologyNames(train)) add(name);
  for await (const [name, type] of wordnetNames(wordnet)) add(name, type);
  for (const surname of surnames(persons).keys()) add(surname);
  // accept any type: the rows that these names are implied by are checked themselves
  const anyType = () => "OTHER/disease";
  const singularAlone = (word) => (word.endsWith("s") ? undefined : anyType());
  for (const typeOf of [anyType, singularAlone])
    for (const [name] of impliedNames(train, typeOf, new Map())) add(name);
  for (const [word] of plurals(train, singularAlone)) add(word);
  return { evaluated, others };
}

/** The recipe leaves out the untrained sets, and reads texts in train/text without lines that are evaluation titles. */
function checkTexts(recipe, { titles }) {
  const settings = "recipe: texts and sets left out";
  for (const set of untrained)
    see(settings, !recipe.data.leaveOut.evaluation.includes(set), `${set} is not left out`);
  for (const name of recipe.pretrain.texts.map(String)) {
    const path = join(data, "train/text", `${name}.tsv.gz`);
    see(settings, !existsSync(path), `${name} is not a text in train/text`);
    for (const [, line = ""] of readRows(path)) {
      const isTitle = line.length < 200 && titles.has(folded(line));
      see("titles as lines of text", isTitle, `text/${name}: ${line}`);
    }
  }
}

function report() {
  const all = [...checks.values()];
  const width = Math.max(...all.map(({ what }) => what.length));
  console.log(`${"evaluation".padEnd(width)}     checked  hits`);
  for (const { what, checked, hits } of all) {
    console.log(`${what.padEnd(width)}  ${String(checked).padStart(10)}  ${String(hits.length).padStart(4)}`);
    for (const hit of hits.slice(0, 3)) console.log(`  ${hit}`);
  }
  const found = all.reduce((sum, { hits }) => sum + hits.length, 0);
  if (values.json !== undefined) {
    const rows = all.map(({ what, checked, hits }) => ({ what, checked, hits: hits.length }));
    writeFileSync(values.json, `${JSON.stringify(rows, null, 2)}\n`);
  }
  console.log(found === 0 ? "no leak" : `error: ${found} rows contain evaluation data`);
  if (found > 0) process.exitCode = 1;
}
