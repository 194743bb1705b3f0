/** A word encoder that was pretrained on text learns names from a corpus, with all its losses. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readModelFolder } from "../../src/architectures/model-folder.js";
import { readWordStart } from "../../src/architectures/pearl-mini/model.js";
import { writeCorpus } from "../../src/corpus/corpus-folder.js";
import { FINE_PHRASE_TYPES, FINE_TYPES } from "../../src/corpus/typing/fine-types.js";
import { PhraseEncoder } from "../../src/encoder/phrase-encoder.js";
import {
  type CorpusFinetuneOptions,
  finetuneOnCorpus,
  prepareTraining,
  runOf,
} from "../../src/methods/corpus/corpus-finetune.js";
import { finetune } from "../../src/methods/pairs/finetune.js";
import { pretrain } from "../../src/methods/pretrain/pretrain.js";
import type { MethodSettings } from "../../src/methods/settings/method-settings.js";
import { encodeModel, readModel } from "../../src/onnx/io/file.js";
import { quantizeDynamic } from "../../src/onnx/rewrite/quantize.js";
import { PHRASE_TYPES } from "../../src/pearl/phrase-types.js";
import { claimLearned, corpusPhrases, smallCorpus, smallSettings } from "./small-corpus.js";

let folder: string;
let base: string;
let text: string;
let corpus: string;

const settings: MethodSettings = {
  ...smallSettings,
  characters: "none",
  hardNegatives: 0,
  synonymSides: { names: "characters" },
  partLosses: { phrase: 0.7, characters: 0.5 },
  prefixLoss: 0.3,
  contexts: { spans: 16, weight: 0.5 },
  meanShares: { characters: 0.2, meaning: 0.3, types: 0.5, weight: 5 },
  typeWeight: 0.4,
  dropout: 0,
};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "pearl-words-"));
  text = join(folder, "text.txt");
  const lines = corpusPhrases.flatMap(({ phrase }, i) => [
    `We went to see ${phrase} in the year ${i + 1900}, and it was well worth the time.`,
    `Nobody had heard of ${phrase} before the war, but old letters tell of it.`,
  ]);
  writeFileSync(text, lines.join("\n"));
  corpus = await smallCorpus();
  base = join(folder, "base");
  await pretrain({
    ...{ texts: [text], output: base, vocabulary: 60, batchSize: 32, steps: 5, warmUp: 2, seed: 3 },
    sizes: {
      ...{ buckets: 256, characters: 16, vectors: 16, width: 32, heads: 2, feedForward: 64 },
      ...{ layers: 1, meaning: 24, prefix: { characters: 6, meaning: 5 } },
    },
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const options = (output: string, changes: Partial<CorpusFinetuneOptions> = {}): CorpusFinetuneOptions => ({
  settings: { ...settings, base },
  ...{ corpus, output: join(folder, output), contextTexts: [text], steps: 60 },
  ...changes,
});
const cosine = (a: ArrayLike<number>, b: ArrayLike<number>) => {
  const dot = (x: ArrayLike<number>, y: ArrayLike<number>) =>
    Array.from(x).reduce((sum, value, i) => sum + value * y[i], 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
};

const labels = { seed: 1, types: PHRASE_TYPES, fineTypes: FINE_PHRASE_TYPES };

describe("a word encoder on a corpus", () => {
  it("lowers every loss, and distinguishes types", async () => {
    const parts: Readonly<Record<string, number>>[] = [];
    const output = "trained";
    await finetuneOnCorpus({
      ...options(output),
      onStep: ({ parts: own }) => own && parts.push(own),
    });
    const names = Object.keys(parts[0]);
    expect(names.sort()).toEqual([
      "context_loss_of_spans",
      "divergence_of_shares",
      "nt_xent",
      "nt_xent_characters",
      "nt_xent_phrase",
      "nt_xent_prefix",
      "type_loss",
    ]);
    const mean = (name: string, some: typeof parts) =>
      some.reduce((sum, part) => sum + part[name], 0) / some.length;
    for (const name of names)
      expect(mean(name, parts.slice(-8)), name).toBeLessThan(mean(name, parts.slice(0, 8)));

    const encoder = await PhraseEncoder.load(join(folder, output));
    expect(encoder.dimension).toBe(16 + 24 + 24);
    await claimLearned(encoder);
    // the first 24 numbers are types; their share of the squared length starts at 0.13
    const vectors = await encoder.encode(corpusPhrases.map(({ phrase }) => phrase));
    const shares = vectors.map((vector) => vector.subarray(0, 24).reduce((sum, x) => sum + x * x, 0));
    expect(shares.reduce((sum, share) => sum + share, 0) / shares.length).toBeGreaterThan(0.25);
    await encoder.dispose();
  });

  it("distinguishes kinds of OTHER in its embedding, and gives OTHER their sum", async () => {
    const kinds = join(folder, "kinds");
    mkdirSync(kinds);
    const isRiver = (phrase: string) => phrase.startsWith("the river");
    await writeCorpus(kinds, {
      phrases: corpusPhrases.map(({ phrase, type }) => ({
        ...{ phrase, lexicalClass: "NP" as const, count: 1 },
        type: type ?? (isRiver(phrase) ? ("OTHER/disease" as const) : ("OTHER/gene" as const)),
      })),
    });
    const output = "of-kinds";
    await finetuneOnCorpus(options(output, { corpus: kinds, settings: { ...settings, base, synonyms: 0 } }));
    const encoder = await PhraseEncoder.load(join(folder, output));
    const others = corpusPhrases.filter(({ type }) => type === undefined).map(({ phrase }) => phrase);
    const vectors = await encoder.encode(others);
    const predicted = await encoder.types(others, { top: 95 });
    let right = 0;
    others.forEach((phrase, i) => {
      const squares = Array.from(vectors[i].subarray(0, FINE_TYPES.length), (x) => x * x);
      const sum = squares.reduce((total, square) => total + square, 0);
      const shareOf = (types: readonly number[]) =>
        types.reduce((total, type) => total + squares[type] / sum, 0);
      const other = predicted[i].filter(({ type }) => type.endsWith("-OTHER"));
      const probability = other.reduce((total, known) => total + known.probability, 0);
      const places = FINE_TYPES.flatMap((type, place) => (type.startsWith("OTHER") ? [place] : []));
      expect(shareOf(places)).toBeCloseTo(probability, 4);
      const [disease, gene] = [FINE_TYPES.indexOf("OTHER/disease"), FINE_TYPES.indexOf("OTHER/gene")];
      if (squares[disease] > squares[gene] === isRiver(phrase)) right++;
    });
    await encoder.dispose();
    expect(right / others.length).toBeGreaterThan(0.75);
  });

  it("draws the gates of pairs that mean the same to their own target, not to that of names", async () => {
    const meanShares = {
      ...{ characters: 0.7, meaning: 0.2, types: 0.1, weight: 20 },
      meanings: { characters: 0.1, meaning: 0.2, types: 0.7 },
    };
    const output = "shares";
    const divergences: number[] = [];
    await finetuneOnCorpus({
      ...options(output, {
        settings: {
          ...{ ...settings, base, meanShares, synonymSides: { names: "phrase" }, synonyms: 12 },
          ...{ furtherContrast: "between", typeWeight: 0, partLosses: { phrase: 0.1, characters: 0.1 } },
        },
      }),
      onStep: ({ parts }) => divergences.push(parts?.divergence_of_shares ?? Number.NaN),
    });
    expect(divergences.at(-1)).toBeLessThan(0.3 * divergences[0]);
    const encoder = await PhraseEncoder.load(join(folder, output));
    const shareOfTypes = async (phrases: string[]) => {
      const vectors = await encoder.encode(phrases);
      const shares = vectors.map((vector) => vector.subarray(0, 24).reduce((sum, x) => sum + x * x, 0));
      return shares.reduce((sum, share) => sum + share, 0) / shares.length;
    };
    // societies occur only in pairs that mean the same
    const meanings = await shareOfTypes(["Paris Chess Society", "Lima Chess Society", "Oslo Chess Society"]);
    const names = await shareOfTypes(["Paris Opera House", "the river near Lima", "Oslo Water Company"]);
    await encoder.dispose();
    expect(meanings).toBeGreaterThan(names + 0.2);
  });

  it("asks which pairs mean the same where these have their own gate targets", async () => {
    const meanings = { characters: 0.1, meaning: 0.2, types: 0.7 };
    const meanShares = { characters: 0.7, meaning: 0.2, types: 0.1, weight: 1, meanings };
    const changed = { ...settings, base, meanShares, synonymSides: undefined };
    await expect(finetuneOnCorpus(options("sides", { settings: changed }))).rejects.toThrow("synonymSides");
    const hardGroupBy = { names: "middle" as "last" };
    const odd = { ...settings, base, hardGroupBy };
    await expect(finetuneOnCorpus(options("runs", { settings: odd }))).rejects.toThrow(
      'the setting hardGroupBy.names must be rarest or last or first, not "middle"',
    );
    expect(existsSync(join(folder, "sides"))).toBe(false);
  });

  it("trains on the vector that the model returns: the first batch's loss is computed from its embeddings", async () => {
    const losses: number[] = [];
    const one = options("one", { steps: 1, settings: { ...settings, base, averageWithBase: 1 } });
    await finetuneOnCorpus({ ...one, onStep: ({ parts }) => losses.push(parts?.nt_xent ?? Number.NaN) });
    const work = join(folder, "look");
    const prepared = await prepareTraining(one, work);
    // a run resumes only with the same average with its base
    expect(runOf(prepared, one).options(1).settings).toMatchObject({ averageWithBase: 1 });
    const rows = prepared.data.describe(0);
    const encoder = await PhraseEncoder.load(prepared.start.folder.path);
    const [a, b] = [
      await encoder.encode(rows.map(({ text: first }) => first)),
      await encoder.encode(rows.map(({ positive }) => positive)),
    ];
    await encoder.dispose();
    // an upper bound: training leaves out equal phrases and known synonyms, which lowers its loss
    const all = [...a, ...b];
    const loss = all.map((row, i) => {
      const scores = all.map((other) => cosine(row, other) / settings.temperature);
      const partner = scores[(i + a.length) % all.length];
      return Math.log(scores.reduce((sum, score, k) => (k === i ? sum : sum + Math.exp(score)), 0)) - partner;
    });
    const mean = loss.reduce((sum, value) => sum + value, 0) / loss.length;
    expect(losses[0]).toBeLessThan(mean + 1e-3);
    expect(losses[0]).toBeGreaterThan(0.75 * mean);
  });

  it("starts from int8 tables as from their float values, and writes int8 again", async () => {
    const folderOf = await readModelFolder(base);
    const small = join(folder, "int8");
    const { cpSync } = await import("node:fs");
    cpSync(base, small, { recursive: true });
    const model = readModel(folderOf.graph);
    // the test's tables are too small to be worth it by themselves
    const start = await readWordStart(folderOf, labels);
    const quantised = quantizeDynamic(model, { products: "kept" });
    writeFileSync(join(small, "onnx", "model.onnx"), encodeModel(quantised));
    const again = await readWordStart(await readModelFolder(small), labels);
    const dims = [61, 16];
    const zeros = () => 0;
    expect(again.context.weights("vectors.weight", dims, zeros).data).toEqual(
      start.context.weights("vectors.weight", dims, zeros).data,
    );
  });

  it("learns from a table of pairs alone, and says which types it knows", async () => {
    const pairs = join(folder, "pairs.csv");
    const rows = corpusPhrases.map(
      ({ phrase, type }) => `${phrase},the ${phrase},${type ? `NP-${type}` : ""}`,
    );
    // a title of punctuation alone has no words: its vector is zero, and so is its gradient
    writeFileSync(pairs, `text,positive,type\n=,= (album),\n${rows.join("\n")}\n`);
    const output = join(folder, "of-pairs");
    const losses: number[] = [];
    await finetune({
      ...{ base, pairs, output, epochs: 12, batchSize: 35, learningRate: 5e-3 },
      onStep: ({ loss }) => losses.push(loss),
    });
    expect(losses.at(-1)).toBeLessThan(losses[0]);
    const encoder = await PhraseEncoder.load(output);
    const [nothing, something] = await encoder.encode(["=", "Paris"], { normalize: false });
    await encoder.dispose();
    expect(nothing.every((value) => value === 0)).toBe(true);
    expect(Math.hypot(...something)).toBeCloseTo(10, 3);
    const { types } = await readModelFolder(output);
    expect(types).toHaveLength(95);
    writeFileSync(pairs, readFileSync(pairs, "utf8").replace("NP-ORG", "company"));
    await expect(finetune({ base, pairs, output: join(folder, "never") })).rejects.toThrow(
      '"company" is not one of the 120 types of',
    );
  });

  it("takes larger steps for a table if the settings ask for it, and refuses unknown names of weights", async () => {
    const moved = async (output: string, changes: Partial<MethodSettings>) => {
      await finetuneOnCorpus(options(output, { steps: 2, settings: { ...settings, base, ...changes } }));
      const [before, after] = await Promise.all(
        [base, join(folder, output)].map(async (path) => readWordStart(await readModelFolder(path), labels)),
      );
      const table = ({ context, words }: typeof before) =>
        context.weights("vectors.weight", [words.length + 1, 16], () => 0).data as Float32Array;
      const [from, to] = [table(before), table(after)];
      return Math.hypot(...from.map((value, i) => to[i] - value));
    };
    const plain = await moved("plain", {});
    const faster = await moved("faster", { rateFactors: { "vectors.weight": 8 } });
    expect(faster / plain).toBeGreaterThan(4);
    const odd = { ...settings, base, rateFactors: { "vector.weight": 8 } };
    await expect(finetuneOnCorpus(options("odd", { settings: odd }))).rejects.toThrow(
      'there is no weight "vector.weight". Among the weights are',
    );
  });

  it("asks for the texts of the pretraining, and refuses others", async () => {
    await expect(finetuneOnCorpus(options("none", { contextTexts: undefined }))).rejects.toThrow("--context");
    const other = join(folder, "other.txt");
    writeFileSync(other, readFileSync(text, "utf8").replaceAll("went", "walked").replaceAll("year", "month"));
    await expect(finetuneOnCorpus(options("other", { contextTexts: [other] }))).rejects.toThrow(
      "not those of the base's pretraining",
    );
    expect(existsSync(join(folder, "other"))).toBe(false);
  });
});
