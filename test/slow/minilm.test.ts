/**
 * Published weights against sentence-transformers and PyTorch: vectors, also in the layouts of several of its versions, and
 * ten steps of a training.
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PhraseEncoder } from "../../src/encoder/phrase-encoder.js";
import { importModel } from "../../src/hub/convert/import-model.js";
import { GraphBuilder } from "../../src/onnx/builder.js";
import { readModel, writeModel } from "../../src/onnx/io/file.js";
import type { Feeds } from "../../src/runtime/tensor.js";
import { createTokenizer } from "../../src/text/tokenizer.js";
import { createNet, fromTensors, meanPooling, ntXent } from "../../src/train.js";
import { openEngine } from "../../src/training/engine.js";
import { gradientNorms, paddedRows, trainable } from "../architectures/transformer/gradient-norms.js";
import { largestError, readJsonFile } from "../encoder/fixture-models.js";
import { sampleFeeds } from "../onnx/sample-feeds.js";

const shared = join(import.meta.dirname, "../../../shared");
const weights = join(shared, "models/all-MiniLM-L6-v2");
const oracle = join(shared, "oracle/minilm.json");

const newer = {
  "1_Pooling/config.json": { embedding_dimension: 384, pooling_mode: "mean", include_prompt: true },
  "modules.json": [
    { idx: 0, name: "0", path: "", type: "sentence_transformers.base.modules.transformer.Transformer" },
    {
      idx: 1,
      name: "1",
      path: "1_Pooling",
      type: "sentence_transformers.sentence_transformer.modules.pooling.Pooling",
    },
    {
      idx: 2,
      name: "2",
      path: "2_Normalize",
      type: "sentence_transformers.base.modules.normalize.Normalize",
    },
  ],
};

/** The folder of the weights, with some files in another form. */
function folderWith(files: Readonly<Record<string, unknown>>): string {
  const folder = mkdtempSync(join(tmpdir(), "pearl-minilm-"));
  mkdirSync(join(folder, "1_Pooling"));
  for (const name of [...readdirSync(weights), "1_Pooling/config.json"])
    if (name !== "1_Pooling" && !(name in files)) symlinkSync(join(weights, name), join(folder, name));
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(folder, name), JSON.stringify(content));
  return folder;
}

interface Oracle {
  readonly phrases: string[];
  readonly vectors: number[][];
  readonly nt_xent: {
    readonly temperature: number;
    readonly adam_lr: number;
    readonly pairs: [string, string][];
    /** Before each step. */
    readonly losses: number[];
    /** At the first step. */
    readonly gradient_norms: Readonly<Record<string, number>>;
    readonly anchors_after_10_steps: number[][];
  };
}

const isHere = existsSync(weights) && existsSync(oracle);
if (!isHere) console.info("skipped: ../shared/models or ../shared/oracle is not on this machine");
const expected = isHere ? (JSON.parse(readFileSync(oracle, "utf8")) as Oracle) : undefined;

async function imported(source: string): Promise<string> {
  const target = join(mkdtempSync(join(tmpdir(), "pearl-minilm-")), "model");
  await importModel(source, target);
  return target;
}

async function vectorsOf(folder: string, phrases: readonly string[]): Promise<Float32Array[]> {
  const encoder = await PhraseEncoder.load(folder, { threads: 1 });
  const vectors = await encoder.encode(phrases);
  await encoder.dispose();
  return vectors;
}

/** NT-Xent of pairs as a program, with all of them as its one batch. */
function programOf(folder: string, { pairs, temperature }: Oracle["nt_xent"]) {
  const path = join(folder, "tokenizer.json");
  const { encode } = createTokenizer(readJsonFile(path) as object, {}, 256, path);
  const texts = [...pairs.map(([anchor]) => anchor), ...pairs.map(([, positive]) => positive)];
  const rows = paddedRows(
    texts.map((text) => encode(text).ids),
    0,
  );
  const { data, ...shape } = rows.input_ids;
  const feeds = { ...rows, token_type_ids: { ...shape, data: (data as BigInt64Array).map(() => 0n) } };
  const net = createNet(fromTensors(new Map()), new GraphBuilder(trainable(folder)));
  const pooled = meanPooling(net, { hidden: "last_hidden_state", mask: "attention_mask" });
  const [anchors, positives] = net.g.addMany("Split", [pooled], 2, { axis: 0 });
  net.g.output("total", ntXent(net, { anchors, positives }, { temperature }));
  const model = net.g.model();
  const sample = sampleFeeds(model, { batch_size: 6, sequence_length: 5 }) as Feeds;
  return { program: { model, loss: "total", sample }, feeds };
}

describe.skipIf(!expected)("all-MiniLM-L6-v2", () => {
  const { phrases, vectors, nt_xent } = (expected ?? {}) as Oracle;

  it.each([
    ["as published", {}],
    ["as sentence-transformers 6 saves it", newer],
  ])("gives the vectors of sentence-transformers, %s", async (_, files) => {
    const found = await vectorsOf(await imported(folderWith(files)), phrases);
    expect(found).toHaveLength(20);
    expect(largestError(found, vectors)).toBeLessThan(1e-5);
  });

  it("has PyTorch's gradients of every parameter at the first step", async () => {
    const { program, feeds } = programOf(await imported(weights), nt_xent);
    const found = await gradientNorms(program.model, "total", feeds);
    const { gradient_norms: norms } = nt_xent;
    expect([...found.keys()].sort()).toEqual(Object.keys(norms).sort());
    // the true gradient of a bias on the keys is 0
    for (const [name, norm] of Object.entries(norms))
      if (name.endsWith("key.bias")) expect(found.get(name), name).toBeLessThan(1e-6);
      else expect(Math.abs((found.get(name) as number) / norm - 1), name).toBeLessThan(1e-4);
  });

  it("learns as PyTorch does: the losses of ten steps, and the vectors after them", async () => {
    const folder = await imported(weights);
    const { program, feeds } = programOf(folder, nt_xent);
    const engine = await openEngine(program, { threads: 1 });
    for (const [step, right] of nt_xent.losses.entries()) {
      const { losses } = await engine.step({ feeds, phrases: 2 * nt_xent.pairs.length }, nt_xent.adam_lr);
      expect(Math.abs(losses.total - right), `step ${step}`).toBeLessThan(1e-5);
    }
    const graph = join(folder, "onnx/model.onnx");
    const model = readModel(graph);
    for (const [name, weight] of await engine.optimiser.weights()) {
      expect(model.graph.initializers.has(name), name).toBe(true);
      model.graph.initializers.set(name, weight);
    }
    await engine.release();
    writeModel(model, graph);
    rmSync(join(folder, "checksums.json"));
    const found = await vectorsOf(
      folder,
      nt_xent.pairs.map(([anchor]) => anchor),
    );
    expect(largestError(found, nt_xent.anchors_after_10_steps)).toBeLessThan(1e-5);
  });
});
