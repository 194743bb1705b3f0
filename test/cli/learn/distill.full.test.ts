/** `pearl distill` in the command line: tokenizers of several kinds, and the static model used and trained further. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readModelFolder } from "../../../src/architectures/model-folder.js";
import { type FamilyName, fixtureModel, readJsonFile } from "../../encoder/fixture-models.js";
import { newFolder } from "../../setup/new-folder.js";
import { pearl } from "../run-here.js";

const folder = newFolder();
const run = (...words: string[]) =>
  pearl(words, { cwd: folder, environment: { HF_HOME: join(folder, "cache") } });

describe("pearl distill", () => {
  it.each<FamilyName | "roberta" | "bert">(["bert", "roberta", "mpnet", "distilbert", "modernbert"])(
    "makes a model of %s that encodes",
    async (name) => {
      const { folder: base, expected } = fixtureModel(name);
      const outcome = await run("distill", base, "-o", name, "--dims", "4", "--json", `${name}.json`);
      expect(outcome).toMatchObject({ code: 0, stdout: `wrote ${name}: use it with --model ${name}\n` });
      expect(outcome.stderr).toMatch(
        new RegExp(`^${name}: \\d+ tokens, 4 dimensions with \\d+\\.\\d % of the variance$`, "m"),
      );
      expect(outcome.stderr).toMatch(/^licence: none stated/m);
      expect(readJsonFile(join(folder, `${name}.json`))).toMatchObject({ output: name, dimension: 4 });
      writeFileSync(join(folder, "in.txt"), expected.phrases.join("\n"));
      const encoded = await run("encode", "in.txt", "-m", name, "-o", `${name}.jsonl`, "-q");
      expect(encoded.code, encoded.stderr).toBe(0);
      const [line] = readFileSync(join(folder, `${name}.jsonl`), "utf8").split("\n");
      expect((JSON.parse(line) as { embedding: number[] }).embedding).toHaveLength(4);
    },
  );

  it("gives the first word of a text the token that it has elsewhere", () => {
    expect(readJsonFile(join(folder, "roberta", "tokenizer.json"))).toMatchObject({
      pre_tokenizer: { type: "ByteLevel", add_prefix_space: true },
      post_processor: null,
    });
  });

  it("makes a base that pearl finetune trains further", async () => {
    writeFileSync(
      join(folder, "pairs.csv"),
      "text,positive\nnew york,pearl island\nthe bank,the times\na b,b c\n",
    );
    const trained = await run(
      ...["finetune", "--pairs", "pairs.csv", "--base", "mpnet", "-o", "tuned", "--steps", "2"],
      ...["--validate", "0", "--device", "cpu", "--threads", "1", "-q"],
    );
    expect(trained.code, trained.stderr).toBe(0);
    const { features, dimension } = await readModelFolder(join(folder, "tuned"));
    expect([features.map(({ kind }) => kind), dimension]).toEqual([["tokens"], 4]);
  });

  it("writes nothing where the options do not fit", async () => {
    const { folder: base } = fixtureModel("mpnet");
    const outcome = await run("distill", base, "-o", "wide", "--dims", "300");
    expect(outcome).toMatchObject({ code: 2, stdout: "" });
    expect(outcome.stderr).toMatch(
      /--dims is 300, but mpnet has 16 dimensions and \d+ tokens\. Give a whole number/,
    );
    await expect(readModelFolder(join(folder, "wide"))).rejects.toThrow(/no such model folder/);
  });
});
