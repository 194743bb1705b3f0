/** Every call that takes a signal: aborted before or midway it rejects with the signal's reason and leaves nothing. */
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Worker } from "node:worker_threads";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  addTable,
  augmentTable,
  buildCorpus,
  cluster,
  createAugmenter,
  dedupe,
  encodeTable,
  finetune,
  finetuneOnCorpus,
  fuzzyJoin,
  indexTable,
  joinTables,
  mineCorpus,
  PhraseEncoder,
  planFinetune,
  planTraining,
  plotTable,
  presets,
  pretrain,
  pretrainCharacters,
  searchPhrases,
  Table,
  train,
  VectorIndex,
} from "../../src/index.js";
import { tinyData, tinyProgram } from "../training/tiny-program.js";

const folder = mkdtempSync(join(tmpdir(), "pearl-abort-"));
const at = (name: string) => join(folder, name);
const phrases = Array.from({ length: 3000 }, (_, row) => `name ${row} of ${(row * 7919) % 101} street`);

const alive = new Set<Worker>();
process.on("worker", (worker) => {
  alive.add(worker);
  worker.once("exit", () => alive.delete(worker));
});

let encoder: PhraseEncoder;
let index: VectorIndex;

beforeAll(async () => {
  mkdirSync(at("out"));
  writeFileSync(at("names.csv"), `name\n${phrases.join("\n")}\n`);
  writeFileSync(at("others.csv"), `name\n${phrases.map((phrase) => phrase.toUpperCase()).join("\n")}\n`);
  writeFileSync(
    at("pairs.csv"),
    `text,positive\n${phrases.map((text) => `${text},the ${text}`).join("\n")}\n`,
  );
  const text = "The old harbour master counted the white ships in the grey harbour every morning.\n";
  writeFileSync(at("text.txt"), text.repeat(400));
  writeFileSync(at("words.txt"), `${Array.from({ length: 400 }, (_, row) => `word${row}`).join("\n")}\n`);
  await buildCorpus({ output: at("corpus"), phrases: [at("names.csv")], minimumCount: 1, threads: 1 });
  encoder = await PhraseEncoder.load(undefined, { threads: 2 });
  await encoder.encode(phrases); // starts all of its workers
  index = await VectorIndex.create(at("names.index"), { dimension: encoder.dimension, columns: ["name"] });
  await index.add({
    vectors: (await encoder.encodeMatrix(phrases)).data,
    cells: phrases.map((text) => [text]),
  });
}, 300_000);

afterAll(async () => {
  await index.close();
  await encoder.dispose();
});

interface Given {
  readonly signal: AbortSignal;
  /** Aborts the signal: every callback of progress calls it. */
  readonly stop: () => void;
  /** A name for the call's output. */
  readonly output: string;
}

const shape = { layers: 1, hidden: 16, heads: 2, vocabulary: 300 };
const scratch = () => {
  const settings = presets["from-scratch"];
  return { ...settings, shape: { ...settings.shape, ...shape }, hardNegatives: 0, anchors: 32, synonyms: 0 };
};

