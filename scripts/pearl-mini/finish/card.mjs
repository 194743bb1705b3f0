/** Writes the model card of pearl-mini from the records of its build and its scores. */
import { publishedMetrics, publishedRows } from "../../../dist/benchmark/report.js";
import { taskScores } from "../../../dist/methods/benchmark-score.js";
import { modelIndex } from "../../model-index.mjs";

/** Origin of the pairs of each source, for the card. The lists of the files name repositories and paths. */
const origins = `
names | ROR (CC0), Wikipedia leads (CC BY-SA), stock listings (MIT), name-suggestion-index (BSD), OFAC (public domain), football clubs (CC0), countries (ODbL), World Factbook (public domain)
biomed | CRAFT and OBO ontologies (CC BY), Disease Ontology (CC0), MedQuAD (CC BY), the training part of NCBI disease
abbrev | JabRef journal lists (CC0), acronyms found in Wikipedia, Wikinews and medical texts
misspell, typos | codespell's dictionaries (CC BY-SA) and those of typos (MIT or Apache-2.0), without the words of the evaluation
words | misspelt words of WordNet and of typed names, without the words of the evaluation
aliases, acronyms | leads, links and text of Wikipedia (CC BY-SA), Baseball Databank (CC BY-SA), courts-db (BSD), GUM (CC BY), congress-legislators (CC0), ENAMDICT (CC BY-SA), Linguist (MIT)
exonyms | GeoNames (CC BY), Glottolog (CC BY), Pleiades (CC BY), territories of OpenSanctions (MIT), Who's On First (free with credit), CLDR (Unicode-3.0)
terms | ESCO (CC BY), STW (ODbL), O*NET (CC BY), UNESCO's thesaurus (CC BY-SA), UAT (CC BY-SA), ENVO (CC0), EDAM (CC BY-SA), OpenStreetMap's presets (ISC)
rephrased | translations of one sense in EDICT, WikDict and CC-CEDICT (CC BY-SA), compounds turned round in the texts below, paraphrases of SemEval-2013 (CC BY), phrasal verbs (MIT)
glosses | WikDict's glosses (CC BY-SA), first sentences of Wikipedia (CC BY-SA)
lexical | PPDB 1.0 XL, single words (CC BY)
gloss, titles | Wikipedia titles and short descriptions (CC BY-SA)
wordnet, wordnet-gloss, wordnet-hypernym | WordNet 3.1 (WordNet licence), without the synsets behind Turney's questions
thesaurus | Moby Thesaurus II (public domain)
edict, cedict | translations of the same word in EDICT of the Electronic Dictionary Research and Development Group and in CC-CEDICT (CC BY-SA)
wikdict, wikdict-gloss | WikDict's dictionaries from Wiktionary (CC BY-SA 3.0), FreeDict's edition: translations of the same sense, English headwords with a common translation, headwords with their glosses
ding | translations of the same German word in Ding's dictionary (GPL 2 or later)
forms | two forms of a content word with different function words, from the texts below and WordNet's derivationally related forms
rewrite | chunks of GUM and CRAFT (CC BY) with words replaced by synonyms from PPDB and WordNet
typed, kinds | named-entity sets (CC BY, CC BY-SA, MIT), WordNet, ontologies as above, Wikipedia, Freebase lists (CC BY), GeoNames (CC BY), OpenFlights (ODbL), corpora (CC0)
`;

const roundsText = (rounds) =>
  rounds.map((counts) => counts.reduce((sum, count) => sum + count)).join(" and ");
export const number = (value) => value.toLocaleString("en-US");
const rowOf = (cells) => `| ${cells.join(" | ")} |`;
export const tableOf = (head, rows) => [head, head.map(() => "---"), ...rows].map(rowOf).join("\n");

