/** The lists of data/words, and their reader. */
import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { MissingDataError } from "../../src/errors.js";
import { wordList, wordSet } from "../../src/text/word-lists.js";

describe("the word lists", () => {
  const names = readdirSync("data/words").map((file) => file.replace(/\.tsv$/, ""));

  it.each(names)("%s has entries without empty parts, each once", (name) => {
    const entries = wordList(name, (read) => read)();
    expect(entries.length).toBeGreaterThan(0);
    expect(entries.flat().filter((part) => part.trim() !== part || part === "")).toEqual([]);
    expect(new Set(entries.map(([first]) => first)).size).toBe(entries.length);
  });

  it("leave out the comment line", () => {
    expect([...wordSet("participles")()].slice(0, 2)).toEqual(["become", "been"]);
  });

  it("name a file that is missing, and the cure", () => {
    const missing = wordList("no-such-list", (read) => read);
    expect(missing).toThrow(MissingDataError);
    expect(missing).toThrow(/no-such-list\.tsv is missing\. Install pearl-embeddings again/);
  });

  it("are read once", () => {
    let count = 0;
    const list = wordList("participles", () => ++count);
    expect([list(), list()]).toEqual([1, 1]);
  });
});
