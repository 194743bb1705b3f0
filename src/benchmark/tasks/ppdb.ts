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
import { findFile, shownPath } from "../data-folder.js";
import { embedPhrases } from "../embed.js";
import { rocAuc } from "../metrics/roc-auc.js";
import type { EmbeddingModel } from "../model.js";
import { fewestPairs, type ProbeOutcome, probe } from "../probe.js";
import type { Score, Task, TaskContext } from "../task.js";
import { pairSimilarities } from "./pair-similarity.js";

export const ppdb = ppdbTask("ppdb", "ppdb.json");
export const ppdbFiltered = ppdbTask("ppdb-filtered", "ppdb_filtered.json");

function ppdbTask(name: string, file: string): Task {
  const pairFile = (dataFolder: string): Promise<string> =>
    findFile(dataFolder, name, { what: "the pairs", names: [`ppdb/${file}`, file] });
  return {
    name,
    metric: "probe accuracy",
    locate: async ({ dataFolder }) => [await pairFile(dataFolder)],
    async run(context) {
      const path = await pairFile(context.dataFolder);
      const pairs = parsePpdb(await readFile(path, "utf8"), path);
      const shown = shownPath(context.dataFolder, path);
      const { model, protocol } = context;
      const unprobed =
        model.kind === "similarity"
          ? `${name}: the probe needs vectors, which ${model.name} does not give`
          : pairs.left.length < fewestPairs
            ? `${name}: ${pairs.left.length} pairs are too few for the probe`
            : undefined;
      if (protocol === "published" && unprobed !== undefined) return { scores: [], notApplicable: unprobed };
      const probed = unprobed === undefined ? [await probeScore(pairs, shown, context)] : [];
      if (protocol === "published") return { scores: probed };
      const scores = [...probed, await areaScore(pairs, shown, context)];
      return { scores, ...(unprobed !== undefined && { notes: [`${unprobed}; cosine AUC shown`] }) };
    },
  };
}

type Pairs = ReturnType<typeof parsePpdb>;

async function areaScore(pairs: Pairs, file: string, context: TaskContext): Promise<Score> {
  const started = performance.now();
  const similarities = await pairSimilarities(pairs.left, pairs.right, context);
  const score = rocAuc(similarities, pairs.positive);
  return scoreOf("auc", score, pairs, { file, started, details: {} });
}

/** Seeds of the fair protocol. */
const seeds = 5;

async function probeScore(pairs: Pairs, file: string, context: TaskContext): Promise<Score> {
  const started = performance.now();
  const { protocol, seed, signal, onProgress } = context;
  const model = context.model as EmbeddingModel;
  const features = await pairFeatures(pairs, model, context);
  const outcomes: ProbeOutcome[] = [];
  const runs = protocol === "fair" ? seeds : 1;
  for (let run = 0; run < runs; run++)
    outcomes.push(
      await probe(features, pairs.positive, {
        ...{ protocol, seed: seed + run, signal },
        onEpoch: (epoch, epochs) =>
          onProgress?.({ label: "training probes", done: run * epochs + epoch, total: runs * epochs }),
      }),
    );
  const accuracies = outcomes.map(({ accuracy }) => accuracy);
  const mean = accuracies.reduce((sum, x) => sum + x, 0) / runs;
  const squares = accuracies.reduce((sum, x) => sum + (x - mean) ** 2, 0);
  const details = {
    ...{ accuracies, tested: outcomes[0].tested, epochs: outcomes.map(({ epochs }) => epochs) },
    ...(runs > 1 && { standardDeviation: Math.sqrt(squares / (runs - 1)) }),
  };
  return scoreOf("probe accuracy", mean, pairs, { file, started, details });
}

/** Both vectors of each pair side by side, [pairs, 2 × dimension]. */
async function pairFeatures(
  pairs: Pairs,
  model: EmbeddingModel,
  context: TaskContext,
): Promise<Float32Array> {
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

function scoreOf(
  metric: string,
  score: number,
  { left, positive }: Pairs,
  { file, started, details }: { file: string; started: number; details: Record<string, unknown> },
): Score {
  const seconds = (performance.now() - started) / 1000;
  const positives = positive.filter(Boolean).length;
  return { dataset: file, metric, score, n: left.length, seconds, details: { file, positives, ...details } };
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
