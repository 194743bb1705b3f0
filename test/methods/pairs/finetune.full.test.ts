import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { env, pipeline } from "@huggingface/transformers";
import { describe, expect, it } from "vitest";
import { readModelFolder } from "../../../src/architectures/model-folder.js";
import { PhraseEncoder } from "../../../src/encoder/phrase-encoder.js";
import { exportSafetensors } from "../../../src/hub/convert/export-safetensors.js";
import { parseModelCard } from "../../../src/hub/model-card.js";
import { distillStatic } from "../../../src/methods/distill-static.js";
import {
  type FinetuneOptions,
  finetune,
  planFinetune,
  settingsOf,
} from "../../../src/methods/pairs/finetune.js";
import { GraphBuilder } from "../../../src/onnx/builder.js";
import { readModel, writeModel } from "../../../src/onnx/io/file.js";
import { toFloat32 } from "../../../src/onnx/io/float16.js";
import { readSafetensors } from "../../../src/onnx/io/safetensors.js";
import { writeData } from "../../benchmark/small-data.js";
import { makeOracleModel } from "../../encoder/oracle-model.js";
import { newFolder } from "../../setup/new-folder.js";
import { metricsOf, somePairs, writeTable } from "../../training/pairs-folder.js";

const header = ["text", "positive", "negative", "type"];
const start = (graph = "encoder.folded.onnx"): FinetuneOptions & { base: string } => ({
  base: makeOracleModel(graph),
  pairs: writeTable(somePairs(40), header),
  output: join(newFolder(), "tuned"),
  batchSize: 16,
  epochs: 4,
  learningRate: 1e-3,
});
const difference = (a: ArrayLike<number>, b: ArrayLike<number>) =>
  Array.from(a).reduce((most, x, i) => Math.max(most, Math.abs(x - b[i])), 0);
