import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  loadParaphraser,
  paraphraserFingerprint,
  writeParaphrases,
} from "../../src/augmentation/paraphrase-model.js";
import { folder, quickAugmenter } from "./files.js";
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

  it.each([
    { model: "b", count: 2 },
    { model: "a", count: 3 },
  ])("are not continued by model $model with count $count", async (other) => {
    const path = join(folder, `${other.model}${other.count}.tsv`);
    const stop = new AbortController();
    const first = { model: "a", count: 2, signal: stop.signal, onProgress: () => stop.abort() };
    await expect(writeParaphrases(["a b", "c d"], path, generate, first)).rejects.toThrow("aborted");
    const notes: string[] = [];
    const onNote = (note: string) => void notes.push(note);
    const report = await writeParaphrases(["a b", "c d"], path, generate, { ...other, onNote });
    expect(report.resumed).toBe(0);
    expect(notes).toEqual([`${path}.partial is of another model or count: starting over`]);
  });

  it("come from one model if its id or its files are the same", async () => {
    expect(await paraphraserFingerprint("Xenova/flan-t5-small")).toBe("Xenova/flan-t5-small");
    const copies = [makeTextModel(), join(folder, "t5-copy")];
    await cp(copies[0], copies[1], { recursive: true });
    const [one, other] = await Promise.all(copies.map(paraphraserFingerprint));
    expect(one).toBe(other);
    await writeFile(join(copies[1], "config.json"), "{}");
    expect(await paraphraserFingerprint(copies[1])).not.toBe(one);
  });

  it("are as many texts for a phrase as are asked for", async () => {
    const generate = await loadParaphraser(makeTextModel());
    expect(await generate("red wine", 3)).toEqual(["indeed", "indeed", "indeed"]);
  });
});