/** Returns README.md of the model. @param facts `reports`: output of `pearl bench --json`, if any */
export function modelCard({ recipe, config, record, reports }) {
  const { tables, stages, seed } = record;
  const counts = tables.kept["synonyms.tsv"];
  const own = reports && reportOf(recipe.name, reports);
  return `${headOf(recipe, own)}
Phrase embeddings with ${config.pearl.dimension} dimensions and a head for ${config.pearl.types?.length ?? 0} phrase types,
trained from scratch with pearl on ${recipe.device}. The model knows the spelling of names and, to some degree, the
meaning of phrases. It works offline.

    pearl encode phrases.csv
    pearl type "The New York Times"

## Scores

${scoresOf(recipe.name, own)}

## Training

recipe.yaml in this folder holds every setting, and build.json is the record of the build.
\`node scripts/build-pearl-mini.mjs --work WORK --seed ${seed}\` builds the model again.

${stagesTable(stages)}

A word encoder is pretrained on ${recipe.pretrain.texts.length} collections of text for ${number(recipe.pretrain.options.steps)} steps. Its word
vectors start from ${recipe.pretrain.options.vectors} (GloVe), and its vocabulary also contains WordNet's words that are rare in
the texts. Unknown words are split at inner capitals: "NYTimes" is read as "NY Times". Fine-tuning on
${number(Object.values(counts).reduce((sum, count) => sum + count, 0))} pairs of phrases starts from it, in rounds of ${roundsText(recipe.finetune.rounds)} trainings: the mean of a round starts the next, and the last is the model.
The last steps need no training: the weights of words, the whitening of spelling, the temperature of types, and what follows.

- A word outside the vocabulary has the vector of the most frequent known word that is one edit away, besides the vectors of
  its own n-grams: "recieve" is read as a spelling of "receive".
- How much of an embedding is spelling, meaning and type depends on how the phrase is written: with a capital, or in
  a script without case, ${gatesText(recipe.finish.gates.withCapital)}; single words without, ${gatesText(recipe.finish.gates.word)};
  longer phrases without, ${gatesText(recipe.finish.gates.phrase)}.

## Data and licences

${originsTable(counts)}

Text: Simple English and English Wikipedia (CC BY-SA), Wikinews (CC BY), MedQuAD, CRAFT and definitions of
ontologies (CC BY), public-domain books, speeches and country facts, MASC.

All data excludes pairs of the evaluation sets (compared as text for the half at hand, as hashes for the other
half), the ${number(tables.turneySynsets)} WordNet synsets behind Turney's questions, types that only CoNLL-2003 and BC5CDR give,
titles of YAGO's dictionary and AutoFJ's tables as names to make twins of, and sources for research only.
\`npm run check:leaks\` checks this.

## Limits

- The model is for English phrases of up to a dozen words.
- Phrases with a capital are more likely to be treated as names.
- World knowledge is small. Trade names, nicknames and translations that share no letters are found only if
  they occur in the data.
- A word that is misspelt by more than one edit, or that the vocabulary lacks, is found less often than by pearl-strings.
- A name in lower case lies further from itself than one in capitals: gates differ.
- The data has the gaps and biases of Wikipedia and of web lists.
`;
}

/** What the Hugging Face hub reads, and the title. */
export const headOf = ({ name, license, base }, own) => `---
license: ${license}
language: en
library_name: pearl
pipeline_tag: feature-extraction
${base ? `base_model: ${base}\n` : ""}tags: [pearl, phrase-embeddings, onnx]
${own ? `${modelIndex(name, own)}\n` : ""}---

# ${name}
`;

export const stagesTable = (stages) =>
  tableOf(
    ["stage", "minutes", "machine"],
    Object.entries(stages).map(([name, { seconds, machine }]) => [
      ...[name, (seconds / 60).toFixed(1)],
      `${machine.processor}, ${machine.cores} cores`,
    ]),
  );

/** Where pairs are from. @param counts rows of synonyms.tsv by source */
export const originsTable = (counts) =>
  tableOf(
    ["pairs", "from"],
    origins
      .trim()
      .split("\n")
      .map((line) => line.split(" | "))
      .map(([names, from]) => [`${names}: ${countsOf(names, counts)}`, from]),
  );

const countsOf = (names, counts) =>
  names
    .split(", ")
    .map((name) => number(counts[name] ?? 0))
    .join(", ");

/** Returns the report of the model, or the only report. */
export function reportOf(name, reports) {
  const own = reports.find(({ model }) => model === name) ?? (reports.length === 1 ? reports[0] : undefined);
  if (own === undefined) throw new Error(`--scores: none of the ${reports.length} reports is for ${name}`);
  return own;
}

export function scoresOf(name, report) {
  if (report === undefined) return `Not measured yet. Run \`pearl bench --model ${name}\`.`;
  const own = taskScores(report);
  const tasks = Object.keys(publishedMetrics).filter((task) => task in own);
  const cellsOf = (model, score) => [model, ...tasks.map((task) => score(task)?.toFixed(1) ?? "–")];
  return `Fair protocol, on one half of each set (AutoFJ: 30 of 50 sets; YAGO: exact search in a dictionary of 159
thousand names):

${tableOf(["model", ...tasks], [cellsOf(`**${name}**`, (task) => 100 * own[task])])}

Published scores, on whole sets under the published protocol:

${tableOf(
  ["model", ...tasks],
  publishedRows.map(({ model, scores }) => cellsOf(model, (task) => scores[task])),
)}`;
}

/** How an embedding is divided. @param {import("../../../dist/architectures/pearl-mini/sizes.js").Gates} gates */
function gatesText({ characters, meaning, types }) {
  const percent = (/** @type {number} */ gate) => `${Math.round(100 * gate)} %`;
  return `${percent(characters)}, ${percent(meaning)} and ${percent(types)}`;
}