const calls: Record<string, (given: Given) => Promise<unknown>> = {
  "PhraseEncoder.load": ({ signal, stop }) => {
    setImmediate(stop);
    return PhraseEncoder.load(undefined, { signal, threads: 1 });
  },
  encode: ({ signal, stop }) => encoder.encode(phrases, { signal, onProgress: stop }),
  encodeMatrix: ({ signal, stop }) => encoder.encodeMatrix(phrases, { signal, onProgress: stop }),
  encodeWithTypes: ({ signal, stop }) => encoder.encodeWithTypes(phrases, { signal, onProgress: stop }),
  types: ({ signal, stop }) => encoder.types(phrases, { signal, onProgress: stop }),
  similarity: ({ signal, stop }) => encoder.similarity(phrases, ["x"], { signal, onProgress: stop }),
  encodeTable: ({ signal, stop, output }) =>
    encodeTable(at("names.csv"), `${output}.parquet`, encoder, { signal, onProgress: stop }),
  fuzzyJoin: ({ signal, stop }) => fuzzyJoin(phrases, phrases, { encoder, signal, onProgress: stop }),
  joinTables: ({ signal, stop, output }) =>
    joinTables(at("names.csv"), at("others.csv"), `${output}.csv`, { encoder, signal, onProgress: stop }),
  cluster: ({ signal, stop }) => cluster(phrases, { encoder, signal, onProgress: stop }),
  "cluster into k groups": ({ signal, stop }) =>
    cluster(phrases, { encoder, k: 5, signal, onProgress: stop }),
  dedupe: ({ signal, stop }) => dedupe(phrases, { encoder, signal, onProgress: stop }),
  plotTable: ({ signal, stop, output }) =>
    plotTable(at("names.csv"), `${output}.svg`, encoder, { signal, onProgress: stop }),
  indexTable: ({ signal, stop, output }) =>
    indexTable(at("names.csv"), `${output}.index`, encoder, { signal, onProgress: stop }),
  addTable: ({ signal, stop }) => addTable(index, at("names.csv"), encoder, { signal, onProgress: stop }),
  searchPhrases: ({ signal, stop }) => {
    setImmediate(stop);
    return searchPhrases(index, encoder, phrases, { signal });
  },
  "VectorIndex.search": ({ signal, stop }) => {
    queueMicrotask(stop); // a search of a small index ends within a turn of the event loop
    return index.search(new Float32Array(500 * encoder.dimension).fill(1), { signal });
  },
  buildCorpus: ({ signal, stop, output }) =>
    buildCorpus({ output, texts: [at("text.txt")], threads: 1, signal, onProgress: stop }),
  mineCorpus: ({ signal, stop }) =>
    mineCorpus(at("corpus"), { encoder, threads: 1, signal, onProgress: stop }),
  augmentTable: async ({ signal, stop, output }) => {
    const table = await Table.open(at("names.csv"));
    const augmenter = await createAugmenter({ probabilities: { character: 1 } });
    const options = { signal, onProgress: stop };
    return augmentTable(table, `${output}.csv`, augmenter, options).finally(() => table.close());
  },
  finetune: ({ signal, stop, output }) =>
    finetune({ pairs: at("pairs.csv"), batchSize: 16, output, signal, onStep: stop }),
  "finetune, before its first step": ({ signal, stop, output }) =>
    finetune({ pairs: at("pairs.csv"), output, signal, onNote: stop }),
  planFinetune: ({ signal, stop }) => planFinetune({ pairs: at("pairs.csv"), signal, onNote: stop }),
  finetuneOnCorpus: ({ signal, stop, output }) =>
    finetuneOnCorpus({ settings: scratch(), corpus: at("corpus"), output, signal, onStep: stop }),
  planTraining: ({ signal, stop, output }) =>
    planTraining({ settings: scratch(), corpus: at("corpus"), output, signal, onNote: stop }),
  pretrain: ({ signal, stop, output }) =>
    pretrain({ texts: [at("text.txt")], output, batchSize: 32, steps: 50, signal, onStep: stop }),
  pretrainCharacters: ({ signal, stop, output }) =>
    pretrainCharacters({ words: at("words.txt"), kind: "ngrams", output, signal, onStep: stop }),
  train: ({ signal, stop }) =>
    train(tinyProgram(), tinyData, { steps: 100, learningRate: 0.01, signal, onStep: stop }),
};

/** What an aborted call may leave, as its page in docs says: what the next run continues from. */
const resumable: Record<string, RegExp> = {
  encodeTable: /^encodeTable\.parquet\.partial$/,
  indexTable: /^indexTable\.index$/,
  finetune: /^finetune\.training$/,
  finetuneOnCorpus: /^finetuneOnCorpus\.training$/,
  pretrain: /^pretrain\.training$/,
  pretrainCharacters: /^pretrainCharacters\.training$/,
};

/** Every file that a call could leave: in the output folder, in the corpus and in the temporary folder. */
const left = () => [
  ...readdirSync(at("out")),
  ...readdirSync(at("corpus")),
  ...readdirSync(tmpdir()).filter((name) => name.startsWith("pearl")),
];

const given = (name: string) => {
  const controller = new AbortController();
  const reason = { whatever: name };
  let stops = 0;
  const stop = () => {
    stops++;
    controller.abort(reason);
  };
  return {
    reason,
    controller,
    signal: controller.signal,
    stop,
    stops: () => stops,
    output: join(at("out"), name),
  };
};

describe.each(Object.keys(calls))("%s", (name) => {
  it("rejects with the reason of a signal that is aborted already, before any work", async () => {
    const { reason, controller, stops, ...rest } = given(name);
    controller.abort(reason);
    const before = { workers: alive.size, files: left() };
    await expect(calls[name](rest)).rejects.toBe(reason);
    expect({ workers: alive.size, files: left() }).toEqual(before);
    // a call without progress of its own is stopped by a timer
    if (!["PhraseEncoder.load", "searchPhrases", "VectorIndex.search"].includes(name))
      expect(stops()).toBe(0);
  });

  it("aborted midway rejects with the reason, and leaves no worker and no file but what it resumes from", async () => {
    const { reason, controller: _, stops, ...rest } = given(name);
    const before = { workers: alive.size, files: left() };
    await expect(calls[name](rest)).rejects.toBe(reason);
    expect(stops()).toBeGreaterThan(0);
    const files = left().filter((file) => !before.files.includes(file) && !resumable[name]?.test(file));
    expect({ workers: alive.size, files }).toEqual({ workers: before.workers, files: [] });
  });
});
