/** Graded pairs of texts. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runBenchmark } from "../../../src/benchmark/runner.js";
import { letterModel } from "../small-data.js";

const rows = [
  ["a a b", "a a b", "5", "dev"],
  ['"a" b', "c d", "0", "dev"],
  ["a b c d", "a b c e", "4", "test"],
  ["x y", "x z", "1", "test"],
  ["m n", "m o p q r", "3", "test"],
];

async function scores(name: string, content: string) {
  const dataFolder = mkdtempSync(join(tmpdir(), "pearl-sts-"));
  writeFileSync(join(dataFolder, name), content);
  const [report] = await runBenchmark({ tasks: ["sts"], models: [letterModel], dataFolder });
  return report.results.map(({ metric, score, n }) => ({ metric, score, n }));
}

describe("sts", () => {
  it("is Spearman's rho of the cosines, by split, from a table without a header", async () => {
    const found = await scores("sts.tsv", rows.map((row) => row.join("\t")).join("\n"));
    expect(found.map(({ metric, n }) => [metric, n])).toEqual([
      ["spearman", 5],
      ["spearman, dev", 2],
      ["spearman, test", 3],
    ]);
    // cosines by letters: 1, 0, .75, .5 and 1/√10; only the pairs graded 1 and 3 change places: 1 - 6·2 / (5·24)
    expect(found[0].score).toBeCloseTo(0.9, 9);
    expect(found[1].score).toBeCloseTo(1, 9);
    expect(found[2].score).toBeCloseTo(0.5, 9);
  });

  it("finds the column score wherever it is", async () => {
    const lines = rows.map(([a, b, score]) => `${score},${a.replaceAll('"', "")},${b}`);
    const found = await scores("sts.csv", ["Score,one,two", ...lines].join("\n"));
    expect(found).toEqual([{ metric: "spearman", score: expect.closeTo(0.9, 9), n: 5 }]);
  });

  it("finds the texts by their names, or as what a split of few words leaves", async () => {
    const same = { metric: "spearman", score: expect.closeTo(0.9, 9), n: 5 };
    const plain = rows.map(([a, b, ...rest]) => [a, b.replaceAll('"', ""), ...rest]);
    plain[1][0] = "a b";
    const genres = plain.map(([a, b, score, split]) => [split, "x", score, a, b].join(","));
    const named = await scores("sts.csv", ["split,year,score,sentence1,sentence2", ...genres].join("\n"));
    expect(named[0]).toEqual(same);
    expect(named).toHaveLength(3);
    const first = plain.map(([a, b, score, split]) => [split, a, b, score].join(","));
    expect((await scores("sts.csv", ["genre,s1,s2,score", ...first].join("\n")))[0]).toEqual(same);
    await expect(scores("sts.csv", ["genre,year,score,s1,s2", ...genres].join("\n"))).rejects.toThrow(
      "which of the columns genre, year, s1, s2 are the two texts? Call them sentence1 and sentence2.",
    );
  });

  it("leaves out a split of one pair", async () => {
    const found = await scores(
      "sts.tsv",
      [...rows, ["p q", "p r", "2", "one"]].map((row) => row.join("\t")).join("\n"),
    );
    expect(found.map(({ metric }) => metric)).toEqual(["spearman", "spearman, dev", "spearman, test"]);
  });

  it("names a score that is none, and a table without scores", async () => {
    await expect(scores("sts.csv", "a,b,score\nx,y,1\nx,z,high\n")).rejects.toThrow(
      /row 2: the score "high"/,
    );
    await expect(scores("sts.csv", "a,b\nx,y\nx,z\n")).rejects.toThrow(
      /two columns of texts and one of scores/,
    );
  });
});