describe("finetune", () => {
  it("trains a static model, whose table is then what pearl export writes", async () => {
    const [base, exported] = [join(newFolder(), "static"), join(newFolder(), "exported")];
    await distillStatic(makeOracleModel("encoder.folded.onnx"), base, { dims: 16, threads: 1 });
    const options = { ...start(), base, epochs: 2 };
    await finetune(options);
    const { difference } = await exportSafetensors(options.output, exported);
    expect(difference).toBe(0);
    const [before, after] = [base, exported].map((folder) =>
      toFloat32(readSafetensors(join(folder, "model.safetensors")).get("embeddings")!),
    );
    expect(after!.dims).toEqual(before!.dims);
    expect(after!.data).not.toEqual(before!.data);
    const graph = readModel(join(options.output, "onnx/model.onnx")).graph;
    expect(after).toEqual(graph.initializers.get("embeddings"));
  });

  it("brings pairs together and writes a folder that pearl and transformers.js read the same way", async () => {
    const options = start();
    const report = await finetune(options);
    const losses = metricsOf(options.output).map(({ loss }) => loss);
    expect(report.result.steps).toBe(12);
    expect(losses).toHaveLength(12);
    expect(Math.max(...losses.slice(-3))).toBeLessThan(Math.min(...losses.slice(0, 3)));
    expect(readdirSync(options.output).sort()).toEqual([
      ...["README.md", "checksums.json", "config.json", "metrics.jsonl", "onnx", "tokenizer.json"],
      ...["tokenizer_config.json", "training.json"],
    ]);
    expect(existsSync(`${options.output}.training`)).toBe(false);

    const phrases = somePairs(9, 5).flatMap((row) => row.slice(0, 2));
    const encoder = await PhraseEncoder.load(options.output);
    const vectors = await encoder.encode(phrases);
    await encoder.dispose();
    const base = await PhraseEncoder.load(options.base);
    const before = await base.encode(phrases);
    await base.dispose();
    expect(difference(vectors[0], before[0])).toBeGreaterThan(1e-2);

    env.allowRemoteModels = false;
    env.localModelPath = dirname(options.output);
    const extract = await pipeline("feature-extraction", basename(options.output), { dtype: "fp32" });
    for (const [i, phrase] of phrases.entries()) {
      const { data } = await extract(phrase, { pooling: "mean", normalize: true });
      expect(difference(data as Float32Array, vectors[i])).toBeLessThan(1e-5);
    }
    await extract.dispose();
  });

  it("says in card, config and training.json what was done", async () => {
    const options = start();
    await finetune({ ...options, averageWithBase: 0.5, seed: 7 });
    const card = readFileSync(join(options.output, "README.md"), "utf8");
    expect(parseModelCard(card).baseModel).toBe(basename(options.base));
    expect(card).toMatch(/40 pairs of phrases .*; 14 with a hard negative, 40 with one of 2 types/);
    const config = JSON.parse(readFileSync(join(options.output, "config.json"), "utf8"));
    expect(config).toMatchObject({ model_type: "bert", hidden_size: 32, pearl: { types: ["even", "odd"] } });
    const record = JSON.parse(readFileSync(join(options.output, "training.json"), "utf8"));
    expect(record.settings).toMatchObject({
      epochs: 4,
      batchSize: 16,
      learningRate: 1e-3,
      seed: 7,
      averageWithBase: 0.5,
    });
    expect(record.data).toMatchObject({ pairs: 40, empty: 0, repeated: 0, types: ["even", "odd"] });
    expect(record.data.fingerprint).toMatch(/^[0-9a-f]{16}$/);
    expect(record.pearl).toMatch(/^\d+\.\d+\.\d+/);
    const { graph } = readModel(join(options.output, "onnx", "model.onnx"));
    expect(graph.outputs.map(({ name, shape }) => [name, shape?.at(-1)])).toEqual([
      ["last_hidden_state", 32],
      ["embedding", 32],
      ["type_logits", 2],
    ]);
    expect(graph.initializers.get("type_head.weight")?.dims).toEqual([2, 32]);
  });

  it("writes a type head that predicts the types it was trained on, with probabilities", async () => {
    const options = start();
    await finetune({ ...options, epochs: 30 });
    const encoder = await PhraseEncoder.load(options.output);
    const rows = somePairs(40);
    const predicted = await encoder.types(rows.map(([text]) => text));
    const right = rows.filter((row, i) => predicted[i][0].type === row[3]).length;
    expect(right).toBeGreaterThan(36);
    for (const types of predicted)
      expect(types.reduce((sum, { probability }) => sum + probability, 0)).toBeCloseTo(1, 5);
    expect((await encoder.types([rows[0][0], " "], { top: 1 })).map(({ length }) => length)).toEqual([1, 0]);
    await encoder.dispose();
  });

  it("keeps a type head in a second training on the same types", async () => {
    const options = start();
    await finetune(options);
    const again = { ...options, base: options.output, output: join(newFolder(), "again"), epochs: 1 };
    await finetune({ ...again, learningRate: 1e-9 });
    const [first, second] = [options.output, again.output].map((folder) =>
      readModel(join(folder, "onnx", "model.onnx")),
    );
    expect(second.graph.nodes.map(({ op }) => op)).toEqual(first.graph.nodes.map(({ op }) => op));
    const [before, after] = [first, second].map(
      ({ graph }) => graph.initializers.get("type_head.weight")?.data as Float32Array,
    );
    expect(difference(after, before)).toBeLessThan(1e-6);
  });

  it.each(["encoder.folded.opset11.onnx", "encoder.merged.onnx"])(
    "writes trained weights back into the initializers they came from: %s",
    async (graph) => {
      const options = start(graph);
      await finetune({ ...options, epochs: 1 });
      const [base, tuned] = [options.base, options.output].map((folder) =>
        readModel(join(folder, "onnx", "model.onnx")),
      );
      // the vector and the type head need opset 13 or later
      expect(tuned.opsets[""]).toBe(Math.max(13, base.opsets[""]) === base.opsets[""] ? base.opsets[""] : 17);
      const identities = base.graph.nodes.filter(
        ({ op, inputs }) => op === "Identity" && base.graph.initializers.has(inputs[0]),
      );
      const head = tuned.graph.nodes.findLastIndex(({ op }) => op === "Gemm");
      expect(head).toBeGreaterThanOrEqual(base.graph.nodes.length - identities.length);
      let changed = 0;
      for (const [name, { dims, data, type }] of base.graph.initializers) {
        const now = tuned.graph.initializers.get(name);
        if (!now && identities.length > 0) continue;
        expect([now?.dims, now?.type]).toEqual([dims, type]);
        if (type === "float32" && data.length > 1 && data.some((x, i) => x !== now?.data[i])) changed++;
      }
      expect(changed).toBeGreaterThan(graph.includes("merged") ? 10 : 35);
      // the merged export's LayerNorms were one tensor; now they differ
      if (identities.length > 0) {
        const norms = identities.map(({ outputs }) => tuned.graph.initializers.get(outputs[0])?.data);
        expect(norms.every((norm) => norm !== undefined)).toBe(true);
        expect(norms[0]).not.toEqual(norms[1]);
      }
    },
  );

  it("continues bit for bit after Ctrl-C", async () => {
    const options = start();
    const whole = { ...options, output: join(newFolder(), "whole") };
    await finetune(whole);
    const stop = new AbortController();
    const onStep = ({ step }: { step: number }) => step === 5 && stop.abort();
    await expect(finetune({ ...options, signal: stop.signal, onStep })).rejects.toHaveProperty(
      "name",
      "AbortError",
    );
    expect(existsSync(options.output)).toBe(false);
    await expect(finetune({ ...options, averageWithBase: 0.5, resume: "continue" })).rejects.toThrow(
      "averageWithBase was nothing and is 0.5 now",
    );
    await expect(finetune({ ...options, dims: [4], resume: "continue" })).rejects.toThrow(
      "dims was nothing and is [4] now",
    );
    const rest = await finetune({ ...options, resume: "continue" });
    expect(rest.resumedAt).toBe(5);
    const files = ["onnx/model.onnx", "training.json"];
    for (const file of files)
      expect(readFileSync(join(options.output, file)), file).toEqual(readFileSync(join(whole.output, file)));
  });

  it("computes the same in chunks of a few phrases as in one pass", async () => {
    const options = { ...start(), epochs: 1 };
    const chunked = { ...options, output: join(newFolder(), "chunked"), chunkCells: 40 };
    await finetune(options);
    await finetune(chunked);
    const [one, many] = [options.output, chunked.output].map(metricsOf);
    for (const [i, { loss, parts, gradientNorm }] of one.entries()) {
      expect(Math.abs(many[i].loss - loss)).toBeLessThan(1e-4);
      expect(Math.abs(many[i].parts.nt_xent - parts.nt_xent)).toBeLessThan(1e-4);
      expect(Math.abs(many[i].gradientNorm / gradientNorm - 1)).toBeLessThan(1e-3);
    }
  });
});

