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
  queue: { shardsEach: number; calm: number; stragglers: number; kills: { hours: number } }[];
}
const load = (name: string) => import(new URL(`../../benchmarks/scale/${name}.mjs`, import.meta.url).href);
const { conclude } = (await load("conclude")) as { conclude: (measured: object) => ScaleRecord };
const { pageWith } = (await load("page")) as { pageWith: (page: string, record: ScaleRecord) => string };
const { predict } = (await load("model")) as {
  predict: (
    constants: object,
    task: object,
  ) => Record<"whole" | "learn" | "shard" | "merge", { seconds: number }>;
};
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
      indexStart: 1,
      indexedCell: 2e-5,
      compareStart: 0,
      decided: 1e-6,
      united: 2e-6,
    },
    ...{ rows: 1e4, found: 1e-6, compared: 1e-5, rowsOfMany: 1e6, foundOfMany: 4e-6, comparedOfMany: 9e-5 },
    ...{ pairsPerRow: 30, pairsOfMany: 20, foundTwice: 10, megabytes: 100, bytesOfCell: 100 },
  };

  it("gives what a join in two shards takes by hand", () => {
    const task = { kind: "join", rows: [6000, 4000], columns: 10, shards: 2 };
    const { whole, learn, shard, merge } = predict({ process: 1, join }, task);
    // 100,000 cells: 1 + 2 + 1 s are read, 1 + 2 s indexed. 10,000 rows find 300,000 pairs in 0.3 s. Of these 200,000 differ, and
    // with 40,000 random ones are compared in 2.4 s and decided in 0.2 s.
    expect(learn.seconds).toBeCloseTo(4, 9);
    expect(whole.seconds).toBeCloseTo(4 + 3 + 0.3 + 2.4 + 0.2, 9);
    // A shard has 5,000 rows of 25 different pairs.
    expect(shard.seconds).toBeCloseTo(4 + 3 + 0.15 + 1.25, 9);
    expect(merge.seconds).toBeCloseTo(4 + 0.5 + 0.4 + 0.2, 9);
  });

  it("counts more for a pair of larger tables, and fewer pairs of each row above 400,000 rows, as pearl does", () => {
    // 100,000 rows lie half way: a pair is found in 2e-6 s and compared in 3e-5 s.
    const middle = predict({ process: 1, join }, { kind: "join", rows: [60_000, 40_000], columns: 1 }).whole;
    expect(middle.seconds).toBeCloseTo(4 + 3 + 6 + 60 + 1.2 + 2, 9);
    const large = predict({ process: 1, join }, { kind: "join", rows: [2e6], columns: 1 }).whole;
    expect(large.seconds).toBeCloseTo(23 + 41 + 160 + 1800 + 3.6 + 20, 9);
  });
});
