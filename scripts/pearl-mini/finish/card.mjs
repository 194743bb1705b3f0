/** Writes the model card of pearl-mini from records of what was done and measured. */
import { publishedMetrics, publishedRows } from "../../../dist/benchmark/published.js";
import { taskScores } from "../../../dist/methods/benchmark-score.js";
import { modelIndex } from "../../model-index.mjs";

/** Where each part of the data comes from, for the card. The files' own lists name repositories and paths. */
const sources = [
  [
    "names",
    "ROR (CC0), Wikipedia leads (CC BY-SA), stock listings (MIT), name-suggestion-index (BSD), OFAC (public domain), football clubs (CC0), countries (ODbL), World Factbook (public domain)",
  ],
  [
    "biomed",
    "CRAFT and OBO ontologies (CC BY), Disease Ontology (CC0), MedQuAD (CC BY), NCBI disease training part",
  ],
  ["abbrev", "JabRef journal lists (CC0), acronyms found in Wikipedia, Wikinews and medical texts"],
  ["misspell", "codespell's dictionaries (CC BY-SA)"],
  [
    "words",
    "WordNet's words and those of typed names, none of the evaluation's word list, with typing errors",
  ],
  ["er", "matched fields of Leipzig's entity-resolution sets (CC BY); none of the evaluation"],
  ["lexical", "PPDB 1.0 XL, single words (CC BY)"],
  ["gloss, titles", "Wikipedia titles and short descriptions (CC BY-SA)"],
  [
    "wordnet, wordnet-gloss, wordnet-hypernym",
    "WordNet 3.1 (WordNet licence), without the synsets behind Turney's questions",
  ],
  ["thesaurus", "Moby Thesaurus II (public domain)"],
  [
    "edict, cedict",
    "translations of one word: EDICT of the Electronic Dictionary Research and Development Group, CC-CEDICT (CC BY-SA)",
  ],
  [
    "wikdict, wikdict-gloss",
    "WikDict's dictionaries from Wiktionary (CC BY-SA 3.0) as FreeDict packages them: translations of one sense, English headwords of one translation, headwords with what they mean",
  ],
  [
    "forms",
    "one word in two forms among words of grammar, drawn from the texts below and WordNet's derived forms",
  ],
  ["rewrite", "chunks of GUM and CRAFT (CC BY) with words replaced by PPDB's and WordNet's"],
  [
    "typed, kinds",
    "named-entity sets (CC BY, CC BY-SA, MIT), WordNet, ontologies as above, Wikipedia, Freebase lists (CC BY), GeoNames (CC BY), OpenFlights (ODbL), corpora (CC0)",
  ],
];

const number = (/** @type {number} */ value) => value.toLocaleString("en-US");

/**
 * README.md of the model.
 * @param {{ recipe: any, config: any, record: any, reports: any[] | undefined }} facts
 */
