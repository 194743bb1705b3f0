/**
 * Measures how often an augmented phrase equals the original, and the speed of augmentation.
 *
 *     npm run build && node benchmarks/augmentation.mjs [--phrases 20000] [--json FILE]
 *
 * The phrases are WordNet's lemmas, the chunks of ../shared/data/train/chunks.tsv.gz by class (if the file
 * exists), and the titles of gloss_wiki.tsv.gz with their types. They are distinct and sampled with a seed.
 * "Unchanged" counts twins that equal the phrase: "unchanged" or "dropout" was drawn, or the drawn rule does
 * not apply. The excess over the probability of "unchanged" and "dropout" is reported as "fell back". No
 * paraphrase files are used. Speed is twins per second of processor time on one thread; the rate of a rule
 * counts every phrase it was tried on.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { gunzipSync } from "node:zlib";
import { twinCounter } from "../dist/augmentation/augment-table.js";
import { createAugmenter } from "../dist/augmentation/augmenter.js";
import { RULE_NAMES } from "../dist/augmentation/named-rule.js";
import { createRandom, sampleWithout } from "../dist/random.js";
import { readSynsets } from "../dist/text/wordnet.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const { values: options } = parseArgs({
  options: {
    phrases: { type: "string", default: "20000" },
    data: { type: "string", default: resolve(root, "../shared/data") },
    json: { type: "string", default: join(root, "benchmarks/results/augmentation.json") },
  },
});
const count = Number(options.phrases);
const seed = 1;

/** Entity types of titles, for the preset "names". @type {Map<string, any>} */
const types = new Map();
const presets = /** @type {const} */ (["house", "pearl", "pearl-head", "names"]);
const sets = { "WordNet lemmas": await wordnetLemmas(), ...chunks(), ...titles() };
const results = [];
for (const preset of presets) {
  const augmenter = await createAugmenter({ preset });
  for (const [name, phrases] of Object.entries(sets))
    results.push({ preset, phrases: name, ...countTwins(augmenter, phrases) });
}
const mixed = Object.values(sets).flat();
const rates = await ruleRates(mixed);
const mixRates = await presetRates(mixed);
const result = {
  task: "augmentation: share of unchanged twins, and speed",
  phrasesPerSet: Object.fromEntries(Object.entries(sets).map(([name, list]) => [name, list.length])),
  seed,
  cores: availableParallelism(),
  cpu: cpus()[0].model,
  node: process.version,
  load: Number(loadavg()[0].toFixed(1)),
  shares: results,
  twinsPerProcessorSecond: mixRates,
  rules: rates,
};
writeFileSync(options.json, `${JSON.stringify(result, null, 2)}\n`);
print();

/** A sample of all lemmas. */
async function wordnetLemmas() {
  const lemmas = new Set();
  for await (const synset of readSynsets()) for (const lemma of synset.lemmas) lemmas.add(lemma);
  return sampleWithout([.../** @type {Set<string>} */ (lemmas)], count, createRandom(seed));
}

/** A sample of the chunks of each lexical class. */
function chunks() {
  const path = join(options.data, "train/chunks.tsv.gz");
  if (!existsSync(path)) {
    console.error(`${path} does not exist: chunks are not measured`);
    return {};
  }
  /** @type {Record<string, string[]>} */
  const byClass = {};
  for (const line of gunzipSync(readFileSync(path)).toString().split("\n").filter(Boolean)) {
    const [phrase, lexicalClass] = line.split("\t");
    byClass[`chunks ${lexicalClass}`] ??= [];
    byClass[`chunks ${lexicalClass}`].push(phrase);
  }
  const sorted = Object.entries(byClass).toSorted(([left], [right]) => left.localeCompare(right));
  return Object.fromEntries(
    sorted.map(([name, list]) => [name, sampleWithout(list, count / 5, createRandom(seed))]),
  );
}

/** A sample of the titles of an encyclopedia; stores their entity types. */
function titles() {
  const path = join(options.data, "train/gloss_wiki.tsv.gz");
  if (!existsSync(path)) return {};
  for (const line of gunzipSync(readFileSync(path)).toString().split("\n").filter(Boolean)) {
    const [title, , type] = line.split("\t");
    types.set(title, type || undefined);
  }
  return { titles: sampleWithout([...types.keys()], count, createRandom(seed)) };
}

