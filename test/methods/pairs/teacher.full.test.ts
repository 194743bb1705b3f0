/** Training with a teacher: its vectors are targets or a guide, computed before the first step; and on several lengths. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { spearman } from "../../../src/benchmark/metrics.js";
import { PhraseEncoder } from "../../../src/encoder/phrase-encoder.js";
import { type FinetuneOptions, finetune } from "../../../src/methods/pairs/finetune.js";
import { createModel } from "../../../src/methods/start-model.js";
import { makeOracleModel } from "../../encoder/oracle-model.js";
import { newFolder } from "../../setup/new-folder.js";
import { metricsOf, somePairs, writeTable } from "../../training/pairs-folder.js";

const rows = somePairs(120);
const phrases = [...new Set(rows.map(([text]) => text))];
const base = makeOracleModel("encoder.folded.onnx");
const width = 32;

/** An untrained bag of n-grams: similar spelling, similar vectors. */
async function bag(dimension: number): Promise<string> {
  const folder = join(newFolder(), `bag-${dimension}`);
  await createModel(folder, { from: "bag", width: dimension }, { phrases, seed: 3 });
  return folder;
}
const teacher = await bag(48);

const alone = writeTable(
  phrases.map((text) => [text]),
  ["text"],
);
const options = (more: Partial<FinetuneOptions> = {}): FinetuneOptions => ({
  ...{
    base,
    pairs: alone,
    teacher,
    output: join(newFolder(), "tuned"),
    batchSize: 128,
    steps: 1,
    validate: 0,
  },
  ...more,
});
async function vectorsOf(model: string, asked: readonly string[]): Promise<Float32Array[]> {
  const encoder = await PhraseEncoder.load(model);
  const vectors = await encoder.encode(asked);
  await encoder.dispose();
  return vectors;
}
const product = (x: Float32Array, y: Float32Array, to = x.length) =>
  x.subarray(0, to).reduce((sum, value, i) => sum + value * y[i], 0);
const average = (values: readonly number[]) => values.reduce((sum, x) => sum + x, 0) / values.length;
const cosines = (vectors: readonly Float32Array[]) =>
  vectors.flatMap((x) => vectors.map((y) => product(x, y)));

describe("distillation", () => {
  it("takes phrases alone, each once, and its first loss is that of both models' vectors", async () => {
    const given = options({ objectiveSettings: { match: "similarities" }, chunkCells: 100 });
    const { data, settings } = await finetune(given);
    expect(data.pairs).toBe(phrases.length / 2);
    expect(settings.teacher).toMatchObject({ name: "bag-48", dimension: 48 });
    const [found, wanted] = await Promise.all([base, teacher].map((model) => vectorsOf(model, phrases)));
    const [of, targets] = [found, wanted].map(cosines);
    const right = average(of.map((cosine, i) => (cosine - targets[i]) ** 2));
    expect(metricsOf(given.output)[0].loss).toBeCloseTo(right, 5);
    expect(readFileSync(join(given.output, "README.md"), "utf8")).toContain(
      "distill (match similarities, temperature 0.05), teacher bag-48 (48 dimensions)",
    );
  });

  it("imitates the mean of several teachers' cosines", async () => {
    const other = await bag(40);
    const given = options({ teacher: [teacher, other], objectiveSettings: { match: "similarities" } });
    const { settings } = await finetune(given);
    expect(settings.teacher).toMatchObject({ name: "bag-48 + bag-40", dimension: 88 });
    const [of, one, two] = (
      await Promise.all([base, teacher, other].map((model) => vectorsOf(model, phrases)))
    ).map(cosines);
    const right = average(of.map((cosine, i) => (cosine - (one[i] + two[i]) / 2) ** 2));
    expect(metricsOf(given.output)[0].loss).toBeCloseTo(right, 5);
  });

  it("gives a student as long as the teacher its vectors", async () => {
    const alike = await bag(width);
    const given = options({ teacher: alike, steps: 60, learningRate: 2e-3 });
    await finetune(given);
    const agreement = async (model: string) => {
      const [found, wanted] = await Promise.all([model, alike].map((one) => vectorsOf(one, phrases)));
      return average(found.map((x, i) => product(x, wanted[i])));
    };
    const [before, after] = [await agreement(base), await agreement(given.output)];
    expect(metricsOf(given.output)[0].loss).toBeCloseTo(1 - before, 4);
    expect(after).toBeGreaterThan(before + 0.2);
  });

  it("reports the agreement on held-out phrases, which the training never reads", async () => {
    // of few words, so that the held-out phrases are of words that the others have
    const words = (i: number) => [i % 12, (i * 5 + (i >> 3)) % 11, i >> 4].map((n) => `t${103 + n}`);
    const pairs = writeTable(
      Array.from({ length: 120 }, (_, i) => [words(i).join(" ")]),
      ["text"],
    );
    const training = { steps: 100, batchSize: 32, learningRate: 2e-3, averageWithBase: 1 };
    const { result, data } = await finetune(options({ ...training, pairs, validate: 0.25 }));
    expect(data.heldOut).toBe(15);
    const { best, evaluations = [] } = result;
    expect(best?.measure).toBe("agreement with bag-48 on 30 held-out phrases");
    expect(best?.score).toBeGreaterThan(evaluations[0].score + 0.05);
    expect(best?.figures?.loss).toBeLessThan(evaluations[0].figures?.loss as number);
  });

  it("reports Spearman's correlation of the cosines of all two held-out phrases, of a file too", async () => {
    const held = phrases.slice(0, 20);
    const validate = writeTable(
      held.map((text) => [text]),
      ["text"],
    );
    const { result, data } = await finetune(options({ validate, steps: 1 }));
    // both phrases of a held-out one's pair are left out
    expect(data.heldOut).toBe(10);
    const above = (vectors: readonly Float32Array[]) =>
      vectors.flatMap((x, i) => vectors.slice(i + 1).map((y) => product(x, y)));
    const [found, wanted] = await Promise.all([base, teacher].map((model) => vectorsOf(model, held)));
    const [start] = result.evaluations ?? [];
    expect(start.score).toBeCloseTo(spearman(above(found), above(wanted)), 5);
  });

  it("continues bit for bit after Ctrl-C, and not with another teacher", async () => {
    const run = { steps: 6, batchSize: 32, validate: 0.25, seed: 2 };
    const [whole, given] = [options(run), options(run)];
    await finetune(whole);
    const stop = new AbortController();
    const onStep = ({ step }: { step: number }) => step === 3 && stop.abort();
    await expect(finetune({ ...given, signal: stop.signal, onStep })).rejects.toThrow();
    const other = { ...given, resume: "continue", teacher: await bag(40) } as const;
    await expect(finetune(other)).rejects.toThrow(/teacher/);
    const rest = await finetune({ ...given, resume: "continue" });
    expect(rest.resumedAt).toBe(3);
    for (const file of ["onnx/model.onnx", "training.json"])
      expect(readFileSync(join(given.output, file)), file).toEqual(readFileSync(join(whole.output, file)));
  });

  it("is refused without a teacher, with another length, and with mixed vectors", async () => {
    await expect(finetune(options({ teacher: undefined, objective: "distill" }))).rejects.toThrow(
      "the objective distill imitates another model. Name it: --teacher MODEL",
    );
    await expect(finetune(options({ objectiveSettings: { match: "vectors" } }))).rejects.toThrow(
      "match=vectors needs embeddings of the teacher's 48 dimensions, not 32. Choose match=neighbours.",
    );
    await expect(finetune(options({ view: "mixup" }))).rejects.toThrow("Choose another view.");
  });
});

