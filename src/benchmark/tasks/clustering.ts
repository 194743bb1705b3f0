/**
 * CoNLL-2003 (persons, places, organisations) and BC5CDR (chemicals, diseases): do entity names cluster by type?
 *
 * Every mention of the set's types counts, as often as it occurs; k-means with k = the number of types; normalised
 * mutual information (arithmetic mean) of clusters and types.
 * - published: raw vectors, 10 starts (scikit-learn's default before 1.4), seed 0. The random numbers differ from
 *   scikit-learn's; the best of 10 starts makes the difference small.
 * - fair: unit vectors, 10 starts, mean over 5 seeds, counted up from the run's seed.
 * The published scores are those of test.json; dev.json is used if there is no test.json.
 */
import { array, looseObject, looseTuple, number, string } from "valibot";
import { TableError } from "../../errors.js";
import { parseJson } from "../../files/json.js";
import { kMeans } from "../../search/k-means.js";
import { unitRows } from "../../search/vectors.js";
import { deviation, mean } from "../../statistics.js";
import { readLines } from "../data-folder.js";
import { normalizedMutualInformation } from "../metrics.js";
import { embedPhrases } from "../models.js";
import { fileTask, type Task, type TaskContext } from "../task.js";

export const conll = clusteringTask("conll", "conll2003", ["PER", "LOC", "ORG"]);
export const bc5cdr = clusteringTask("bc5cdr", "bc5cdr", ["Chemical", "Disease"]);

const starts = 10;
const fairSeeds = 5;

function clusteringTask(name: string, folder: string, types: readonly string[]): Task {
  return fileTask({
    name,
    metric: "nmi",
    files: [{ what: "the annotated sentences", names: [`${folder}/test.json`, `${folder}/dev.json`] }],
    read: async ([path]) => parseMentions(await readLines(path), path, types),
    async measure({ phrases, labels }, context) {
      const { model } = context;
      if (model.kind === "similarity")
        return { notApplicable: `${name}: clustering needs vectors, and ${model.name} compares strings` };
      const vectors = await embedPhrases(model, phrases, context);
      const nmis = await clusterings(vectors, model.dimension, labels, types.length, context);
      const score = mean(nmis);
      const details = {
        types,
        starts,
        seeds: nmis.length,
        perSeed: nmis,
        standardDeviation: deviation(nmis),
      };
      return { scores: [{ metric: "nmi", score, n: phrases.length, details }] };
    },
  });
}

async function clusterings(
  raw: Float32Array,
  dimension: number,
  labels: readonly number[],
  clusters: number,
  { protocol, seed, signal, onProgress }: TaskContext,
): Promise<number[]> {
  const fair = protocol === "fair";
  const vectors = fair ? unitRows(raw, dimension) : raw;
  const seeds = fair ? Array.from({ length: fairSeeds }, (_, offset) => seed + offset) : [0];
  const nmis: number[] = [];
  for (const current of seeds) {
    signal?.throwIfAborted();
    const clustering = kMeans(vectors, { dimension, clusters, starts, seed: current });
    nmis.push(normalizedMutualInformation(labels, clustering.labels));
    onProgress?.("clustering", nmis.length, seeds.length);
    await new Promise(setImmediate);
  }
  return nmis;
}

const documentSchema = looseObject({
  sentences: array(array(string())),
  ner: array(array(looseTuple([number(), number(), string()]))),
});
const trouble = { error: TableError, cure: 'Expected an object with "sentences" and "ner".' };

/** One JSON object per line: sentences (lists of tokens) and per sentence ner: [first, last, type] with both ends included. */
export function parseMentions(lines: readonly string[], path: string, types: readonly string[]) {
  const phrases: string[] = [];
  const labels: number[] = [];
  lines.forEach((line, index) => {
    if (line.trim() === "") return;
    const { sentences, ner } = parseJson(line, `${path}, line ${index + 1}`, documentSchema, trouble);
    sentences.forEach((tokens, sentence) => {
      for (const [first, last, type] of ner[sentence] ?? []) {
        const label = types.indexOf(type);
        if (label < 0) continue;
        phrases.push(tokens.slice(first, last + 1).join(" "));
        labels.push(label);
      }
    });
  });
  if (phrases.length < types.length) {
    throw new TableError(`${path}: found ${phrases.length} mentions of the types ${types.join(", ")}.`);
  }
  return { phrases, labels };
}