/** Fractions of unchanged twins, granularities and rules. */
function countTwins(
  /** @type {import("../dist/augmentation/augmenter.js").Augmenter} */ augmenter,
  /** @type {string[]} */ phrases,
) {
  const random = createRandom(seed);
  const counter = twinCounter();
  let same = 0;
  for (const phrase of phrases) {
    const twin = augmenter.augment(phrase, random, { type: types.get(phrase) });
    counter.add(twin);
    if (twin.text === phrase) same++;
  }
  const { twins, byGranularity, byRule } = counter.counts();
  const rounded = (/** @type {number} */ value) => Number((value / twins).toFixed(4));
  const { probabilities } = augmenter.settings;
  const expected = ((probabilities.unchanged ?? 0) + (probabilities.dropout ?? 0)) * twins;
  return {
    unchanged: rounded(same),
    fellBack: rounded(Math.max(0, same - expected)),
    byGranularity: Object.fromEntries(Object.entries(byGranularity).map(([name, n]) => [name, rounded(n)])),
    byRule: Object.fromEntries(Object.entries(byRule).map(([name, n]) => [name, rounded(n)])),
  };
}

/** For each rule alone: the fraction of phrases that it applies to, and its speed. */
async function ruleRates(/** @type {string[]} */ phrases) {
  const measured = [];
  for (const rule of RULE_NAMES) {
    const augmenter = await createAugmenter({ probabilities: { [rule]: 1 } });
    if (!augmenter.rules.includes(rule)) continue;
    const { rate, changed } = speed(augmenter, phrases);
    measured.push({ rule, applies: Number(changed.toFixed(4)), twinsPerProcessorSecond: rate });
  }
  return measured;
}

async function presetRates(/** @type {string[]} */ phrases) {
  /** @type {Record<string, number>} */
  const measured = {};
  for (const preset of presets) {
    measured[preset] = speed(await createAugmenter({ preset }), phrases).rate;
  }
  if ("titles" in sets)
    measured["names, titles alone"] = speed(await createAugmenter({ preset: "names" }), sets.titles).rate;
  const characters = await createAugmenter({ probabilities: { character: 1 } });
  measured["characters alone"] = speed(characters, phrases).rate;
  return measured;
}

/** Twins per second of user and system time: the median of three passes after a warm-up pass. */
function speed(
  /** @type {import("../dist/augmentation/augmenter.js").Augmenter} */ augmenter,
  /** @type {string[]} */ phrases,
) {
  const random = createRandom(seed);
  const rates = [];
  let changed = 0;
  for (let pass = 0; pass < 4; pass++) {
    const before = process.cpuUsage();
    for (const phrase of phrases)
      if (augmenter.augment(phrase, random, { type: types.get(phrase) }).text !== phrase) changed++;
    const { user, system } = process.cpuUsage(before);
    if (pass > 0) rates.push(Math.round(phrases.length / ((user + system) / 1e6)));
  }
  return { rate: rates.toSorted((a, b) => a - b)[1], changed: changed / (4 * phrases.length) };
}

function print() {
  const percent = (/** @type {number} */ value) => `${(100 * value).toFixed(1)} %`.padStart(8);
  console.log("preset      phrases          unchanged  fell back  character    token   phrase");
  for (const { preset, phrases, unchanged, fellBack, byGranularity } of results) {
    const cells = [unchanged, fellBack, byGranularity.character, byGranularity.token, byGranularity.phrase];
    console.log(`${preset.padEnd(11)} ${phrases.padEnd(16)} ${cells.map(percent).join("  ")}`);
  }
  console.log("\ntwins per second of processor time");
  for (const [name, rate] of Object.entries(mixRates))
    console.log(`${name.padEnd(20)} ${rate.toLocaleString("en-US")}`);
  for (const { rule, applies, twinsPerProcessorSecond } of rates) {
    const rate = twinsPerProcessorSecond.toLocaleString("en-US").padStart(10);
    console.log(`${rule.padEnd(20)} ${rate}   applies to ${percent(applies)} of phrases`);
  }
}
