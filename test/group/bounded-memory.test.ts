/** Where candidate pairs have no room in memory, the rows of a table are grouped as where they have. */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { groupRows, type RowGroups } from "../../src/group/group-rows.js";
import { SpilledRuns } from "../../src/match/candidates/spilled-runs.js";
import { tableWithDuplicates } from "../match/people.js";

const folder = mkdtempSync(join(tmpdir(), "pearl-spill-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** All that is plain data, and what two functions give. */
const plain = (found: RowGroups): unknown =>
  JSON.parse(JSON.stringify({ ...found, doubtful: found.doubtful(20), explained: found.explain(0, 1) }));

it.each([
  [12, [8, 64]],
  [60, [16, 300, 1500]],
  [150, [100, 2000]],
])("%i persons, with room for %j pairs", async (persons, limits) => {
  const { table } = tableWithDuplicates(persons, persons);
  const known = [
    { left: 1, right: 2, match: true },
    { left: 0, right: 5, match: false },
  ];
  const whole = plain(await groupRows(table, { encoder: "none", known }));
  for (const most of limits) {
    const runs = new SpilledRuns(folder);
    let spilled = 0;
    const add = runs.add.bind(runs);
    runs.add = (run) => {
      spilled += run.length;
      add(run);
    };
    const found = await groupRows(table, { encoder: "none", known, spill: { most, runs } });
    expect(spilled).toBeGreaterThan(most);
    expect(plain(found)).toEqual(whole);
    expect(readdirSync(folder)).toEqual([]);
  }
});