describe("finetune on odd input", () => {
  const withPairs = (rows: string[][], names: string[], more: Partial<FinetuneOptions> = {}) =>
    finetune({ ...start(), epochs: 1, pairs: writeTable(rows, names), ...more });

  it("refuses one column, no rows, and rows that are all the same", async () => {
    await expect(withPairs([["t103"], ["t104"]], ["text"])).rejects.toThrow(
      /pairs\.csv: found one column \(text\), expected two/,
    );
    await expect(withPairs([], ["text", "positive"])).rejects.toThrow(/no rows/);
    const same = Array.from({ length: 5 }, () => ["t103 t104", "t105"]);
    await expect(withPairs(same, ["text", "positive"])).rejects.toThrow(/all rows hold the same pair/);
  });

  it("leaves rows with empty cells and repeated rows out, and says how many", async () => {
    const notes: string[] = [];
    const rows = somePairs(10).map(([a, b]) => [a, b]);
    const odd = [...rows, ["", "t103"], ["t104", ""], ["t105", "  "], rows[0], rows[1]];
    const { data } = await withPairs(odd, ["text", "positive"], { onNote: (note) => notes.push(note) });
    expect(data).toMatchObject({ pairs: 10, empty: 3, repeated: 2 });
    expect(notes.join("\n")).toMatch(/left out because .*empty: 3\n.*left out because .*same: 2/);
    await expect(
      withPairs(
        [
          ["", "a"],
          ["b", ""],
        ],
        ["text", "positive"],
      ),
    ).rejects.toThrow(/empty in all 2 rows/);
  });

  it("makes one batch of fewer rows than a batch", async () => {
    const notes: string[] = [];
    const { result } = await withPairs(somePairs(5), header, {
      batchSize: 512,
      onNote: (note) => notes.push(note),
    });
    expect(result.steps).toBe(1);
    expect(notes.join("\n")).toMatch(/all 5 pairs make one batch/);
  });

  it("refuses batches of one pair, in which nothing could be compared", async () => {
    const rows = somePairs(20).map(([a, b]) => [a, b]);
    const alone = withPairs(rows, ["text", "positive"], { batchSize: 1 });
    await expect(alone).rejects.toThrow("the other pairs of a batch are the negatives: give at least 2");
  });

  it("learns from rows that have a type or a negative only here and there", async () => {
    const rows = somePairs(30).map(([a, b, c, d], i) => [a, b, i < 2 ? c : "", i < 3 ? d : ""]);
    const { data, output } = await withPairs(rows, header, { batchSize: 5 });
    expect(data).toMatchObject({ withNegative: 1, withType: 3 });
    const parts = metricsOf(output).map((line) => line.parts.type_loss);
    expect(parts.some((loss) => loss === 0)).toBe(true);
    expect(parts.some((loss) => loss > 0)).toBe(true);
  });

  it("names the node and operator of a base that cannot be trained, and writes nothing", async () => {
    const base = makeOracleModel("encoder.folded.onnx");
    const path = join(base, "onnx", "model.onnx");
    const model = readModel(path);
    const graph = new GraphBuilder(model);
    const [output] = model.graph.outputs.splice(0, 1);
    const sorted = graph.add("TopK", [output.name, graph.ints(32)], { axis: -1 }, { name: "sorted_states" });
    model.graph.outputs.push({ ...output, name: sorted });
    writeModel(model, path);
    const options = { ...start(), base, epochs: 1 };
    await expect(finetune(options)).rejects.toThrow(/sorted_states.*TopK/);
    expect(existsSync(options.output)).toBe(false);
  });

  it("refuses a base whose weights are whole numbers", async () => {
    await expect(withPairs(somePairs(5), header, { base: "pearl-strings" })).rejects.toThrow(
      /pearl-strings has no weights that can be trained/,
    );
  });

  it("ends at a learning rate of 1e6 with a clear error or with numbers", async () => {
    const options = { ...start(), learningRate: 1e6 };
    const outcome = await finetune(options).catch((error: unknown) => error);
    if (outcome instanceof Error) {
      expect(outcome.message).toMatch(/Use a smaller learning rate/);
      expect(existsSync(options.output)).toBe(false);
    } else {
      const weights = readModel(join(options.output, "onnx", "model.onnx")).graph.initializers.values();
      for (const { type, data } of weights)
        if (type === "float32") expect((data as Float32Array).every(Number.isFinite)).toBe(true);
    }
  });
});

