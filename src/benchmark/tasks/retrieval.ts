/**
 * YAGO and UMLS: find an entity's canonical name in a dictionary from another of its names.
 *
 * A hit is a dictionary entry whose string equals the answer.
 * - published: FAISS IVFPQ on raw vectors (L2 quantiser, nlist 100, m 24, 8 bits, nprobe 1), top 1. A lossy search
 *   whose loss differs by model; the vectors' dimension must divide by 24. Needs the optional faiss-node.
 * - fair: exact cosine (or the string measure), top 1 with ties at 1/k; beside it recall@10 and the mean
 *   reciprocal rank over the whole dictionary, ties broken by lot on average.
 * The published dictionaries have 572k (YAGO) and 750k (UMLS) names; which file was used is in the details.
 */
import { TableError } from "../../errors.js";
import { faissTopOne, subquantisers } from "../../search/graph/faiss.js";
import { findFile, readLines, shownPath } from "../data-folder.js";
import { embedPhrases } from "../embed.js";
import { worstMisses } from "../misses.js";
import { expectedRecall, expectedReciprocalRank, rankAnswers } from "../rank.js";
import type { Score, Task, TaskContext, TaskOutcome } from "../task.js";

export const yago = retrievalTask(
  "yago",
  ["yago_test_samples.txt", "yago_test.txt"],
  ["yago_kb.txt", "yago_kb_small.txt"],
);
export const umls = retrievalTask(
  "umls",
  ["umls_test_samples.txt", "umls_test.txt"],
  ["umls_kb.txt", "umls_kb_small.txt"],
);

function retrievalTask(
  name: string,
  queryFiles: readonly string[],
  dictionaryFiles: readonly string[],
): Task {
  const names = (files: readonly string[]): string[] => files.map((file) => `${name}/${file}`);
  const locate = async ({ dataFolder }: Pick<TaskContext, "dataFolder">): Promise<[string, string]> => [
    await findFile(dataFolder, name, { what: "the file of queries", names: names(queryFiles) }),
    await findFile(dataFolder, name, { what: "the dictionary", names: names(dictionaryFiles) }),
  ];
  return {
    name,
    metric: "accuracy",
    locate,
    async run(context) {
      const { dataFolder, model } = context;
      const [queryPath, dictionaryPath] = await locate(context);
      const pairs = parseQueries(await readLines(queryPath), queryPath);
      const dictionary = (await readLines(dictionaryPath)).map((line) => line.trim());
      const files = {
        file: shownPath(dataFolder, queryPath),
        dictionary: shownPath(dataFolder, dictionaryPath),
        names: dictionary.length,
      };
      if (context.protocol === "fair") return exactRetrieval(pairs, dictionary, files, context);
      if (model.kind === "similarity") {
        const notApplicable = `${name}: the published protocol searches vectors, and ${model.name} compares strings`;
        return { scores: [], notApplicable };
      }
      if (model.dimension % subquantisers !== 0) {
        const notApplicable =
          `${name}: the published protocol cuts vectors into ${subquantisers} parts, and the ${model.dimension} ` +
          `numbers of ${model.name} cannot be cut so`;
        return { scores: [], notApplicable };
      }
      return compressedRetrieval(pairs, dictionary, files, context);
    },
  };
}

/** Another name of an entity and its canonical name. */
export interface RetrievalPair {
  readonly query: string;
  readonly answer: string;
}

interface UsedFiles {
  readonly file: string;
  readonly dictionary: string;
  readonly names: number;
}

async function exactRetrieval(
  pairs: readonly RetrievalPair[],
  dictionary: readonly string[],
  files: UsedFiles,
  context: TaskContext,
): Promise<TaskOutcome> {
  const rowsOf = new Map<string, number[]>();
  dictionary.forEach((title, row) => {
    const rows = rowsOf.get(title);
    if (rows) rows.push(row);
    else rowsOf.set(title, [row]);
  });
  const started = performance.now();
  const answers = pairs.map(({ answer }) => rowsOf.get(answer) ?? []);
  const queries = pairs.map(({ query }) => query);
  const ranked = await rankAnswers({ queries, candidates: dictionary, answers }, context);
  const seconds = (performance.now() - started) / 1000;
  const notInDictionary = ranked.filter(({ hasAnswer }) => !hasAnswer).length;
  const mean = (value: (row: (typeof ranked)[number]) => number): number =>
    ranked.reduce((sum, row) => sum + value(row), 0) / ranked.length;
  const row = { dataset: files.file, n: pairs.length, seconds, details: { ...files, notInDictionary } };
  const scores: Score[] = [
    { ...row, metric: "accuracy", score: mean(({ credit }) => credit) },
    { ...row, metric: "recall@10", score: mean((answer) => expectedRecall(answer, 10)) },
    { ...row, metric: "mrr", score: mean(expectedReciprocalRank) },
  ];
  const misses = worstMisses(
    pairs.map(({ query, answer }, row) => ({
      ranked: ranked[row],
      credit: ranked[row].credit,
      ...{ dataset: files.file, query, expected: answer, chosen: dictionary[ranked[row].best] },
    })),
  );
  return { scores, misses };
}

async function compressedRetrieval(
  pairs: readonly RetrievalPair[],
  dictionary: readonly string[],
  files: UsedFiles,
  context: TaskContext,
): Promise<TaskOutcome> {
  const { model } = context;
  if (model.kind !== "embedding") throw new TypeError("only vectors can be compressed");
  const started = performance.now();
  // Loading faiss comes first: an hour of encoding must not end in a missing library.
  const search = faissTopOne(model.dimension);
  const candidates = await embedPhrases(model, dictionary, context);
  const queries = await embedPhrases(
    model,
    pairs.map(({ query }) => query),
    context,
  );
  const nearest = search(candidates, queries);
  const hits = pairs.filter(({ answer }, row) => dictionary[nearest[row]] === answer).length;
  const seconds = (performance.now() - started) / 1000;
  const details = { ...files, index: "IVFPQ, nlist 100, m 24, 8 bits, nprobe 1" };
  const score = hits / pairs.length;
  return { scores: [{ dataset: files.file, metric: "accuracy", score, n: pairs.length, seconds, details }] };
}

/** A query and its answer a line, separated by a tab. */
export function parseQueries(lines: readonly string[], path: string): RetrievalPair[] {
  return lines.map((line, index) => {
    const [query, answer] = line.trim().split("\t");
    if (answer === undefined) {
      throw new TableError(`${path} line ${index + 1}: expected a name, a tab and the canonical name`);
    }
    return { query, answer };
  });
}
