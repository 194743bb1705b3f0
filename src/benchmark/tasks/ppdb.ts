/**
 * PPDB and PPDB-filtered: is a pair of phrases a paraphrase? (Pavlick et al. 2015; filtered by Wang et al. 2021,
 * Phrase-BERT: the positives share no more words than the negatives.)
 *
 * - published: accuracy of a probe trained on the concatenation of both vectors (Linear 256, ReLU, Linear 1,
 *   sigmoid). It needs the training engine and is not measured yet.
 * - fair: the area under the ROC curve of the cosine, which needs no probe; the seeded probe comes with the
 *   training engine too.
 */
import { readFile } from "node:fs/promises";
import { messageOf, TableError } from "../../errors.js";
import { findFile, shownPath } from "../data-folder.js";
import { rocAuc } from "../metrics/roc-auc.js";
import type { Task } from "../task.js";
import { pairSimilarities } from "./pair-similarity.js";

export const ppdb = ppdbTask("ppdb", "ppdb.json");
export const ppdbFiltered = ppdbTask("ppdb-filtered", "ppdb_filtered.json");

function ppdbTask(name: string, file: string): Task {
  const pairFile = (dataFolder: string): Promise<string> =>
    findFile(dataFolder, name, { what: "the pairs", names: [`ppdb/${file}`, file] });
  return {
    name,
    metric: "auc",
    locate: async ({ dataFolder }) => [await pairFile(dataFolder)],
    async run(context) {
      if (context.protocol === "published") {
        const notApplicable = `${name}: the published probe's accuracy comes with the training engine; not measured`;
        return { scores: [], notApplicable };
      }
      const path = await pairFile(context.dataFolder);
      const { left, right, positive } = parsePpdb(await readFile(path, "utf8"), path);
      const started = performance.now();
      const similarities = await pairSimilarities(left, right, context);
      const seconds = (performance.now() - started) / 1000;
      const shown = shownPath(context.dataFolder, path);
      const positives = positive.filter(Boolean).length;
      const score = rocAuc(similarities, positive);
      const details = { file: shown, positives };
      return {
        scores: [{ dataset: shown, metric: "auc", score, n: left.length, seconds, details }],
        notes: [`${name}: probe accuracy comes with the training engine; cosine AUC shown`],
      };
    },
  };
}

/** A JSON list of [phrase, phrase, "pos" or "neg", ...]. */
export function parsePpdb(text: string, path: string) {
  let pairs: unknown;
  try {
    pairs = JSON.parse(text);
  } catch (error) {
    throw new TableError(`${path}: not valid JSON (${messageOf(error)})`);
  }
  if (!Array.isArray(pairs)) throw new TableError(`${path}: expected a JSON list of pairs`);
  const left: string[] = [];
  const right: string[] = [];
  const positive: boolean[] = [];
  pairs.forEach((pair: unknown, index) => {
    const [a, b, label] = Array.isArray(pair) ? pair : [];
    if (typeof a !== "string" || typeof b !== "string" || (label !== "pos" && label !== "neg")) {
      throw new TableError(`${path} pair ${index + 1}: expected [phrase, phrase, "pos" or "neg", ...]`);
    }
    left.push(a);
    right.push(b);
    positive.push(label === "pos");
  });
  return { left, right, positive };
}
