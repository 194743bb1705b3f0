import { it } from "vitest";
import { matchRandomTables } from "../match/random-tables.js";

it("matches and groups 200 random tables without a crash", { timeout: 1_800_000 }, () =>
  matchRandomTables(200, 21),
);
