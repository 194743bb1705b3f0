/** EdaCSE's view: marks inside a phrase, and the weight of their loss. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { finetune } from "../../../src/methods/pairs/finetune.js";
import { punctuated, punctuationSettings } from "../../../src/methods/pairs/views.js";
import { createRandom } from "../../../src/random.js";
import { makeOracleModel } from "../../encoder/oracle-model.js";
import { newFolder } from "../../setup/new-folder.js";
import { writeTable } from "../../training/pairs-folder.js";

describe("punctuated", () => {
  const random = createRandom(1);

  it("inserts one to three marks between words, never at an end, and leaves the words", () => {
    const numbers = new Set<number>();
    const seen = new Set<string>();
    for (let i = 0; i < 500; i++) {
      const text = punctuated("the  old river", punctuationSettings(), random);
      const parts = text.split(" ");
      const marks = parts.filter((part) => /^[.,!?;:]$/.test(part));
      expect(parts.filter((part) => !marks.includes(part))).toEqual(["the", "old", "river"]);
      expect([parts[0], parts.at(-1)]).toEqual(["the", "river"]);
      numbers.add(marks.length);
      for (const mark of marks) seen.add(mark);
    }
    expect([...numbers].sort()).toEqual([1, 2, 3]);
    expect([...seen].sort()).toEqual([..."!,.:;?"]);
  });

  it("goes between characters where there are no spaces, and leaves one character as it is", () => {
    for (let i = 0; i < 50; i++) {
      expect(punctuated("北京大学", punctuationSettings({ least: 2, most: 2 }), random)).toMatch(
        /^北[.,!?;:]*京[.,!?;:]*大[.,!?;:]*学$/,
      );
      expect(punctuated("a b", punctuationSettings({ marks: "calm" }), random)).toMatch(
        /^a( [.,;:]){1,3} b$/,
      );
    }
    expect(punctuated("x", punctuationSettings(), random)).toBe("x");
  });

  it("refuses settings that make no view", () => {
    expect(() => punctuationSettings({ weight: -1 })).toThrow(/must be at least 0, not -1/);
    expect(() => punctuationSettings({ least: 3, most: 1 })).toThrow(/such as 1-3, not 3-1/);
  });
});

describe("a training with the view punctuation", () => {
  const rows = ["t101 t102 t103", "t104 t105", "t106 t107 t108", "t109 t110", "t111 t112 t113"].map(
    (text) => [text],
  );
  const start = (weight: number) => ({
    ...{ base: makeOracleModel("encoder.folded.onnx"), pairs: writeTable(rows, ["text"]), dropout: 0 },
    ...{ output: join(newFolder(), "model"), steps: 1, view: "punctuation" as const, device: "cpu" as const },
    punctuation: { weight },
  });
  const lossOf = async (weight: number) => {
    const options = start(weight);
    const { result } = await finetune(options);
    return result.loss as number;
  };

  it("adds λ times the loss of the punctuated phrases to that of the pairs", async () => {
    const [none, some, more] = [await lossOf(0), await lossOf(0.15), await lossOf(1)];
    const eda = more - none;
    expect(eda).toBeGreaterThan(0.01);
    expect(some).toBeCloseTo(none + 0.15 * eda, 4);
  });

  it("needs no column of positives, and refuses hard negatives", async () => {
    const pairs = writeTable(
      [
        ["a b", "a c", "a d"],
        ["e f", "e g", "e h"],
      ],
      ["text", "positive", "negative"],
    );
    await expect(finetune({ ...start(0.15), pairs })).rejects.toThrow(/leave out the column negative/);
  });
});
