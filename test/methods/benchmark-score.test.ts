/** Scores while a model trains. */
import { expect, it } from "vitest";
import { evaluationOn } from "../../src/methods/benchmark-score.js";
import { writeData } from "../benchmark/small-data.js";

it("the scoring of a training ends when the training is stopped", async () => {
  const ppdb = [
    ["a cat", "the cat", "pos"],
    ["a cat", "a dog", "neg"],
  ];
  const evaluation = evaluationOn(writeData({ "ppdb/ppdb.json": JSON.stringify(ppdb) }), 1);
  const signal = AbortSignal.abort();
  await expect(evaluation?.score("pearl-mini", signal)).rejects.toBe(signal.reason);
});
