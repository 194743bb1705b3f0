import { describe, expect, it } from "vitest";
import { groupRows } from "../../src/group/group-rows.js";
import { matchTables } from "../../src/join/match-tables.js";
import { matchRandomTables } from "../match/random-tables.js";

const encoder = "none";
const timeout = 300_000;

describe("any tables", () => {
  it("match and group without a crash, and every number is a share", { timeout }, () =>
    matchRandomTables(12, 11),
  );

  it("with equal rows only, or one huge cell, or 300 columns", { timeout }, async () => {
    const equal = { name: new Array(80).fill("Acme Ltd"), city: new Array(80).fill("Bern") };
    const huge = { name: ["a b c", `${"word ".repeat(200_000)}`, "d e f"], note: ["1", "2", "2"] };
    const wide = Object.fromEntries(
      Array.from({ length: 300 }, (_, column) => [
        `c${column}`,
        Array.from({ length: 30 }, (__, row) => `v${(row * column) % 7}`),
      ]),
    );
    await expect(groupRows(equal, { encoder })).rejects.toThrow("no column can be compared");
    expect((await groupRows(huge, { encoder })).estimate).toBeGreaterThanOrEqual(0);
    expect((await matchTables(wide, wide, { encoder })).estimate).toBeGreaterThanOrEqual(0);
  });
});
