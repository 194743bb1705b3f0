/** Messages of pairs, of texts to pretrain on and of tagged spans: each names a cure, which is applied and works. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readSpans } from "../../../../src/fewshot/tag/sentences.js";
import { readPairs } from "../../../../src/methods/pairs/pairs.js";
import { numberedText, readNumberedText } from "../../../../src/methods/pretrain/numbered-text.js";
import { newFolder } from "../../../setup/new-folder.js";
import { writeTable } from "../../../training/pairs-folder.js";

async function* texts(...parts: string[]): AsyncGenerator<string> {
  yield* parts;
}

const scored = (...scores: string[]) =>
  writeTable(
    scores.map((score, i) => ["a", `b${i}`, score]),
    ["text", "positive", "score"],
  );

describe("the cure in a message", () => {
  it("of scores that are all the same works", async () => {
    const read = (path: string) => readPairs(path, { objective: "regression" });
    await expect(read(scored("3", "3"))).rejects.toThrow("Give pairs of different scores.");
    expect((await read(scored("3", "4"))).pairs).toHaveLength(2);
  });

  it("of several columns of phrases for a view works", async () => {
    const read = (...columns: string[]) =>
      readPairs(
        writeTable(
          [
            ["1", "one"],
            ["2", "two"],
          ],
          columns,
        ),
        { positives: "view" },
      );
    await expect(read("id", "phrase")).rejects.toThrow(
      "a view needs to know which of the columns id, phrase holds the phrases. Name it text",
    );
    expect((await read("id", "text")).pairs.map(({ text }) => text)).toEqual(["one", "two"]);
  });

  it("of no text to read works", async () => {
    const folder = newFolder();
    await expect(readNumberedText({ texts: [] })).rejects.toThrow("name at least one text to read");
    const file = join(folder, "t.txt");
    writeFileSync(file, "one two\n");
    expect((await readNumberedText({ texts: [file] })).words).toEqual(["one", "two"]);
  });

  it("of text without words works", async () => {
    await expect(numberedText(texts("…"))).rejects.toThrow("the text holds no words. Give another file");
    expect((await numberedText(texts("one"))).words).toEqual(["one"]);
  });

  it("of a span that cuts a word works", () => {
    const read = (end: number) =>
      readSpans(
        `{"text": "Ada Byron", "spans": [{"start": 0, "end": ${end}, "label": "PER"}]}\n`,
        "a.jsonl",
        "required",
      );
    expect(() => read(6)).toThrow("does not begin and end with a word");
    expect(read(9).sentences).toHaveLength(1);
  });
});
