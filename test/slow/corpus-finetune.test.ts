/** PEARL's method from a corpus folder to a model folder: resuming, parts left out, bases. */
import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { env, pipeline } from "@huggingface/transformers";
import { describe, expect, it, onTestFinished } from "vitest";
import { PhraseEncoder } from "../../src/encoder/phrase-encoder.js";
import {
  type CorpusFinetuneOptions,
  finetuneOnCorpus,
  planTraining,
} from "../../src/methods/corpus/corpus-finetune.js";
import { without } from "../../src/methods/settings/choices.js";
import { presets } from "../../src/methods/settings/method-settings.js";
import { readModel } from "../../src/onnx/io/file.js";
import { makeOracleModel } from "../encoder/oracle-model.js";
import { setEnvironment } from "../setup/environment.js";
import { newFolder } from "../setup/new-folder.js";
import { smallCorpus, smallSettings } from "../training/small-corpus.js";

const start = async (changes: Partial<CorpusFinetuneOptions> = {}): Promise<CorpusFinetuneOptions> => ({
  settings: smallSettings,
  corpus: await smallCorpus(),
  output: join(newFolder(), "model"),
  steps: 60,
  ...changes,
});
const outputsOf = (folder: string) =>
  readModel(join(folder, "onnx", "model.onnx")).graph.outputs.map(({ name }) => name);

describe("finetuneOnCorpus", () => {
  it("continues bit for bit after Ctrl-C, dropout and twins included", async () => {
    const options = await start({ steps: 12 });
    const whole = { ...options, output: join(newFolder(), "whole") };
    await finetuneOnCorpus(whole);
    const stop = new AbortController();
    const onStep = ({ step }: { step: number }) => step === 5 && stop.abort();
    await expect(finetuneOnCorpus({ ...options, signal: stop.signal, onStep })).rejects.toHaveProperty(
      "name",
      "AbortError",
    );
    const rest = await finetuneOnCorpus({ ...options, resume: "continue" });
    expect(rest.resumedAt).toBe(5);
    for (const file of ["onnx/model.onnx", "training.json"])
      expect(readFileSync(join(options.output, file)), file).toEqual(readFileSync(join(whole.output, file)));
  });

  it("leaves out what is switched off, and transformers.js reads the remaining transformer the same way", async () => {
    const settings = without(without(smallSettings, "types"), "characters");
    const options = await start({ settings, steps: 4 });
    await finetuneOnCorpus(options);
    expect(outputsOf(options.output)).toEqual(["last_hidden_state", "embedding"]);
    const encoder = await PhraseEncoder.load(options.output);
    const phrases = ["Paris Opera House", "a", "the river near Lima"];
    const vectors = await encoder.encode(phrases);
    await expect(encoder.types(phrases)).rejects.toThrow(/has no type head/);
    await encoder.dispose();
    env.allowRemoteModels = false;
    env.localModelPath = dirname(options.output);
    const extract = await pipeline("feature-extraction", basename(options.output), { dtype: "fp32" });
    for (const [i, phrase] of phrases.entries()) {
      const { data } = await extract(phrase, { pooling: "mean", normalize: true });
      vectors[i].forEach((x, j) => {
        expect(Math.abs(x - (data as Float32Array)[j])).toBeLessThan(1e-5);
      });
    }
    await extract.dispose();
  });

  it("trains LOVE with the transformer, and characters alone", async () => {
    const love = {
      ...smallSettings,
      characters: { from: "love", width: 8 },
      blocks: "as-they-come" as const,
    };
    const options = await start({ settings: love, steps: 2 });
    await finetuneOnCorpus(options);
    const alone = await start({ settings: { ...smallSettings, shape: { layers: 0 } }, steps: 2 });
    await finetuneOnCorpus(alone);
    for (const [folder, dimension] of [
      [options.output, 24],
      [alone.output, 8],
    ] as const) {
      const encoder = await PhraseEncoder.load(folder);
      const [vector] = await encoder.encode(["Paris Opera House"]);
      expect(vector).toHaveLength(dimension);
      const batch = await encoder.encode([
        "Lima",
        "Paris Opera House",
        "a very long phrase of many words indeed",
      ]);
      expect(Math.max(...vector.map((x, i) => Math.abs(x - batch[1][i])))).toBeLessThan(1e-5);
      await encoder.dispose();
    }
  });

  it.each(["encoder.folded.opset11.onnx", "encoder.merged.onnx", "encoder.named.onnx"])(
    "puts LOVE beside an exported base, with PEARL's settings: %s",
    async (graph) => {
      const base = makeOracleModel(graph);
      const settings = {
        ...presets["pearl-small"],
        base,
        augmentation: { preset: "pearl", wordNet: "off" } as const,
      };
      const options = await start({ settings, steps: 2 });
      const { result } = await finetuneOnCorpus(options);
      expect(Object.keys(result.parts ?? {})).toEqual(["nt_xent", "type_loss"]);
      const encoder = await PhraseEncoder.load(options.output);
      expect(encoder.dimension).toBe(32 + 96);
      const [types] = await encoder.types(["t103 t104"]);
      expect(types).toHaveLength(95);
      await encoder.dispose();
    },
  );

  it("averages with a pretrained base, and keeps the trained weights that the base lacks", async () => {
    const base = await start({ settings: without(smallSettings, "characters"), steps: 3 });
    await finetuneOnCorpus(base);
    const settings = { ...smallSettings, base: base.output, averageWithBase: 0.5 };
    const [averaged, trained] = await Promise.all(
      [settings, without(settings, "averaging")].map(async (own) => {
        const options = await start({ settings: own, corpus: base.corpus, steps: 3 });
        await finetuneOnCorpus(options);
        return readModel(join(options.output, "onnx", "model.onnx")).graph.initializers;
      }),
    );
    const before = readModel(join(base.output, "onnx", "model.onnx")).graph.initializers;
    const values = (from: typeof before, name: string) => from.get(name)?.data as Float32Array;
    const word = "embeddings.word_embeddings.weight";
    const middle = values(trained, word).map((x, i) => (x + values(before, word)[i]) / 2);
    expect(Math.max(...middle.map((x, i) => Math.abs(x - values(averaged, word)[i])))).toBeLessThan(1e-6);
    expect(values(averaged, "ngrams.weight")).toEqual(values(trained, "ngrams.weight"));
  });

  it("takes a table of pairs as further positives", async () => {
    const { writeTable } = await import("../training/pairs-folder.js");
    const pairs = writeTable(
      [
        ["Lima", "Ciudad de los Reyes"],
        ["Oslo", "Christiania"],
      ],
      ["text", "positive"],
    );
    const options = await start({ pairs, steps: 2 });
    const { corpus } = await finetuneOnCorpus(options);
    expect(corpus.pairs).toBe(2);
  });

  it("warns that it trains from scratch if the default base cannot be fetched", async () => {
    const notes: string[] = [];
    onTestFinished(setEnvironment({ HF_HOME: newFolder(), HF_HUB_OFFLINE: "1" }));
    const settings = { ...smallSettings, base: "intfloat/e5-small-v2" };
    await expect(finetuneOnCorpus(await start({ settings }))).rejects.toThrow(/HF_HUB_OFFLINE forbids/);
    const plan = await planTraining(
      await start({ settings, otherwise: smallSettings, steps: 1, onNote: (note) => notes.push(note) }),
    );
    expect(plan.base).toBe("from scratch");
    expect(notes.join("\n")).toMatch(/!! .*e5-small-v2 is not available.*\n!! .*FROM SCRATCH/);
  });
});
