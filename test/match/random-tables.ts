/** Tables of all sorts, and a check that matching them ends with numbers in range and a reason. */
import { expect } from "vitest";
import { ArgumentError } from "../../src/errors.js";
import { groupRows } from "../../src/group/group-rows.js";
import { matchTables, type TableMatches } from "../../src/join/match-tables.js";
import { createRandom, type Random } from "../../src/random.js";
import type { Table } from "./people.js";

const words = [
  "alpha",
  "Beta",
  "γάμμα",
  "x-17",
  "a@b.org",
  "",
  " ",
  "?",
  "N/A",
  "日本語",
  "o'neil",
  "Beta;alpha",
];
const pick = <Item>(items: readonly Item[], random: Random): Item =>
  items[Math.floor(random() * items.length)];

const cells: Record<string, (random: Random) => string> = {
  words: (random) => Array.from({ length: Math.floor(random() * 4) }, () => pick(words, random)).join(" "),
  numbers: (random) => (random() < 0.1 ? "" : (2000 * random() - 1000).toFixed(2)),
  codes: (random) => `k${Math.floor(random() * 40)}`,
  dates: (random) => `20${10 + Math.floor(random() * 9)}-0${1 + Math.floor(random() * 9)}-31`,
  emails: (random) => `${pick(words, random)}@example.org`,
  phones: (random) => `+49 (0)30 ${Math.floor(random() * 1e7)}`,
  nothing: () => "",
  oneValue: () => "same",
};

function randomTable(random: Random, rows: number): Table {
  const count = random() < 0.03 ? 300 : 1 + Math.floor(random() * 6);
  const columns = Array.from({ length: count }, (_, column): [string, string[]] => {
    const cell = cells[pick(Object.keys(cells), random)];
    return [`c${column}`, Array.from({ length: rows }, () => cell(random))];
  });
  if (random() < 0.1) for (const [, values] of columns) values.fill(values[0] ?? "", Math.floor(rows / 2));
  if (random() < 0.05 && rows > 0) columns[0][1][0] = "word ".repeat(200_000);
  return Object.fromEntries(columns);
}

/** Undefined where there is nothing to compare. */
async function unlessEmpty<Result>(run: Promise<Result>): Promise<Result | undefined> {
  try {
    return await run;
  } catch (error) {
    if (error instanceof ArgumentError && error.message.startsWith("no column can be compared"))
      return undefined;
    throw error;
  }
}

function expectMatches({ matches, ...report }: TableMatches, rows: readonly number[], round: string): void {
  for (const { left, right, probability } of matches)
    expect(left < rows[0] && right < rows[1] && probability >= 0 && probability <= 1, round).toBe(true);
  if (matches.length < 50) expect(report.promise.established, round).toBe(Math.min(...rows) === 0);
  expectReport(report, round);
}

type Report = Pick<TableMatches, "estimate" | "low" | "high" | "promise">;

function expectReport({ estimate, low, high, promise }: Report, round: string): void {
  for (const value of [estimate, low, high])
    expect(value >= 0 && value <= 1, `${round}: ${value}`).toBe(true);
  expect(promise.reason, round).not.toMatch(/^$|NaN|undefined/);
}

/** Matches and groups random tables, without a model. */
export async function matchRandomTables(rounds: number, seed: number): Promise<void> {
  const random = createRandom(seed);
  for (let number = 0; number < rounds; number++) {
    const round = `round ${number} of seed ${seed}`;
    const rows = [0, 1].map(() => pick([0, 1, 2, 7, 30, 90], random));
    const [a, b] = rows.map((count) => randomTable(random, count));
    for (const kind of [undefined, "many-to-many"] as const) {
      const found = await unlessEmpty(matchTables(a, b, { encoder: "none", kind }));
      if (found !== undefined) expectMatches(found, rows, round);
    }
    const grouped = await unlessEmpty(groupRows(a, { encoder: "none" }));
    if (grouped === undefined) continue;
    expect(grouped.groupOf.length, round).toBe(rows[0]);
    expectReport(grouped, round);
  }
}
