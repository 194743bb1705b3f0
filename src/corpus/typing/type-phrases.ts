/** Types all phrases of a corpus: what lists and tables say, then the typer over several threads, then a model. */

import { existsSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import type * as Transformers from "@huggingface/transformers";
import { ModelError, messageOf } from "../../errors.js";
import { loadOptional } from "../../files/package.js";
import type { WorkerClient } from "../../runtime/worker-client.js";
import { eachInWorkers } from "../../runtime/worker-pool.js";
import { UNKNOWN_TYPE } from "../corpus-folder.js";
import type { GatheredPhrases } from "../phrase-tables.js";
import type { RankedPhrase } from "../text/phrase-ranking.js";
import { FINE_TYPES, type FineType, fineTypeOf, KNOWN_LABELS } from "./fine-types.js";
import type { TypeLabel, TypeSource } from "./phrase-typer.js";

interface TypePhrasesOptions {
  /** The user's types; they come first. */
  readonly list: ReadonlyMap<string, FineType>;
  /** Types of the tables; they come second. */
  readonly gathered: GatheredPhrases;
  /** A model for what nothing else types. */
  readonly nerModel?: string;
  readonly threads: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number) => void;
}

/** Where a type comes from: the user's list, a table, the user's model, or a source of the typer. */
export type CorpusTypeSource = "list" | "table" | "model" | TypeSource;

const TYPER_BATCH = 20_000;
const MODEL_BATCH = 64;

/**
 * Types phrases; the result does not depend on the number of threads.
 * @returns `types`: index in FINE_TYPES, or UNKNOWN_TYPE, in the order of the phrases; `bySource`: how many each source typed
 */
export async function typePhrases(phrases: readonly RankedPhrase[], options: TypePhrasesOptions) {
  const { list, gathered, nerModel, threads, signal } = options;
  const types = new Uint8Array(phrases.length).fill(UNKNOWN_TYPE);
  const bySource: Partial<Record<CorpusTypeSource, number>> = {};
  const give = (row: number, type: FineType, source: CorpusTypeSource): void => {
    types[row] = FINE_TYPES.indexOf(type);
    bySource[source] = (bySource[source] ?? 0) + 1;
  };
  /** Rows without a type, some at a time. */
  function* untyped(batch: number): Generator<number[]> {
    const rows = [...types.keys()].filter((row) => types[row] === UNKNOWN_TYPE);
    for (let first = 0; first < rows.length; first += batch) {
      signal?.throwIfAborted();
      yield rows.slice(first, first + batch);
    }
  }

  for (const [row, { phrase }] of phrases.entries()) {
    const listed = list.get(phrase);
    const type = listed ?? gathered.typeOf(phrase);
    if (type !== undefined) give(row, type, listed === undefined ? "table" : "list");
  }
  let done = Object.values(bySource).reduce((sum, count) => sum + count, 0);
  const workers = { script: "../corpus-worker.js", base: import.meta.url, limit: threads };
  const typeRows = async (worker: WorkerClient, rows: readonly number[]): Promise<void> => {
    const request = rows.map((row) => phrases[row]);
    const labels = await worker.call<readonly (TypeLabel | undefined)[]>("type", request);
    for (const [index, label] of labels.entries()) if (label) give(rows[index], label.type, label.source);
    done += rows.length;
    options.onProgress?.(done);
  };
  await eachInWorkers(workers, untyped(TYPER_BATCH), typeRows, signal);
  if (nerModel === undefined) return { types, bySource };
  const classifier = await loadTokenClassifier(nerModel);
  try {
    for (const rows of untyped(MODEL_BATCH)) {
      const found = await classifier.types(rows.map((row) => phrases[row].phrase));
      for (const [index, row] of rows.entries()) give(row, found[index], "model");
    }
  } finally {
    await classifier.dispose();
  }
  return { types, bySource };
}

/**
 * Loads a model from a folder (config.json, tokenizer.json, onnx/model.onnx) or, where there is a network, the hub.
 * A phrase gets the type that has the largest sum of scores over its tokens, "O" counting as OTHER.
 * @throws MissingDataError where @huggingface/transformers is not installed; ModelError for a model that cannot be used
 */
export async function loadTokenClassifier(model: string) {
  const transformers = loadOptional<typeof Transformers>(
    "@huggingface/transformers",
    "typing phrases with a model",
  );
  const isFolder = existsSync(model);
  transformers.env.allowRemoteModels = !isFolder;
  if (isFolder) {
    transformers.env.allowLocalModels = true;
    transformers.env.localModelPath = dirname(resolve(model));
  }
  const name = isFolder ? basename(resolve(model)) : model;
  const options = { device: "cpu", dtype: "fp32" } as const;
  const classify = await transformers.pipeline("token-classification", name, options).catch((error) => {
    throw new ModelError(
      `${model} cannot be used to type phrases (${messageOf(error)}). ` +
        "Give a folder with config.json, tokenizer.json and onnx/model.onnx, or a hub id of such a model.",
      { cause: error },
    );
  });
  const { id2label = {} } = classify.model.config as { readonly id2label?: Readonly<Record<string, string>> };
  refuseUnknownLabels(model, Object.values(id2label));
  return {
    async types(phrases: readonly string[]): Promise<FineType[]> {
      const found = await classify([...phrases], { ignore_labels: [] });
      return found.map(strongest);
    },
    dispose: () => classify.dispose(),
  };
}

function strongest(tokens: readonly { readonly entity: string; readonly score: number }[]): FineType {
  const scores = new Map<FineType, number>();
  for (const { entity, score } of tokens) {
    const type = fineTypeOf(entity) as FineType;
    scores.set(type, (scores.get(type) ?? 0) + score);
  }
  let best: FineType = "OTHER";
  for (const [type, score] of scores) if (score > (scores.get(best) ?? 0)) best = type;
  return best;
}

function refuseUnknownLabels(model: string, labels: readonly string[]): void {
  const strange = labels.filter((label) => fineTypeOf(label) === undefined);
  if (labels.length > 0 && strange.length === 0) return;
  throw new ModelError(
    labels.length === 0
      ? `${model} has no labels (id2label in config.json): it is not a model for token classification.`
      : `${model}: unknown labels ${strange.join(", ")}. Known labels: ${KNOWN_LABELS.join(", ")}.`,
  );
}
