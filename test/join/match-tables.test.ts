import { describe, expect, it } from "vitest";
import { matchTables } from "../../src/join/match-tables.js";
import { type Table, twoTables } from "../match/people.js";

const common = 120;
const { left, right } = twoTables(common, 40);
const encoder = "none";

const mapped = (table: Table, change: (cells: string[]) => string[]): Table =>
  Object.fromEntries(Object.entries(table).map(([name, cells]) => [name, change(cells)]));

describe("two tables of persons", () => {
  it("without anything in common are refused", async () => {
    const strangers = twoTables(0, 100, 5);
    const found = await matchTables(strangers.left, strangers.right, { encoder });
    expect(found.promise.established).toBe(false);
    expect(found.promise.reason).not.toBe("");
  });

  it("without rows on one side are matched with nothing, for certain", async () => {
    const none = mapped(right, () => []);
    const found = await matchTables(left, none, { encoder, kind: "one-to-one" });
    expect(found).toMatchObject({ matches: [], kind: "one-to-one", promise: { established: true } });
    expect(found.atPrecision(0.7).promise.target).toBe(0.7);
    await expect(matchTables(left, none, { encoder, on: ["nam"] })).rejects.toThrow("no column nam");
  });

  it("of too few pairs to estimate from are established by answers to a random sample", async () => {
    const { left, right } = twoTables(40, 10, 3);
    const refused = await matchTables(left, right, { encoder: "none" });
    expect(refused.promise).toMatchObject({ established: false, reason: expect.stringContaining("too few") });
    const known = refused.doubtful(70).map((pair) => ({ ...pair, match: pair.left === pair.right }));
    const answered = await refused.withKnown(known);
    expect(answered.promise).toMatchObject({
      established: true,
      reason: expect.stringContaining("at random"),
    });
    expect(answered.matches.every(({ left, right }) => left === right)).toBe(true);
  });
});