it("margin-mse takes rows with a negative, and its first loss is that of both models' margins", async () => {
  const pairs = writeTable(
    rows.map((row) => row.slice(0, 3)),
    ["text", "positive", "negative"],
  );
  const triplets = rows.filter(([, , negative]) => negative !== "");
  const given = options({ pairs, objective: "margin-mse" });
  const { data } = await finetune(given);
  expect(data).toMatchObject({ pairs: triplets.length, empty: rows.length - triplets.length });
  const margins = async (model: string) => {
    const [a, p, n] = await Promise.all(
      [0, 1, 2].map((side) =>
        vectorsOf(
          model,
          triplets.map((row) => row[side]),
        ),
      ),
    );
    return a.map((x, i) => product(x, p[i]) - product(x, n[i]));
  };
  const [found, wanted] = await Promise.all([base, teacher].map(margins));
  expect(metricsOf(given.output)[0].loss).toBeCloseTo(average(found.map((x, i) => (x - wanted[i]) ** 2)), 5);
  const without = writeTable(
    rows.map((row) => row.slice(0, 2)),
    ["text", "positive"],
  );
  await expect(finetune(options({ pairs: without, objective: "margin-mse" }))).rejects.toThrow(
    "the objective margin-mse needs the column negative",
  );
});

/** NT-Xent by hand on the first columns, where `isNegative` says which rows are compared. */
function ntXentOf(
  vectors: readonly Float32Array[],
  isNegative: (i: number, j: number) => boolean,
  to = width,
) {
  const score = (i: number, j: number) => {
    const lengths = Math.sqrt(product(vectors[i], vectors[i], to) * product(vectors[j], vectors[j], to));
    return product(vectors[i], vectors[j], to) / lengths / 0.07;
  };
  const losses = vectors.map((_, i) => {
    const own = (i + vectors.length / 2) % vectors.length;
    const compared = [...vectors.keys()].filter((j) => j === own || (j !== i && isNegative(i, j)));
    return Math.log(compared.reduce((sum, j) => sum + Math.exp(score(i, j)), 0)) - score(i, own);
  });
  return average(losses);
}
const pairs = rows.slice(0, 40).map((row) => row.slice(0, 2));
const inOrder = [...pairs.map(([text]) => text), ...pairs.map(([, positive]) => positive)];
const ofPairs = { pairs: writeTable(pairs, ["text", "positive"]), objective: "nt-xent" } as const;