describe("finetune with benchmark data", () => {
  it("scores the model before and after each epoch, and writes the best one", async () => {
    const options = start();
    const phrases = somePairs(40).map(([text, positive]) => [text, positive]);
    const ppdb = phrases.map(([a, b], i) => [a, i % 2 ? b : phrases[(i + 5) % 40][1], i % 2 ? "pos" : "neg"]);
    const evaluationData = writeData({ "ppdb/ppdb.json": JSON.stringify(ppdb) });
    const scores: [number, number][] = [];
    const onEvaluation = (step: number, score: number) => scores.push([step, score]);
    const { result } = await finetune({ ...options, evaluationData, onEvaluation });
    expect(scores.map(([step]) => step)).toEqual([0, 3, 6, 9, 12]);
    const best = Math.max(...scores.map(([, score]) => score));
    expect(result.best?.score).toBe(best);
    expect(readFileSync(join(options.output, "README.md"), "utf8")).toContain(
      `scored best while training: mean benchmark score ${best.toFixed(4)}`,
    );
    expect(metricsOf(options.output).filter((line) => line.score !== undefined)).toHaveLength(5);
  });

  it("says before the first step that there is no data", async () => {
    const options = { ...start(), evaluationData: newFolder() };
    await expect(finetune(options)).rejects.toThrow(/^[^\n]*: no benchmark task has its data here[^\n]*$/);
    // before the pairs are read and the base is loaded
    const nothing = { ...options, pairs: "missing.csv", base: "./missing", evaluationData: "missing" };
    await expect(finetune(nothing)).rejects.toThrow("missing: there is no folder to score the model on");
  });
});

