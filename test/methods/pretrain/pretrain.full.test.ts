/** Pretraining on an invented language, in which only the company of words can be learned. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PhraseEncoder } from "../../../src/encoder/phrase-encoder.js";
import { type PretrainOptions, pretrain } from "../../../src/methods/pretrain/pretrain.js";
import { createRandom } from "../../../src/random.js";

let folder: string;
let text: string;
const names = { animal: ["zolka", "brint", "fupper"], tool: ["gnarl", "wexo", "titch"] } as const;
const around = { animal: ["eats", "sleeps", "runs"], tool: ["cuts", "bends", "breaks"] } as const;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "pearl-pretrain-"));
  text = join(folder, "text.txt");
  const random = createRandom(5);
  const pick = (list: readonly string[]) => list[Math.floor(random() * list.length)];
  const lines = Array.from({ length: 400 }, () => {
    const kind = random() < 0.5 ? "animal" : "tool";
    return `It ${pick(around[kind])} as ${pick(names[kind])} often ${pick(around[kind])} and ${pick(around[kind])}.`;
  });
  writeFileSync(text, lines.join("\n"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const small: Omit<PretrainOptions, "output" | "texts"> = {
  ...{ vocabulary: 50, batchSize: 64, steps: 40, warmUp: 5, learningRate: 5e-3, seed: 3 },
  sizes: {
    buckets: 256,
    characters: 16,
    vectors: 16,
    width: 32,
    heads: 2,
    feedForward: 64,
    layers: 1,
    meaning: 24,
  },
};

const firstAndLast = (metrics: string): [number, number] => {
  const losses = metrics
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).loss as number);
  const mean = (part: number[]) => part.reduce((sum, loss) => sum + loss, 0) / part.length;
  return [mean(losses.slice(0, 5)), mean(losses.slice(-5))];
};

describe("pretraining", () => {
  it("refuses a width that the heads do not divide before it reads texts", async () => {
    const options = { texts: ["nowhere.txt"], output: join(folder, "odd"), sizes: { width: 30 } };
    await expect(pretrain(options)).rejects.toThrow("--hidden 30 is not a multiple of --heads 4");
  });

  it("brings together words that occur in the same contexts", async () => {
    const output = join(folder, "context");
    await pretrain({ ...small, texts: [text], output });
    const [first, last] = firstAndLast(readFileSync(join(output, "metrics.jsonl"), "utf8"));
    expect(last).toBeLessThan(first);
    const encoder = await PhraseEncoder.load(output);
    const vectors = await encoder.encode([...names.animal, ...names.tool]);
    await encoder.dispose();
    const cosine = (a: number, b: number) => vectors[a].reduce((sum, x, i) => sum + x * vectors[b][i], 0);
    const same = (cosine(0, 1) + cosine(1, 2) + cosine(3, 4) + cosine(4, 5)) / 4;
    const other = (cosine(0, 3) + cosine(1, 4) + cosine(2, 5) + cosine(0, 5)) / 4;
    expect(same).toBeGreaterThan(other + 0.3);
  });

  it("gives the same model again from the same seed", async () => {
    const outputs = [join(folder, "a"), join(folder, "b")];
    for (const output of outputs) await pretrain({ ...small, texts: [text], output, steps: 4 });
    const graphs = outputs.map((output) => readFileSync(join(output, "onnx", "model.onnx")));
    expect(graphs[0].equals(graphs[1])).toBe(true);
  });

  it("adds listed words that are rare in the text, if they have a word vector, and no others", async () => {
    const [output, vectors, further] = ["more", "few-vectors.txt", "further.txt"].map((name) =>
      join(folder, name),
    );
    const row = (word: string, at: number) =>
      `${word} ${Array.from({ length: 16 }, (_, i) => (i === at ? 1 : 0.1 * at)).join(" ")}`;
    writeFileSync(vectors, ["zolka", "quern", "gnarl", "flense", "stook"].map(row).join("\n"));
    writeFileSync(further, "\uFEFFquern\nzolka\nflense\nnowhere\n", "utf16le");
    await pretrain({ ...small, texts: [text], output, vectors, alsoWords: further, steps: 2 });
    const words = readFileSync(join(output, "words.txt"), "utf8").trim().split("\n");
    expect(words.slice(-2)).toEqual(["quern", "flense"]);
    expect(words.filter((word) => word === "zolka")).toHaveLength(1);
    const { sizes, data } = JSON.parse(readFileSync(join(output, "training.json"), "utf8"));
    expect(sizes).toMatchObject({ vocabulary: words.length, contextWords: words.length - 2 });
    expect(data.furtherWords).toBe(2);
    const encoder = await PhraseEncoder.load(output);
    const [known, other] = await encoder.encode(["quern", "flense"]);
    await encoder.dispose();
    expect([...known]).not.toEqual([...other]);
    const without = pretrain({ ...small, texts: [text], output: join(folder, "x"), alsoWords: further });
    await expect(without).rejects.toThrow("--vectors");
    const absent = { alsoWords: join(folder, "absent-words.txt"), vectors };
    await expect(pretrain({ ...small, ...absent, texts: [text], output: join(folder, "x") })).rejects.toThrow(
      "absent-words.txt: no such file",
    );
  });

  it("continues from its checkpoint after an interruption and reaches the same weights", async () => {
    const whole = join(folder, "whole");
    await pretrain({ ...small, texts: [text], output: whole, steps: 8 });
    const output = join(folder, "stopped");
    const stop = new AbortController();
    const options = { ...small, texts: [text], output, steps: 8, signal: stop.signal };
    const stopped = pretrain({ ...options, onStep: ({ step }) => step === 3 && stop.abort() });
    await expect(stopped).rejects.toThrow();
    const report = await pretrain({ ...options, signal: undefined, resume: "continue" });
    expect(report.resumedAt).toBeGreaterThan(0);
    const graph = (folder: string) => readFileSync(join(folder, "onnx", "model.onnx"));
    expect(graph(output).equals(graph(whole))).toBe(true);
  });

  it("says what is wrong with text and word vectors", async () => {
    const absent = pretrain({ ...small, texts: [join(folder, "absent.txt")], output: join(folder, "x") });
    await expect(absent).rejects.toThrow("absent.txt: no such file");
    const blank = join(folder, "blank.txt");
    writeFileSync(blank, "… !\n");
    await expect(pretrain({ ...small, texts: [blank], output: join(folder, "x") })).rejects.toThrow(
      "no words",
    );
    const vectors = join(folder, "vectors.txt");
    writeFileSync(vectors, "cat 1 2 3\ndog 2 3 4\n");
    await expect(pretrain({ ...small, texts: [text], output: join(folder, "x"), vectors })).rejects.toThrow(
      "--vector-width 3",
    );
  });
});
