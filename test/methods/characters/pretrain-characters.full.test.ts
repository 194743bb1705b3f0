import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { readModelFolder } from "../../../src/architectures/model-folder.js";
import { readPart } from "../../../src/architectures/registry.js";
import {
  type PretrainCharactersOptions,
  pretrainCharacters,
} from "../../../src/methods/characters/pretrain-characters.js";
import { readModel } from "../../../src/onnx/io/file.js";
import { createRandom } from "../../../src/random.js";
import { createNet, fromSeed } from "../../../src/train.js";
import { makeOracleModel } from "../../encoder/oracle-model.js";
import { found, withEncoder, words } from "./misspelt.js";

const root = mkdtempSync(join(tmpdir(), "pearl-pretrain-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const at = (name: string) => join(root, name);

writeFileSync(at("words.txt"), `${words.join("\n")}\n`);

const small: Omit<PretrainCharactersOptions, "output"> = {
  ...{ words: at("words.txt"), width: 24, batchSize: 32, seed: 4, learningRate: 0.01 },
};

// test/slow/trainings trains on them.
describe("pretraining on synthetic words", () => {
  const synthetic = {
    ...{ synthetic: 1500, like: at("words.txt"), seed: 4, learningRate: 0.01 },
    batchSize: 64,
  };

  it("refuses what has no meaning for them", async () => {
    const refused = (changes: Partial<PretrainCharactersOptions>) =>
      expect(pretrainCharacters({ ...synthetic, output: at("never"), ...changes })).rejects;
    await refused({ words: at("words.txt") }).toThrow(/--synthetic takes the place of --words/);
    await refused({ hardNegatives: 2 }).toThrow(/--synthetic words have no hard negatives/);
    await refused({ kind: "bag", hidden: 9 }).toThrow(/--hidden is for --kind bilstm/);
    await refused({ vectors: "none.vec", projection: 8 }).toThrow(/--projection is for learning spelling/);
    await refused({ synthetic: undefined }).toThrow(/add --synthetic N/);
  });
});

describe("pretraining on spelling", () => {
  it.each([
    ["ngrams", 0.85],
    ["love", 0.7],
  ] as const)("teaches %s to find misspelt words", async (kind, least) => {
    const untrained = at(`${kind}-untrained`);
    const trained = at(`${kind}-trained`);
    await pretrainCharacters({ ...small, kind, output: untrained, epochs: 0.01, learningRate: 1e-9 });
    const report = await pretrainCharacters({ ...small, kind, output: trained, epochs: 12 });
    const [before, after] = [await found(untrained), await found(trained)];
    expect(after).toBeGreaterThan(before + 0.05);
    expect(after).toBeGreaterThan(least);
    expect(report.result.steps).toBe(12 * Math.ceil(words.length / 32));
    expect(existsSync(`${trained}.training`)).toBe(false);
  });

  it("learns from misspellings what it never saw: other words with the same error come closer", async () => {
    // an error of its own: "a" is written "ox"
    const wrong = (word: string) => word.replace("a", "ox");
    const [seen, unseen] = [0, 1].map((half) => words.filter((word, i) => i % 2 === half && /a/.test(word)));
    writeFileSync(
      at("noise.csv"),
      `wrong,right\n${seen.map((word) => `${wrong(word)},${word}`).join("\n")}\n`,
    );
    /** By how much the right word is nearer than the nearest other, on average. */
    const lead = (folder: string) =>
      withEncoder(folder, async (encoder) => {
        const scores = await encoder.similarity(unseen.map(wrong), words);
        const leads = scores.map((row, i) => {
          const own = words.indexOf(unseen[i]);
          return row[own] - Math.max(...row.filter((_, j) => j !== own));
        });
        return leads.reduce((sum, value) => sum + value, 0) / leads.length;
      });
    const options = { ...small, kind: "ngrams" } as const;
    const noise = at("noise.csv");
    const report = await pretrainCharacters({ ...options, noise, epochs: 10, output: at("noisy") });
    await pretrainCharacters({
      ...options,
      ...{ noise, epochs: 0.01, learningRate: 1e-9, output: at("noisy-untrained") },
    });
    expect(report.data.misspellings).toBe(seen.length);
    expect(readFileSync(join(at("noisy"), "README.md"), "utf8")).toContain(
      `attacks: ${seen.length} misspellings`,
    );
    expect(await lead(at("noisy"))).toBeGreaterThan((await lead(at("noisy-untrained"))) + 0.05);
  });

  it("records everything that is needed to train again", async () => {
    const folder = at("record");
    const report = await pretrainCharacters({ ...small, kind: "bag", output: folder, epochs: 0.5 });
    const stored = JSON.parse(readFileSync(join(folder, "training.json"), "utf8"));
    expect(stored.settings).toMatchObject({ kind: "bag", width: 24, seed: 4, epochs: 0.5 });
    expect(stored.data).toMatchObject({ words: words.length, source: "words.txt" });
    expect(report.data.fingerprint).toBe(stored.data.fingerprint);
    expect(readFileSync(join(folder, "README.md"), "utf8")).toContain("sum of a word's characters");
  });

  it("continues bit for bit after an interruption", async () => {
    const options = { ...small, kind: "love", dropout: 0.1, epochs: 3 } as const;
    await pretrainCharacters({ ...options, output: at("whole") });
    const stop = new AbortController();
    const notes: string[] = [];
    const interrupted = pretrainCharacters({
      ...options,
      onNote: (note) => notes.push(note),
      ...{ output: at("parts"), signal: stop.signal },
      onStep: ({ step }) => step === 5 && stop.abort(),
      // more epochs than the resumed run takes: their number does not affect a step
      epochs: 9,
    });
    await expect(interrupted).rejects.toHaveProperty("name", "AbortError");
    expect(notes.at(-1)).toMatch(/^training was stopped after step \d+; --resume continues from there$/);
    const report = await pretrainCharacters({ ...options, output: at("parts"), resume: "continue" });
    expect(report.resumedAt).toBeGreaterThanOrEqual(5);
    const graph = (folder: string) => readFileSync(join(at(folder), "onnx/model.onnx"));
    expect(graph("parts").equals(graph("whole"))).toBe(true);
  });

  it("draws as many hard negatives as are asked for, also more than eight", async () => {
    const near = [..."abcdefghijklmn"].map((letter) => `zürich${letter}`);
    writeFileSync(at("near.txt"), near.join("\n"));
    const phrases: number[] = [];
    await pretrainCharacters({
      ...{ ...small, kind: "ngrams", words: at("near.txt"), output: at("near"), epochs: 0.1 },
      ...{
        batchSize: 2,
        hardNegatives: 12,
        onStep: (step) => phrases.push(step.phrasesPerSecond * step.seconds),
      },
    });
    expect(phrases.map(Math.round)).toEqual([26]);
  });

  it("refuses sizes that make no sense, and a list of one word, before it trains", async () => {
    const output = at("never");
    await expect(pretrainCharacters({ ...small, output, epochs: 0 })).rejects.toThrow(
      "epochs must be above 0",
    );
    await expect(pretrainCharacters({ ...small, output, batchSize: 1 })).rejects.toThrow(
      "--batch-size must be at least 2",
    );
    await expect(pretrainCharacters({ ...small, output, limit: 1 })).rejects.toThrow(
      "at least two are needed",
    );
    expect(existsSync(output)).toBe(false);
  });
});

describe("pretraining on word vectors", () => {
  const dimension = 24;
  const random = createRandom(9);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const listed = words.slice(0, 40);
  const vectors = listed.map(() => Array.from({ length: dimension }, normal));
  const lines = listed.map((word, i) => `${word} ${vectors[i].map((x) => x.toFixed(5)).join(" ")}`);
  writeFileSync(at("vectors.txt"), `${lines.join("\n")}\n`);

  const mimic = {
    vectors: at("vectors.txt"),
    epochs: 60,
    batchSize: 20,
    learningRate: 0.01,
    dropout: 0,
  } as const;

  it("learns to give clean and misspelt words the vectors it was shown", async () => {
    const folder = at("mimic");
    await pretrainCharacters({
      ...{ ...mimic, output: folder, kind: "ngrams", width: dimension },
      attacks: { preset: "typing" },
    });
    const encoded = await withEncoder(folder, (encoder) => encoder.encode(listed));
    const cosine = (a: ArrayLike<number>, b: readonly number[]) =>
      b.reduce((sum, x, i) => sum + x * a[i], 0) / Math.hypot(...b);
    const nearest = encoded.map((vector) => {
      const cosines = vectors.map((target) => cosine(vector, target));
      return cosines.indexOf(Math.max(...cosines));
    });
    expect(nearest.filter((target, i) => target === i).length).toBeGreaterThan(0.9 * listed.length);
  });

  it("reaches vectors of another length through a layer that is not kept", async () => {
    const folder = at("wider");
    await pretrainCharacters({ ...mimic, output: folder, kind: "bag", width: 10, epochs: 0.1 });
    const model = await readModelFolder(folder);
    expect(model.dimension).toBe(10);
    const names = [...readModel(model.graph).graph.initializers.keys()];
    expect(names).toContain("characters.embedding.weight");
    expect(names.filter((name) => name.startsWith("mimic"))).toEqual([]);
  });
});

describe("a pretrained folder as a part of another model", () => {
  it("brings its weights, and new ones get a reduction", async () => {
    const folder = at("bag");
    await pretrainCharacters({ ...small, kind: "bag", output: folder, epochs: 1 });
    const model = await readModelFolder(folder);
    const part = await readPart(model, { width: 3 });
    expect(part.width).toBe(3);
    const net = createNet(fromSeed(1));
    part.build(net);
    const trained = readModel(model.graph).graph.initializers.get("characters.embedding.weight");
    expect(net.g.graph.initializers.get("characters.embedding.weight")?.data).toEqual(trained?.data);
    expect(net.g.graph.initializers.get("characters.reduction.weight")?.dims).toEqual([3, 24]);
  });

  it("is distinguished from folders without a character encoder", async () => {
    const transformer = await readModelFolder(makeOracleModel("encoder.folded.onnx"));
    await expect(readPart(transformer, {})).rejects.toThrow("has no character encoder");
  });
});
