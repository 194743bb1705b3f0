import { describe, expect, it } from "vitest";
import { ArgumentError } from "../../src/errors.js";
import { groupRows } from "../../src/group/group-rows.js";
import { matchTables } from "../../src/join/match-tables.js";
import { createRandom, type Random } from "../../src/random.js";

const encoder = "none";
const words = [
  "alpha",
  "Beta",
  "γάμμα",
  "x-17",
  "3.50",
  "$4",
  "2001-02-03",
  "a@b.org",
  "",
  " ",
  "?",
  "N/A",
  "日本語",
  "o'neil",
];

function randomTable(random: Random, rows: number): Record<string, string[]> {
  const columns = 1 + Math.floor(random() * 6);
  const cell = (): string =>
    Array.from({ length: Math.floor(random() * 4) }, () => words[Math.floor(random() * words.length)]).join(
      " ",
    );
  return Object.fromEntries(
    Array.from({ length: columns }, (_, column) => [`c${column}`, Array.from({ length: rows }, cell)]),
  );
}

/** Runs a match that may find nothing to compare, and returns its numbers. */
async function numbersOf(
  run: () => Promise<{ estimate: number; low: number; high: number }>,
): Promise<number[]> {
  try {
    const { estimate, low, high } = await run();
    return [estimate, low, high];
  } catch (error) {
    if (error instanceof ArgumentError && error.message.startsWith("no column can be compared")) return [];
    throw error;
  }
}

describe("any tables", () => {
  it("match and group without a crash, and every number is a share", async () => {
    const random = createRandom(11);
    for (let round = 0; round < 12; round++) {
      const [a, b] = [0, 1].map(() => randomTable(random, [0, 1, 2, 7, 60][Math.floor(random() * 5)]));
      const found = [
        ...(await numbersOf(() => matchTables(a, b, { encoder }))),
        ...(await numbersOf(() => matchTables(a, b, { encoder, kind: "many-to-many" }))),
        ...(await numbersOf(() => groupRows(a, { encoder }))),
      ];
      for (const value of found) expect(value >= 0 && value <= 1, `round ${round}: ${value}`).toBe(true);
    }
  });

  it("with equal rows only, or one huge cell, or 300 columns", async () => {
    const equal = { name: new Array(80).fill("Acme Ltd"), city: new Array(80).fill("Bern") };
    expect((await numbersOf(() => groupRows(equal, { encoder }))).every(Number.isFinite)).toBe(true);
    const huge = { name: ["a b c", `${"word ".repeat(200_000)}`, "d e f"], note: ["1", "2", "2"] };
    expect((await numbersOf(() => groupRows(huge, { encoder }))).every(Number.isFinite)).toBe(true);
    const wide = Object.fromEntries(
      Array.from({ length: 300 }, (_, column) => [
        `c${column}`,
        Array.from({ length: 30 }, (__, row) => `v${(row * column) % 7}`),
      ]),
    );
    expect((await numbersOf(() => matchTables(wide, wide, { encoder }))).every(Number.isFinite)).toBe(true);
  });
});
