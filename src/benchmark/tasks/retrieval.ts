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
import { ArgumentError, TableError } from "../../errors.js";
import { loadOptional } from "../../files/package.js";
import { mean } from "../../statistics.js";
import { readLines, shownPath } from "../data-folder.js";
import { type EmbeddingModel, embedPhrases } from "../models.js";
import type { RankedAnswer } from "../rank.js";
import { expectedRecall, expectedReciprocalRank, rankAnswers, worstMisses } from "../rank.js";
import { fileTask, type Task, type TaskContext } from "../task.js";

/** The part of faiss-node that pearl uses. It takes plain arrays only, and every call blocks. */
interface FaissIndex {
  train(vectors: number[]): void;
  add(vectors: number[]): void;
  search(vectors: number[], k: number): { labels: number[] };
}
interface FaissNode {
  Index: { fromFactory(dimension: number, description: string): FaissIndex };
}

/** Queries per call: one array of everything would be huge, and the binding keeps a copy of each. */
const queriesPerCall = 1000;

/** Parts of a vector in the published protocol; the dimension must be a multiple of it. */
const subquantisers = 24;
const lists = 100;

/** Nearest candidate of each query, as a row number (-1 where the list that was searched is empty). */
type TopOneSearch = (candidates: Float32Array, queries: Float32Array) => Int32Array;

/**
 * Prepares FAISS' IVFPQ index: L2 quantiser, 100 lists, 24 codes of 8 bits, 1 list searched (FAISS' default).
 *
 * @param dimension a multiple of 24
 * @throws MissingDataError where faiss-node is not installed.
 */
function faissTopOne(dimension: number): TopOneSearch {
  const faiss = loadOptional<FaissNode>(
    "faiss-node",
    "the published retrieval protocol",
    " The fair protocol needs nothing: --protocol fair",
  );
  return (candidates, queries) => {
    // "np": no polysemous codes, as in the reference; they take minutes and change no result.
    const index = faiss.Index.fromFactory(dimension, `IVF${lists},PQ${subquantisers}x8np`);
    const rows = Array.from(candidates);
    // Adding to an untrained index aborts the process: FAISS needs at least 256 vectors for its codes.
    if (candidates.length / dimension < 256)
      throw new ArgumentError("the published retrieval protocol needs a dictionary of at least 256 names");
    index.train(rows);
    index.add(rows);
    const nearest = new Int32Array(queries.length / dimension);
    for (let first = 0; first < nearest.length; first += queriesPerCall) {
      const slice = Array.from(queries.subarray(first * dimension, (first + queriesPerCall) * dimension));
      nearest.set(index.search(slice, 1).labels, first);
    }
    return nearest;
  };
}

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
      const protocol = `${name}: the published protocol`;
      if (model.kind === "similarity")
        return { notApplicable: `${protocol} searches vectors, and ${model.name} compares strings` };
      if (model.dimension % subquantisers === 0) return compressedRetrieval(data, files, model, context);
      const needed = `a dimension that is a multiple of ${subquantisers}`;
      return { notApplicable: `${protocol} needs ${needed}, and ${model.name} has ${model.dimension}` };
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
    if (answer !== undefined) return { query, answer };
    throw new TableError(`${path}, line ${index + 1}: expected a name, a tab and the canonical name.`);
  });
}
