import { expect, it } from "vitest";
import { profileColumn } from "../../src/match/columns/profile.js";
import { textAt } from "../../src/match/columns/texts.js";
import { type LearnedRows, readRows } from "../../src/match/rescore.js";

it("reads dates of a few rows in the order of day and month that the whole table shows", () => {
  const profile = profileColumn("born", ["13/04/1999", "2/3/2001", "4/5/1999"]);
  const fields = [{ name: "born", other: "born", kind: "date", profile }] as const;
  const learned = { fields, naming: -1, evidence: [] } as Partial<LearnedRows> as LearnedRows;
  const { fields: read } = readRows({ born: ["4/5/1999"] }, learned).tables;
  expect(textAt(read[0].set.texts, 0)).toBe("19990504");
});
