/**
 * PPDB and PPDB-filtered: is a pair of phrases a paraphrase? (Pavlick et al. 2015; filtered by Wang et al. 2021,
 * Phrase-BERT: the positives share no more words than the negatives.)
 *
 * - published: accuracy of a probe trained on the concatenation of both vectors (../probe.ts), as the model gives
 *   them; here seeded, one run.
 * - fair: the same probe's plain accuracy with its best weights, mean over 5 seeds, on vectors whose coordinates
 *   have a mean square of 1, so that a rescaled model scores the same; and the area under the ROC curve of the
 *   cosine, which needs no probe.
 */
import { readFile } from "node:fs/promises";
import { array, looseTuple, picklist, string } from "valibot";
import { TableError } from "../../errors.js";
import { parseJson } from "../../files/json.js";
import { unitRows } from "../../search/vectors.js";
import { deviation, mean } from "../../statistics.js";
import { rocAuc } from "../metrics.js";
import { type EmbeddingModel, embedPhrases, type PhraseModel, pairSimilarities } from "../models.js";
import { fewestPairs, probe } from "../probe.js";
import { fileTask, secondsSince, type Task, type TaskContext } from "../task.js";

export const ppdb = ppdbTask("ppdb", "ppdb.json");
export const ppdbFiltered = ppdbTask("ppdb-filtered", "ppdb_filtered.json");

const fairSeeds = 5;

function ppdbTask(name: string, file: string): Task {
  const unprobed = (model: PhraseModel, pairs: number): string | undefined => {
    if (model.kind === "similarity")
      return `${name}: the probe needs vectors, which ${model.name} does not give`;
    return pairs < fewestPairs ? `${name}: ${pairs} pairs are too few for the probe` : undefined;
  };
  return fileTask({
    name,
    metric: "probe accuracy",
    files: [{ what: "the pairs", names: [`ppdb/${file}`, file] }],
    read: async ([path]) => parsePpdb(await readFile(path, "utf8"), path),
    async measure(pairs, context) {
      const reason = unprobed(context.model, pairs.left.length);
      const isFair = context.protocol === "fair";
      if (!isFair && reason) return { notApplicable: reason };
      const probed = reason ? [] : [await probeScore(pairs, context)];
      if (!isFair) return { scores: probed };
      const scores = [...probed, await areaScore(pairs, context)];
      return { scores, ...(reason && { notes: [`${reason}; cosine AUC shown`] }) };
    },
  });
}

type Pairs = ReturnType<typeof parsePpdb>;

async function areaScore(pairs: Pairs, context: TaskContext) {
  const started = performance.now();
  const similarities = await pairSimilarities(pairs.left, pairs.right, context);
  return scoreOf("auc", rocAuc(similarities, pairs.positive), pairs, started);
}

async function probeScore(pairs: Pairs, context: TaskContext) {
  const started = performance.now();
  const { protocol, seed, signal, onProgress } = context;
  const features = await pairFeatures(pairs, context.model as EmbeddingModel, context);
  const outcomes: Awaited<ReturnType<typeof probe>>[] = [];
  const runs = protocol === "fair" ? fairSeeds : 1;
  for (let run = 0; run < runs; run++)
    outcomes.push(
      await probe(features, pairs.positive, {
        ...{ protocol, seed: seed + run, signal },
        onEpoch: (epoch, epochs) => onProgress?.("training probes", run * epochs + epoch, runs * epochs),
      }),
    );
  const accuracies = outcomes.map(({ accuracy }) => accuracy);
  return scoreOf("probe accuracy", mean(accuracies), pairs, started, {
    ...{ accuracies, tested: outcomes[0].tested, epochs: outcomes.map(({ epochs }) => epochs) },
    ...(runs > 1 && { standardDeviation: deviation(accuracies) }),
  });
}

/** Both vectors of each pair side by side, [pairs, 2 × dimension]. */
async function pairFeatures(pairs: Pairs, model: EmbeddingModel, context: TaskContext) {
  const rows = await embedPhrases(model, [...pairs.left, ...pairs.right], context);
  const { dimension } = model;
  const units = context.protocol === "fair" ? unitRows(rows, dimension) : rows;
  const scale = context.protocol === "fair" ? Math.sqrt(dimension) : 1;
  const count = pairs.left.length;
  const features = new Float32Array(rows.length);
  for (let pair = 0; pair < count; pair++)
    for (const [side, row] of [pair, count + pair].entries())
      for (let i = 0; i < dimension; i++)
        features[(2 * pair + side) * dimension + i] = scale * units[row * dimension + i];
  return features;
}

function scoreOf(metric: string, score: number, pairs: Pairs, started: number, details: object = {}) {
  const positives = pairs.positive.filter(Boolean).length;
  const n = pairs.left.length;
  return { metric, score, n, seconds: secondsSince(started), details: { positives, ...details } };
}

const pairsSchema = array(looseTuple([string(), string(), picklist(["pos", "neg"])]));

/** A JSON list of [phrase, phrase, "pos" or "neg", ...]. */
export function parsePpdb(text: string, path: string) {
  const cure = 'Expected a list of [phrase, phrase, "pos" or "neg", ...].';
  const pairs = parseJson(text, path, pairsSchema, { error: TableError, cure });
  return {
    left: pairs.map(([left]) => left),
    right: pairs.map(([, right]) => right),
    positive: pairs.map(([, , label]) => label === "pos"),
  };
}