export function modelCard({ recipe, config, record, reports }) {
  const { tables, training, stages, seed } = record;
  const pairs = Object.values(tables.kept["synonyms.tsv"]).reduce((sum, count) => sum + count, 0);
  return `---
license: ${recipe.license}
language: en
library_name: pearl
pipeline_tag: feature-extraction
tags: [pearl, phrase-embeddings, onnx]
${reports === undefined ? "" : `${modelIndex(recipe.name, reportOf(recipe.name, reports))}\n`}---

# ${recipe.name}

Phrase embeddings of ${config.pearl.dimension} dimensions with a head for ${config.pearl.types?.length ?? 0} phrase types, trained from scratch by pearl (on
${recipe.device}). It knows how names are spelled and something of what phrases mean; it works offline.

    pearl encode phrases.csv
    pearl type "The New York Times"

## Scores

${reports === undefined ? "Not measured yet: `pearl bench --model pearl-mini` measures them." : scoreTable(recipe.name, reports)}

## Training

recipe.yaml beside this card holds every setting, build.json what was done with them;
\`node scripts/build-pearl-mini.mjs --work WORK --seed ${seed}\` makes the model again.

| stage | minutes | machine |
| --- | --- | --- |
${Object.entries(stages)
  .map(
    ([name, { seconds, machine }]) =>
      `| ${name} | ${(seconds / 60).toFixed(1)} | ${machine.processor}, ${machine.cores} cores |`,
  )
  .join("\n")}

${fineTunings(training)} on ${number(pairs)} pairs of phrases, from a word encoder that read
${recipe.pretrain.texts.length} collections of text for ${number(recipe.pretrain.options.steps)} steps; its words start from ${recipe.pretrain.options.vectors} (GloVe),
and it knows WordNet's words that the texts have too seldom. Words that it does not know are parted at inner capitals
("NYTimes" is read as "NY Times"). Spelling has the weights of the first ${recipe.finetune.spellingOf * recipe.finetune.trainings} trainings alone. Then, without training: half of a word's
weight is its rarity (in texts ${recipe.finish.words.rarity.text}, in names ${recipe.finish.words.rarity.names}), years count ${recipe.finish.words.years} times in spelling, words in brackets less, and the sum of
words ${recipe.finish.words.sum} times in meaning; spelling is whitened (softly, by ${recipe.finish.whiten.characters}), types are tempered (${recipe.finish.typeTemperature}), and the layers
that share out the embedding between spelling, meaning and type (one for phrases with a capital, one for single words
without, one for longer phrases without) are fitted to groups of phrases.

## Data and licences

| pairs | from |
| --- | --- |
${sources.map(([names, from]) => `| ${names}: ${countOf(names, tables.kept["synonyms.tsv"])} | ${from} |`).join("\n")}

Text: Simple English and English Wikipedia (CC BY-SA), Wikinews (CC BY), MedQuAD, CRAFT and ontologies' definitions
(CC BY), public-domain books, speeches and country facts, MASC.

Left out of all of it: pairs of the evaluation sets (the half at hand by text, the other by hash), the
${number(tables.turneySynsets)} WordNet synsets behind Turney's questions, types that CoNLL-2003 and BC5CDR alone give, titles of YAGO's
dictionary and AutoFJ's tables as names to make twins of, and sources for research alone. \`npm run check:leaks\` checks it.

## Limits

English, phrases of up to a dozen words. Phrases with a capital are taken for names rather than those without: "The New
York Times" has a cosine of 0.70 to its small letters, 0.99 to its capitals; right tables in small letters rank nearly as
well all the same (AutoFJ's 30 sets: 74.9 for 75.5; in capitals 75.7). World knowledge is small: trade names, nicknames
and translations that share no letters are found only where the data had them. A misspelt word alone is found less often
than by its spelling part alone, since what a phrase means counts too. Data from Wikipedia and web lists has their gaps
and biases.
`;
}

/** @param {any} training training.json of one training, or of the mean of several */
function fineTunings({ result, averaged = [] }) {
  const steps = number(result.steps);
  return averaged.length > 1
    ? `The mean of the weights of ${averaged.length} fine-tunings of ${steps} steps each`
    : `${steps} steps of fine-tuning`;
}

/** @param {string} names @param {Record<string, number>} counts */
const countOf = (names, counts) =>
  names
    .split(", ")
    .map((name) => number(counts[name] ?? 0))
    .join(", ");

/** The model's own report, or the only one there is. @param {string} name @param {any[]} reports as `pearl bench --json` writes them */
function reportOf(name, reports) {
  const own = reports.find(({ model }) => model === name) ?? (reports.length === 1 ? reports[0] : undefined);
  if (own === undefined) throw new Error(`none of the ${reports.length} reports is of ${name}`);
  return own;
}

/** @param {string} name @param {any[]} reports */
function scoreTable(name, reports) {
  const own = taskScores(reportOf(name, reports));
  const tasks = Object.keys(publishedMetrics).filter((task) => task in own);
  const head = `| model | ${tasks.join(" | ")} |\n| --- | ${tasks.map(() => "---").join(" | ")} |`;
  /** @param {string} model @param {(task: string) => number | undefined} score */
  const row = (model, score) =>
    `| ${model} | ${tasks.map((task) => score(task)?.toFixed(1) ?? "–").join(" | ")} |`;
  return `Fair protocol, on one half of each set (AutoFJ: 30 of 50; YAGO: a dictionary of 159 thousand names, exact search):

${head}
${row(`**${name}**`, (task) => 100 * own[task])}

Published scores, of whole sets under the published protocol:

${head}
${publishedRows.map(({ model, scores }) => row(model, (task) => scores[task])).join("\n")}`;
}
