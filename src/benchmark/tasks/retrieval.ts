/**
 * YAGO and UMLS: find an entity's canonical name in a dictionary from another of its names.
 *
 * A hit is a dictionary entry whose string equals the answer.
 * - published: FAISS IVFPQ on raw vectors (L2 quantiser, nlist 100, m 24, 8 bits, nprobe 1), top 1. The search is
 *   lossy, to a different degree for each model; 24 must divide the dimension. Needs the optional faiss-node.
 * - fair: exact cosine (or the string measure), top 1 with ties at 1/k; also recall@10 and the mean reciprocal
 *   rank over the whole dictionary, each the expected value if ties are broken at random.
 * The published dictionaries have 572k (YAGO) and 750k (UMLS) names; which file was used is in the details.
 */
import { TableError } from "../../errors.js";
import { readLines, shownPath } from "../data-folder.js";
import { faissTopOne, subquantisers } from "../faiss.js";
import { type EmbeddingModel, embedPhrases } from "../model.js";
import {
  expectedRecall,
  expectedReciprocalRank,
  type RankedAnswer,
  rankAnswers,
  worstMisses,
} from "../rank.js";
import { fileTask, mean, type Task, type TaskContext } from "../task.js";

export const yago = retrievalTask("yago");
export const umls = retrievalTask("umls");

function retrievalTask(name: string): Task {
  const names = (...files: readonly string[]): string[] => files.map((file) => `${name}/${name}_${file}`);
  return fileTask({
    name,
    metric: "accuracy",
    files: [
      { what: "the file of queries", names: names("test_samples.txt", "test.txt") },
      { what: "the dictionary", names: names("kb.txt", "kb_small.txt") },
    ],
    read: async ([queryPath, dictionaryPath]) => ({
      pairs: parseQueries(await readLines(queryPath), queryPath),
      dictionary: (await readLines(dictionaryPath)).map((line) => line.trim()),
      dictionaryPath,
    }),
    async measure({ dictionaryPath, ...data }, context) {
      const { model, dataFolder } = context;
      const files = { dictionary: shownPath(dataFolder, dictionaryPath), names: data.dictionary.length };
      if (context.protocol === "fair") return exactRetrieval(data, files, context);
      if (model.kind === "similarity") {
        const notApplicable = `${name}: the published protocol searches vectors, and ${model.name} compares strings`;
        return { notApplicable };
      }
      if (model.dimension % subquantisers !== 0) {
        const notApplicable =
          `${name}: the published protocol needs a dimension that is a multiple of ${subquantisers}, and ` +
          `${model.name} has ${model.dimension}`;
        return { notApplicable };
      }
      return compressedRetrieval(data, files, model, context);
    },
  });
}

interface RetrievalData {
  /** Another name of an entity and its canonical name. */
  readonly pairs: readonly { readonly query: string; readonly answer: string }[];
  readonly dictionary: readonly string[];
}

async function exactRetrieval({ pairs, dictionary }: RetrievalData, files: object, context: TaskContext) {
  const queries = pairs.map(({ query }) => query);
  const expected = pairs.map(({ answer }) => answer);
  const ranked = await rankAnswers({ queries, candidates: dictionary, expected }, context);
  const notInDictionary = ranked.filter(({ above }) => above === Number.POSITIVE_INFINITY).length;
  const scoreOf = (metric: string, value: (answer: RankedAnswer) => number) => ({
    ...{ metric, score: mean(ranked.map(value)), n: pairs.length },
    details: { ...files, notInDictionary },
  });
  return {
    scores: [
      scoreOf("accuracy", ({ credit }) => credit),
      scoreOf("recall@10", (answer) => expectedRecall(answer, 10)),
      scoreOf("mrr", expectedReciprocalRank),
    ],
    misses: worstMisses(ranked),
  };
}

async function compressedRetrieval(
  { pairs, dictionary }: RetrievalData,
  files: object,
  model: EmbeddingModel,
  context: TaskContext,
) {
  // Loading faiss comes first: an hour of encoding must not end in a missing library.
  const search = faissTopOne(model.dimension);
  const candidates = await embedPhrases(model, dictionary, context);
  const queries = pairs.map(({ query }) => query);
  const nearest = search(candidates, await embedPhrases(model, queries, context));
  const hits = pairs.filter(({ answer }, row) => dictionary[nearest[row]] === answer).length;
  const details = { ...files, index: "IVFPQ, nlist 100, m 24, 8 bits, nprobe 1" };
  return { scores: [{ metric: "accuracy", score: hits / pairs.length, n: pairs.length, details }] };
}

/** A query and its answer a line, separated by a tab. */
export function parseQueries(lines: readonly string[], path: string): RetrievalData["pairs"] {
  return lines.map((line, index) => {
    const [query, answer] = line.trim().split("\t");
    if (answer === undefined) {
      throw new TableError(`${path}, line ${index + 1}: expected a name, a tab and the canonical name.`);
    }
    return { query, answer };
  });
}
