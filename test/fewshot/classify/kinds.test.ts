/** Kinds of phrases, learned from a few names and found for others. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  classify,
  classifyTable,
  MissingDataError,
  ModelError,
  PhraseEncoder,
  readExamples,
  readKinds,
  TableError,
  trainKinds,
  writeKinds,
} from "../../../src/index.js";
import { newFolder } from "../../setup/new-folder.js";

const examples = [
  ["town", "Trieste", "Lisbon", "Montpellier", "Aarhus"],
  ["person", "Marie Curie", "Ada Lovelace", "Alan Turing", "Niels Bohr"],
  ["disease", "measles", "lung cancer", "type 2 diabetes", "asthma"],
].flatMap(([kind, ...phrases]) => phrases.map((phrase) => ({ phrase, kind })));

let encoder: PhraseEncoder;
beforeAll(async () => {
  encoder = await PhraseEncoder.load();
});
afterAll(() => encoder.dispose());

describe("kinds of phrases", () => {
  it("are found for names that the examples do not have, with probabilities that add up to 1", async () => {
    const { kinds, method, estimate } = await trainKinds(examples, { encoder });
    expect({ method, names: kinds.names }).toEqual({ method: "mean", names: ["disease", "person", "town"] });
    expect(estimate.examples).toBe(12);
    expect(estimate.accuracy).toBeGreaterThan(0.8);
    const phrases = ["Rosalind Franklin", "Bordeaux", "breast cancer", "", "\u200b"];
    const found = await classify(phrases, kinds, { encoder });
    expect(found.map(({ kind }) => kind)).toEqual(["person", "town", "disease", undefined, undefined]);
    for (const { probabilities } of found.slice(0, 3))
      expect(probabilities.reduce((sum, own) => sum + own, 0)).toBeCloseTo(1, 9);
  });

  it("are the same after they were written and read", async () => {
    const { kinds } = await trainKinds(examples, { encoder, method: "logistic" });
    const path = join(newFolder(), "kinds.json");
    await writeKinds(path, kinds);
    const [before, after] = [kinds, await readKinds(path)].map((own) => classify(["Pisa"], own, { encoder }));
    const [{ probabilities }] = await before;
    (await after)[0].probabilities.forEach((probability, kind) => {
      expect(probability).toBeCloseTo(probabilities[kind], 5);
    });
    writeFileSync(path, readFileSync(path, "utf8").replace("town", "city"));
    await expect(readKinds(path)).rejects.toThrow(/damaged.*pearl classify train/);
    await expect(readKinds("nowhere.json")).rejects.toThrow(MissingDataError);
  });

  it("are refused where they differ in their number of weights, or are none", async () => {
    const { kinds } = await trainKinds(examples, { encoder });
    const path = join(newFolder(), "kinds.json");
    await writeKinds(path, kinds);
    const { crc32: _, ...written } = JSON.parse(readFileSync(path, "utf8"));
    const [{ weights, ...first }, ...others] = written.kinds;
    for (const wrong of [[{ ...first, weights: weights.slice(0, 400) }, ...others], []]) {
      writeFileSync(path, JSON.stringify({ ...written, kinds: wrong }));
      await expect(readKinds(path)).rejects.toThrow(
        /differ in their number of weights.*pearl classify train/,
      );
    }
  });

  it("reject what is less probable than asked", async () => {
    const { kinds } = await trainKinds(examples, { encoder });
    const [sure, doubtful] = await classify(["Bordeaux", "photosynthesis or so"], kinds, {
      encoder,
      reject: 0.9,
    });
    expect(sure.kind).toBe("town");
    expect(doubtful.kind).toBeUndefined();
    expect(doubtful.probability).toBeLessThan(0.9);
  });

  it("have a learning curve, as long as one example of each kind is left", async () => {
    const { curve } = await trainKinds(examples, { encoder, examplesPerClass: [1, 3] });
    expect(curve.map(({ perClass }) => perClass)).toEqual([1, 3]);
    expect(curve[1].accuracy).toBeGreaterThanOrEqual(curve[0].accuracy);
    await expect(trainKinds(examples, { encoder, examplesPerClass: [4] })).rejects.toThrow(
      "needs at least 5, and the smallest kind has 4",
    );
  });

  it("take two kinds at least, and the model that learned them", async () => {
    await expect(trainKinds([{ phrase: "\u200b", kind: "town" }], { encoder })).rejects.toThrow(
      "example 1 has no phrase.",
    );
    await expect(trainKinds(examples.slice(0, 4), { encoder })).rejects.toThrow(
      'all examples are of the kind "town"',
    );
    const { kinds } = await trainKinds(examples, { encoder });
    const other = { ...kinds, model: { name: "another", fingerprint: "0" } };
    await expect(classify(["Pisa"], other, { encoder })).rejects.toThrow(ModelError);
  });

  it("are read from a table, and written beside each row of another", async () => {
    const folder = newFolder();
    const path = join(folder, "examples.csv");
    writeFileSync(
      path,
      ["name,Label", "\u00ad,", ...examples.map(({ phrase, kind }) => `${phrase},${kind}`)].join("\n"),
    );
    const read = await readExamples(path);
    expect(read).toEqual(examples);
    const { kinds } = await trainKinds(read, { encoder });
    const table = join(folder, "names.csv");
    writeFileSync(table, "id,name,kind\n1,Bordeaux,\n2,Isaac Newton,x\n");
    const output = join(folder, "found.csv");
    await classifyTable(table, output, kinds, { encoder });
    const [header, first, second] = readFileSync(output, "utf8").trim().split("\n");
    expect(header).toBe("id,name,kind,kind_,probability");
    expect(first).toMatch(/^1,Bordeaux,"?"?,town,0\.\d+$/);
    expect(second).toMatch(/^2,Isaac Newton,x,person,0\.\d+$/);
  });

  it("need a column of kinds without gaps", async () => {
    const path = join(newFolder(), "examples.csv");
    writeFileSync(path, "name,group\nTrieste,town\nPo,\u200b\n");
    await expect(readExamples(path)).rejects.toThrow(
      /need a column of phrases and a column of kinds[\s\S]*Trieste,town[\s\S]*name, group.*--kind-column/,
    );
    await expect(readExamples(path, { kindColumn: "group" })).rejects.toThrow(
      `${path} row 2: "Po" has no group. Fill the cell, or remove the row.`,
    );
    await expect(readExamples(path, { kindColumn: "grup" })).rejects.toThrow(TableError);
  });
});
