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

it("data of which no task can be scored is missing data, not wrong usage", async () => {
  const evaluation = evaluationOn(writeData({ "sts.csv": "text,score\na cat,1\n" }), 1);
  await expect(evaluation?.score("pearl-mini")).rejects.toThrow("no benchmark task has its data here");
});
