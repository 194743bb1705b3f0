import { describe, expect, it } from "vitest";
import type { ScoredPairs } from "../../../src/match/estimates/scored-pairs.js";
import { silentColumns, withoutColumns, withSilent } from "../../../src/match/estimates/silent-columns.js";
import { everyPair } from "../../../src/match/weights/pair-classes.js";
import { createRandom } from "../../../src/random.js";

const names = ["right", "random", "rare"];
const fields = names.map((name) => ({ name, other: `${name}_2` })) as never[];

/** 200 accepted pairs and 800 others: "right" agrees in the first alone, "random" in a third of all, "rare" in 1 of 8 of the first. */
function level(accepted: number): ScoredPairs {
  const random = createRandom(4);
  const pairs = Array.from({ length: 1000 }, (_, pair) => pair);
  const agreeing = (test: (pair: number) => boolean) => Int8Array.from(pairs, (pair) => (test(pair) ? 1 : 0));
  const levels = [
    agreeing((pair) => pair < accepted),
    agreeing(() => random() < 1 / 3),
    agreeing((pair) => pair < accepted && pair % 8 === 0),
  ];
  const drawn = [0, 1 / 3, 0].map((share) =>
    Int8Array.from({ length: 5000 }, () => (random() < share ? 1 : 0)),
  );
  const columns = names.map((name, field) => ({ name, field, from: -1, levels: 2, share: 1 }));
  return {
    table: {
      ...{ isOneTable: false, rows: [1000, 1000], columns, levels, random: drawn },
      classOf: everyPair(1000),
      left: Int32Array.from(pairs),
      right: Int32Array.from(pairs),
    },
    relation: "one-to-one",
    weights: {
      match: columns.map(() => Float64Array.of(-1, 3)),
      ...{ related: [], relatedShare: 0, prior: 0, matches: accepted },
    },
    logOdds: Float64Array.from(pairs, (pair) => (pair < accepted ? 8 : -8)),
    probability: new Float64Array(1000),
    accepted: everyPair(accepted),
  };
}

describe("silent columns", () => {
  it("agree in matches as often as in any two rows; one that seldom agrees, but in matches only, is not silent", () => {
    expect(silentColumns({ fields }, level(200)).map(({ name }) => name)).toEqual(["random"]);
  });

  it("are not looked for among few pairs", () => {
    expect(silentColumns({ fields }, level(40))).toEqual([]);
  });

  it("leave their table, and are named at every promise and with all answers", async () => {
    const silent = [{ name: "a", other: "b" }];
    const table = { a: ["1"], b: ["2"], c: ["3"] };
    expect(withoutColumns(table, silent, "name")).toEqual({ b: ["2"], c: ["3"] });
    expect(withoutColumns(table, silent, "other")).toEqual({ a: ["1"], c: ["3"] });
    interface Result {
      readonly dropped: readonly { name: string; reason: string }[];
      atPrecision(target: number): Result;
      withKnown(): Promise<Result>;
    }
    const dropped = [{ name: "id", reason: "row identifier" }];
    const result: Result = { dropped, atPrecision: () => result, withKnown: async () => result };
    const named = withSilent(result, silent, "name");
    expect(named.dropped.map(({ name }) => name)).toEqual(["id", "a"]);
    expect(named.atPrecision(0.8).dropped).toEqual(named.dropped);
    expect((await named.withKnown()).dropped).toEqual(named.dropped);
  });
});
