/** Text as numbers. */
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { numberedText } from "../../../src/methods/pretrain/numbered-text.js";

async function* texts(...parts: string[]): AsyncGenerator<string> {
  yield* parts;
}

describe("the numbers of a text", () => {
  it("are those of words by falling frequency, of punctuation below zero, and 0 after each text", async () => {
    const text = await numberedText(texts("The cat, the dog.", "A dog: the end."));
    expect(text.words).toEqual(["the", "dog", "a", "cat", "end"]);
    expect([...text.counts]).toEqual([3, 2, 1, 1, 1]);
    // , . : in the order in which they first occur
    expect([...text.numbers]).toEqual([1, 4, -1, 1, 2, -2, 0, 3, 2, -3, 1, 5, -2, 0]);
  });

  it("are of one fingerprint where the texts are equal, and of several millions", async () => {
    async function* long() {
      for (let i = 0; i < 300; i++) yield "a b ".repeat(2500);
    }
    const text = await numberedText(long());
    expect(text.numbers).toHaveLength(300 * 5001);
    expect([...text.numbers.subarray(-3)]).toEqual([1, 2, 0]);
    const bytes = new Uint8Array(text.numbers.buffer);
    expect(createHash("sha256").update(bytes).digest("hex").slice(0, 16)).toBe(text.fingerprint);
    expect((await numberedText(long())).fingerprint).toBe(text.fingerprint);
    expect((await numberedText(texts("a b"))).fingerprint).not.toBe(text.fingerprint);
  });

  it("refuse text without words", async () => {
    await expect(numberedText(texts("…", "!"))).rejects.toThrow("holds no words");
  });
});
