/** docs/scale.md says what benchmarks/results/scale.json holds, and that follows from what was measured. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

interface Check {
  kind: string;
  ratio: number;
}
interface Scaled {
  kind: string;
  rows: number[];
  byWorkers: { workers: number; steps: Record<string, number> }[];
}
interface ScaleRecord {
  checked: Check[];
  scaled: Scaled[];
}
const load = (name: string) => import(new URL(`../../benchmarks/scale/${name}.mjs`, import.meta.url).href);
const { conclude } = (await load("conclude")) as { conclude: (measured: object) => ScaleRecord };
const { pageWith } = (await load("page")) as { pageWith: (page: string, record: ScaleRecord) => string };
interface Step {
  seconds: number;
}
interface Prediction extends Record<"learn" | "shard" | "merge", Step> {
  stages: Step[];
  megabytes: number;
  shardMegabytes: number;
}
const { predict } = (await load("model")) as { predict: (constants: object, task: object) => Prediction };
/** As JSON: the last bits of a power depend on the processor. */
const rounded = (record: ScaleRecord): unknown =>
  JSON.parse(JSON.stringify(record), (_, value) =>
    typeof value === "number" ? Number(value.toPrecision(9)) : value,
  );
const recorded: ScaleRecord = JSON.parse(readFileSync("benchmarks/results/scale.json", "utf8"));

describe("the page of large tables", () => {
  it("is up to date: if not, run npm run build && node benchmarks/scale.mjs --recorded", () => {
    const page = readFileSync("docs/scale.md", "utf8");
    expect(pageWith(page, recorded)).toBe(page);
  });

  it("rests on what was measured", () => {
    expect(rounded(conclude(recorded))).toEqual(rounded(recorded));
  });

  it("predicts four other runs, one of them in shards, within 20 %", () => {
    expect(recorded.checked.map(({ kind }) => kind)).toEqual(["encode", "join", "dedupe", "join sharded"]);
    for (const { kind, ratio } of recorded.checked) {
      expect(ratio, kind).toBeGreaterThan(0.8);
      expect(ratio, kind).toBeLessThan(1.2);
    }
  });
});

describe("the cost model", () => {
  const join = {
    ...{
      start: 2,
      cell: 1e-5,
      findStart: 1,
      keptRow: 2e-5,
      shardStart: 0.25,
      checkedRow: 1e-5,
      picked: 2e-6,
    },
    ...{ compareStart: 0.5, mergeStart: 0.75, decided: 1e-6, united: 2e-6 },
    ...{ rows: 1e4, found: 1e-6, compared: 1e-5, rowsOfMany: 1e6, foundOfMany: 4e-6, comparedOfMany: 9e-5 },
    ...{ pairsPerRow: 30, pairsOfMany: 20 },
    ...{ megabytes: 100, bytesOfCell: 100, shardMegabytes: 50, bytesOfPicked: 60 },
  };
  const secondsOf = (steps: readonly Step[]): number[] =>
    steps.map(({ seconds }) => Number(seconds.toFixed(9)));

  it("gives what a join in two shards takes by hand", () => {
    const task = { kind: "join", rows: [6000, 4000], columns: 10, shards: 2 };
    const { stages, learn, shard, merge, megabytes, shardMegabytes } = predict({ process: 1, join }, task);
    // 100,000 cells are read in 1 + 2 + 1 s, 300,000 pairs found in 1 + 0.3 s, compared in 0.5 + 3 s, and with 40,000 random ones,
    // which are compared in 0.4 s, decided in 0.3 s.
    expect(secondsOf(stages)).toEqual([5.3, 3.5, 0.7]);
    // 10,000 rows are kept in 0.2 s.
    expect(learn.seconds).toBeCloseTo(5.3 + 0.2, 9);
    // 10,000 rows are checked in 1 + 0.25 + 0.1 s, 150,000 pairs read in 0.3 s and compared in 0.5 + 1.5 s.
    expect(shard.seconds).toBeCloseTo(1.35 + 0.3 + 2, 9);
    expect(merge.seconds).toBeCloseTo(1 + 0.75 + 0.6 + 0.7, 9);
    expect(megabytes).toBeCloseTo(110, 9);
    // A half of the larger table and the whole smaller one, which the pairs need: 70,000 cells. A pair takes 12 bytes, and looking
    // up 5 bytes for each of all rows.
    expect(shardMegabytes).toBeCloseTo(50 + 4.2 + 1.8 + 0.05, 9);
  });

  it("gives many shards less memory each than few", () => {
    const ofShards = [1, 4, 16, 64].map(
      (shards) => predict({ process: 1, join }, { kind: "join", rows: [6000, 4000], shards }).shardMegabytes,
    );
    expect(ofShards).toEqual(ofShards.toSorted((a, b) => b - a));
  });

  it("counts more for a pair of larger tables, and fewer pairs of each row above 400,000 rows, as pearl does", () => {
    // 100,000 rows lie half way: a pair is found in 2e-6 s and compared in 3e-5 s.
    const middle = predict({ process: 1, join }, { kind: "join", rows: [60_000, 40_000], columns: 1 });
    expect(secondsOf(middle.stages)).toEqual([4 + 7, 90.5, 1.2 + 3]);
    const large = predict({ process: 1, join }, { kind: "join", rows: [2e6], columns: 1 });
    expect(secondsOf(large.stages)).toEqual([23 + 161, 3600.5, 3.6 + 40]);
  });
});
