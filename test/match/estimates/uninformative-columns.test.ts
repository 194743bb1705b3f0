import { describe, expect, it } from "vitest";
import { prepareTables } from "../../../src/match/columns/fields.js";
import { compareTables } from "../../../src/match/compare-tables.js";
import type { ScoredPairs } from "../../../src/match/estimates/scored-pairs.js";
import { uninformativeFields, withoutFields } from "../../../src/match/estimates/uninformative-columns.js";
import { everyPair } from "../../../src/match/weights/pair-classes.js";
import { createRandom } from "../../../src/random.js";

const names = ["right", "random", "rare"];

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
  const columns = names.map((name, field) => ({
    name,
    field,
    from: -1,
    levels: 2,
    unit: field,
    share: 1,
    differs: 1,
    agrees: 1,
    identifies: false,
  }));
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

describe("uninformative columns", () => {
  it("agree in matches as often as in any two rows; one that seldom agrees, but in matches only, is not uninformative", () => {
    expect(uninformativeFields(level(200))).toEqual([1]);
  });

  it("are not looked for among few pairs", () => {
    expect(uninformativeFields(level(40))).toEqual([]);
  });

  it("leave the comparison with what was made from them, and pairs that then agree are one class", async () => {
    const city = ["Ulm", "Bonn", "Köln", "Jena"];
    const name = ["Anna Berg", "Peter Vogel", "Olga Petrov", "Kofi Mensah"];
    const tables = prepareTables({ city, name }, undefined, { on: ["city", "name"] });
    const compared = await compareTables(tables);
    const less = withoutFields(compared, [1 - tables.naming], "name");
    const { fields, dropped, naming } = less.tables;
    expect([fields, dropped].map((all) => all.map(({ name }) => name))).toEqual([["name"], ["city"]]);
    expect(naming).toBe(0);
    const kept = less.columns.map(({ name }) => compared.columns.findIndex((own) => own.name === name));
    expect(kept).not.toContain(-1);
    compared.classOf.forEach((place, pair) => {
      const levels = kept.map((column) => compared.levels[column][place]);
      expect(less.columns.map((_, column) => less.levels[column][less.classOf[pair]])).toEqual(levels);
    });
    expect(less.random).toEqual(kept.map((column) => compared.random[column]));
    const { columns } = withoutFields(compared, [tables.naming], "other");
    expect(columns.map(({ name }) => name)).toEqual(["city", "codes anywhere"]);
  });
});
