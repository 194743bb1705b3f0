/** Types all phrases of a corpus: what tables and lists say, then the typer over several threads, then a model. */
import { InterruptedError } from "../../errors.js";
import { ENTITY_TYPES, FINE_TYPES, type FineType, LEXICAL_CLASSES } from "../../pearl/phrase-types.js";
import { WorkerPool } from "../../runtime/worker-pool.js";
import type { GatheredPhrases } from "../gathered-phrases.js";
import type { RankedPhrase } from "../text/phrase-ranking.js";
import { createPhraseTyper, TYPE_SOURCES, type TypeSource } from "./phrase-typer.js";
import { loadTokenClassifier } from "./token-classifier.js";
import { type TypeAnswer, type TypeRequest, typeBatch } from "./type-batch.js";

/** What is known, and how much help there is. */
export interface TypePhrasesOptions {
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

/** Types in the order of the phrases, and how many each source gave. */
export interface TypedPhrases {
  /** Index in FINE_TYPES; 255 where unknown. */
  readonly types: Uint8Array;
  readonly bySource: Partial<Record<TypeSource | "table", number>>;
}

const batchSize = 20_000;
const unknown = 255;

/** Types phrases; the result does not depend on the number of threads. */
export async function typePhrases(
  phrases: readonly RankedPhrase[],
  options: TypePhrasesOptions,
): Promise<TypedPhrases> {
  const types = new Uint8Array(phrases.length).fill(unknown);
  const bySource: Partial<Record<TypeSource | "table", number>> = {};
  const give = (row: number, type: number, source: TypeSource | "table"): void => {
    types[row] = type;
    bySource[source] = (bySource[source] ?? 0) + 1;
  };
  const open: number[] = [];
  for (const [row, { phrase }] of phrases.entries()) {
    const listed = options.list.get(phrase);
    const type = listed ?? options.gathered.typeOf(phrase);
    if (type === undefined) open.push(row);
    else give(row, FINE_TYPES.indexOf(type), listed === undefined ? "table" : "list");
  }
  let done = types.length - open.length;
  const take = (rows: readonly number[], answer: TypeAnswer): void => {
    for (const [index, row] of rows.entries())
      if (answer.types[index] !== unknown)
        give(row, answer.types[index], TYPE_SOURCES[answer.sources[index]]);
    done += rows.length;
    options.onProgress?.(done);
  };
  await typeBatches(phrases, open, options, take);
  if (options.nerModel !== undefined) await typeByModel(phrases, types, options.nerModel, options, give);
  return { types, bySource };
}

/** Types a few phrases in this thread, and many in workers. */
async function typeBatches(
  phrases: readonly RankedPhrase[],
  rows: readonly number[],
  { threads, signal }: TypePhrasesOptions,
  take: (rows: readonly number[], answer: TypeAnswer) => void,
): Promise<void> {
  const request = (batch: readonly number[]): TypeRequest => ({
    phrases: batch.map((row) => phrases[row].phrase),
    classes: Uint8Array.from(batch, (row) => LEXICAL_CLASSES.indexOf(phrases[row].lexicalClass)),
  });
  if (rows.length <= batchSize) {
    if (rows.length > 0) take(rows, typeBatch(await createPhraseTyper(), request(rows)));
    return;
  }
  function* batches(): Generator<readonly number[]> {
    for (let first = 0; first < rows.length; first += batchSize) {
      refuseInterruption(signal);
      yield rows.slice(first, first + batchSize);
    }
  }
  const pool = new WorkerPool({ script: "./type-worker.js", base: import.meta.url, limit: threads });
  try {
    await pool.each(batches(), async (worker, batch) =>
      take(batch, await worker.call<TypeAnswer>("type", request(batch))),
    );
  } finally {
    await pool.close();
  }
}

async function typeByModel(
  phrases: readonly RankedPhrase[],
  types: Uint8Array,
  model: string,
  { signal }: TypePhrasesOptions,
  give: (row: number, type: number, source: TypeSource) => void,
): Promise<void> {
  const classify = await loadTokenClassifier(model);
  const open = [...types.keys()].filter((row) => types[row] === unknown);
  for (let start = 0; start < open.length; start += 64) {
    refuseInterruption(signal);
    const rows = open.slice(start, start + 64);
    const found = await classify(rows.map((row) => phrases[row].phrase));
    for (const [index, row] of rows.entries()) give(row, ENTITY_TYPES.indexOf(found[index]), "model");
  }
}

function refuseInterruption(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw new InterruptedError("interrupted; nothing was written");
}