describe("finetune without settings", () => {
  it("takes at least 100 steps, 200 with held-out pairs, on batches of a thirtieth, at the rate of the architecture", async () => {
    const objective = { name: "nt-xent", settings: { temperature: 0.07 } } as const;
    const some = { trained: 450, heldOut: 50 };
    const settings = settingsOf(await readModelFolder("models/pearl-mini"), objective, some, start());
    const plain = { ...start(), batchSize: undefined, epochs: undefined, learningRate: undefined };
    const mini = settingsOf(await readModelFolder("models/pearl-mini"), objective, some, plain);
    expect(mini).toMatchObject({ epochs: 14, batchSize: 32, learningRate: 6e-4 });
    expect(mini.optimiser.rateFactors).toMatchObject({ "ngrams.weight": 4, "vectors.weight": 4 });
    expect(settings).toMatchObject({ epochs: 4, batchSize: 16, learningRate: 1e-3 });
    const none = settingsOf(
      await readModelFolder("models/pearl-mini"),
      objective,
      { trained: 450, heldOut: 0 },
      plain,
    );
    expect(none.epochs).toBe(7);
    const large = settingsOf(
      await readModelFolder("models/pearl-mini"),
      objective,
      { trained: 100_000, heldOut: 1000 },
      plain,
    );
    expect(large).toMatchObject({ epochs: 2, batchSize: 512 });
  });

  it("has EdaCSE's batches and decay for the view punctuation, unless they are given", async () => {
    const objective = { name: "nt-xent", settings: { temperature: 0.07 } } as const;
    const mini = await readModelFolder("models/pearl-mini");
    const settings = (given: object) =>
      settingsOf(mini, objective, { trained: 3000, heldOut: 0 }, { pairs: "pairs.csv", ...given });
    const own = settings({ view: "punctuation" });
    expect(own).toMatchObject({ batchSize: 32, optimiser: { kind: "adamw", weightDecay: 0.01 } });
    expect(own.optimiser.rateFactors).toMatchObject({ "ngrams.weight": 4 });
    expect(settings({ view: "dropout" })).toMatchObject({ batchSize: 100, optimiser: { weightDecay: 0 } });
    const given = settings({
      view: "punctuation",
      batchSize: 64,
      optimiser: { kind: "adam", weightDecay: 0 },
    });
    expect(given).toMatchObject({ batchSize: 64, optimiser: { kind: "adam", weightDecay: 0 } });
  });

  it("says in its plan what is held out, and in batches of how many it learns", async () => {
    const base = makeOracleModel("encoder.folded.onnx");
    const pairs = writeTable(somePairs(1500), header);
    const transformer = await planFinetune({ base, pairs, types: "none" });
    expect(transformer).toMatchObject({ steps: 210, learningRate: 3e-5 });
    expect(transformer.summary?.data).toMatch(/1,500 pairs .*, 150 of them held out, up to 45 in a batch/);
    expect(transformer.evaluations).toMatchObject({ count: 11, patience: 5 });
  });
});
