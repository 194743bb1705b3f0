/** `pearl type` as users run it. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { assembleModel } from "../../../src/architectures/compose.js";
import { readModelFolder } from "../../../src/architectures/model-folder.js";
import { writeTrainedModel } from "../../../src/methods/start-model.js";
import { readModel } from "../../../src/onnx/io/file.js";
import { makeOracleModel } from "../../encoder/oracle-model.js";
import { newFolder } from "../../setup/new-folder.js";
import { pearl } from "../run-here.js";

/** The oracle's encoder with a type head of random weights. */
async function typedModel(): Promise<string> {
  const base = await readModelFolder(makeOracleModel("encoder.folded.onnx"));
  const types = ["NP-ORG", "NP-GPE", "VP-ORG", "VP-OTHER"];
  const assembled = assembleModel({ base: { folder: base, model: readModel(base.graph) }, types, seed: 1 });
  const folder = join(newFolder(), "typed");
  await writeTrainedModel(folder, { base, assembled, weights: new Map() });
  return folder;
}

describe("pearl type", () => {
  it("classifies with the embedded model, and explains a model without a type head", async () => {
    const plain = await pearl(["type", "The New York Times", "--model", "pearl-strings"]);
    expect(plain).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/pearl-strings has no type head.*pearl train/),
    });
    const { code, stdout } = await pearl(["type", "Paris", "in the end", "--json"]);
    expect(code).toBe(0);
    const predicted = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).types[0]);
    expect(predicted.map((type) => type.class)).toEqual(["NP", "PP"]);
    expect(predicted[0].type).toBe("GPE");
  });

  it("prints class and type with their joint and separate probabilities", async () => {
    const model = await typedModel();
    const options = ["--model", model, "--top", "4", "--json"];
    const { code, stdout } = await pearl(["type", "t103 t104", "t200", ...options]);
    expect(code).toBe(0);
    const rows = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(rows.map(({ phrase }) => phrase)).toEqual(["t103 t104", "t200"]);
    for (const { types } of rows) {
      expect(types).toHaveLength(4);
      const of = (lexical: string, entity: string) =>
        types.find(
          (predicted: { class: string; type: string }) =>
            predicted.class === lexical && predicted.type === entity,
        );
      expect(of("NP", "ORG").classProbability).toBeCloseTo(
        of("NP", "ORG").probability + of("NP", "GPE").probability,
        5,
      );
      expect(of("VP", "ORG").typeProbability).toBeCloseTo(
        of("NP", "ORG").probability + of("VP", "ORG").probability,
        5,
      );
      const ranks = types.map(({ probability }: { probability: number }) => probability);
      expect(ranks).toEqual([...ranks].sort((a: number, b: number) => b - a));
    }
  });

  it("writes the types of a table's phrases, empty ones included", async () => {
    const [model, cwd] = [await typedModel(), newFolder()];
    writeFileSync(join(cwd, "phrases.csv"), 'name,year\n"t103, t104",1\n,2\nt200,3\n');
    const words = ["type", "phrases.csv", "-c", "name", "--model", model, "-o", "types.csv"];
    const { code, stdout } = await pearl(words, { cwd });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "wrote types.csv: types of 3 phrases\n" });
    const lines = readFileSync(join(cwd, "types.csv"), "utf8").trim().split("\n");
    expect(lines[0]).toBe("phrase,class,type,probability,class_probability,type_probability");
    expect(lines[1]).toMatch(/^"t103, t104",(NP|VP),(ORG|GPE|OTHER),0\.\d{3},0\.\d{3},[01]\.\d{3}$/);
    expect(lines[2]).toBe(",,,,,");
    expect(lines).toHaveLength(4);
    const odd = await pearl(["type", "phrases.csv", "--model", model, "-o", "types.docx"], { cwd });
    expect(odd).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/\.jsonl, \.parquet or \.xlsx/),
    });
  });
});