it("a teacher of a contrastive objective masks phrases that it finds nearer than the positive", async () => {
  const given = options(ofPairs);
  await finetune(given);
  const [found, wanted] = await Promise.all([base, teacher].map((model) => vectorsOf(model, inOrder)));
  const limits = wanted.map((x, i) => product(x, wanted[(i + pairs.length) % inOrder.length]));
  const isFar = (i: number, j: number) => product(wanted[i], wanted[j]) <= limits[i];
  const { loss } = metricsOf(given.output)[0];
  expect(loss).toBeCloseTo(ntXentOf(found, isFar), 4);
  expect(ntXentOf(found, () => true)).toBeGreaterThan(loss + 0.1);
  await expect(
    finetune({ ...given, output: join(newFolder(), "x"), objective: "regression" }),
  ).rejects.toThrow();
});

describe("several lengths of one embedding", () => {
  const given = options({ ...ofPairs, teacher: undefined, dims: [16, 8] });

  it("have the mean of the losses, and stand in config.json", async () => {
    await finetune(given);
    const found = await vectorsOf(base, inOrder);
    const losses = [8, 16, width].map((to) => ntXentOf(found, () => true, to));
    expect(metricsOf(given.output)[0].loss).toBeCloseTo(average(losses), 4);
    const config = JSON.parse(readFileSync(join(given.output, "config.json"), "utf8"));
    expect(config.matryoshka_dimensions).toEqual([8, 16, 32]);
  });

  it("are what embeddings may be cut to; others are refused", async () => {
    const encoder = await PhraseEncoder.load(given.output);
    const [cut] = await encoder.encode(["t103"], { truncateDim: 16 });
    const [whole] = await encoder.encode(["t103"], { truncateDim: 32 });
    const length = Math.sqrt(product(whole, whole, 16));
    expect([...cut]).toEqual([...whole.subarray(0, 16)].map((x) => expect.closeTo(x / length, 5)));
    await expect(encoder.encode(["t103"], { truncateDim: 24 })).rejects.toThrow(
      "truncateDim must be one of 8, 16, 32, which the model was trained on, not 24",
    );
    await encoder.dispose();
  });

  it("stay those of a model that is trained further, unless others are given", async () => {
    const dimsAfter = async (more: Partial<FinetuneOptions>) => {
      const next = options({
        ...given,
        output: join(newFolder(), "next"),
        base: given.output,
        dims: undefined,
        ...more,
      });
      await finetune(next);
      return JSON.parse(readFileSync(join(next.output, "config.json"), "utf8")).matryoshka_dimensions;
    };
    expect(await dimsAfter({})).toEqual([8, 16, 32]);
    expect(await dimsAfter({ dims: [4] })).toEqual([4, 32]);
    expect(await dimsAfter({ dims: [32] })).toBeUndefined();
  });

  it("are refused above the model's", async () => {
    await expect(finetune({ ...given, output: join(newFolder(), "x"), dims: [8, 33] })).rejects.toThrow(
      "--dims 8,33: the model has 32 dimensions. Give whole numbers from 1 to 32.",
    );
  });

  it.each(["nce", "soft-nearest", "gaussian"] as const)(
    "have weights of their own in %s, which learns some",
    async (objective) => {
      const labelled = writeTable(
        pairs.map((row, i) => [...row, `${i % 7}`]),
        ["text", "positive", "label"],
      );
      const learned = objective === "soft-nearest" ? { objectiveSettings: { learning: "learned" } } : {};
      const own = options({ ...given, ...learned, objective, pairs: labelled, steps: 3 });
      const { result } = await finetune({ ...own, output: join(newFolder(), "tuned") });
      expect(Number.isFinite(result.loss)).toBe(true);
    },
  );
});

describe("pearl-mini, whose training has the columns in another order,", () => {
  const names = ["New York Times", "NYTimes", "aspirin", "acetylsalicylic acid", "to give up", "surrender"];
  const table = writeTable(
    [0, 2, 4].map((i) => names.slice(i, i + 2)),
    ["text", "positive"],
  );
  const mini = { base: "pearl-mini", pairs: table, batchSize: 8 };

  it("agrees with itself as its teacher", async () => {
    const notes: string[] = [];
    const onNote = (line: string) => void notes.push(line);
    const given = options({
      ...mini,
      teacher: "pearl-mini",
      objectiveSettings: { match: "vectors" },
      onNote,
    });
    await finetune(given);
    expect(metricsOf(given.output)[0].loss).toBeCloseTo(0, 4);
    expect(notes).toContainEqual(expect.stringContaining("the teacher is the base"));
    notes.length = 0;
    await finetune({ ...given, output: join(newFolder(), "nested"), dims: [64], objectiveSettings: {} });
    expect(notes).not.toContainEqual(expect.stringContaining("the teacher is the base"));
  });

  it("is trained on the prefixes that it gives", async () => {
    const given = options({ ...mini, teacher: undefined, dims: [128] });
    await finetune(given);
    const found = await vectorsOf(
      "pearl-mini",
      [0, 2, 4, 1, 3, 5].map((i) => names[i]),
    );
    const losses = [128, 600].map((to) => ntXentOf(found, () => true, to));
    expect(metricsOf(given.output)[0].loss).toBeCloseTo(average(losses), 3);
  });
});
