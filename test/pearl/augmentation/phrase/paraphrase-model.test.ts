import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  loadParaphraser,
  writeParaphrases,
} from "../../../../src/pearl/augmentation/phrase/paraphrase-model.js";
import { folder, quickAugmenter } from "../../../augmentation/files.js";
import { makeTextModel } from "./text-model.js";

describe("a model's paraphrases", () => {
  const generate = async (text: string): Promise<string[]> => [
    ...[text.toUpperCase(), `${text} indeed`, `${text} indeed`, ` so\n${text} `],
  ];

  it("are written to a paraphrase file without repetitions, which the augmenter reads", async () => {
    const path = join(folder, "para.tsv");
    const report = await writeParaphrases(["red wine", "red wine", "", "beer"], path, generate);
    expect(report).toMatchObject({ phrases: 2, pairs: 4, resumed: 0 });
    expect(await readFile(path, "utf8")).toBe(
      "phrase\tparaphrase\nred wine\tred wine indeed\nred wine\tso red wine\nbeer\tbeer indeed\nbeer\tso beer\n",
    );
    const augmenter = await quickAugmenter({ paraphraseFiles: [path] });
    expect(augmenter.all("beer").filter(({ rule }) => rule === "paraphrase-file")).toHaveLength(2);
  });

  it("continue where an interrupted run stopped, even after a line that was cut off", async () => {
    const path = join(folder, "resumed.tsv");
    const controller = new AbortController();
    const options = { signal: controller.signal, onProgress: () => controller.abort() };
    await expect(writeParaphrases(["a b", "c d"], path, generate, options)).rejects.toHaveProperty(
      "name",
      "AbortError",
    );
    await writeFile(`${path}.partial`, `${await readFile(`${path}.partial`, "utf8")}["c d","cut o`);
    const asked: string[] = [];
    const report = await writeParaphrases(["a b", "c d"], path, async (text, count) => {
      asked.push(text);
      return (await generate(text)).slice(0, count + 1);
    });
    expect(asked).toEqual(["c d"]);
    expect(report).toMatchObject({ phrases: 2, resumed: 1, pairs: 4 });
    await expect(readFile(`${path}.partial`)).rejects.toThrow(/ENOENT/);
  });

  it("are as many texts for a phrase as are asked for", async () => {
    const generate = await loadParaphraser(makeTextModel());
    expect(await generate("red wine", 3)).toEqual(["indeed", "indeed", "indeed"]);
  });
});
