import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { checkFolder, needOfPhrases, needOfRows, planMemory } from "../../../src/match/memory/memory-plan.js";

const folder = mkdtempSync(join(tmpdir(), "pearl-plan-"));
afterAll(() => rmSync(folder, { recursive: true }));
const size = { rows: [1_000_000], columns: 5, names: 900_000, dimension: 600 };
const least = needOfRows(size).least;
const gigabytes = (count: number): number => count * 2 ** 30;

describe("a plan of memory", () => {
  it("grows with the rows: ten times the rows need less than ten times the memory", () => {
    const ten = needOfRows({ ...size, rows: [10_000_000] }).least;
    expect(ten).toBeGreaterThan(5 * least);
    expect(ten).toBeLessThan(10 * least);
  });

  it("has room for a million rows of five columns in 2 GB", () => {
    expect(needOfRows(size).least).toBeLessThan(2e9);
  });

  it("counts embeddings where names are few enough to be embedded", () => {
    const few = needOfRows({ ...size, names: 300_000 }).least;
    expect(few - least).toBeGreaterThanOrEqual(300_000 * 600 * 4);
    expect(needOfRows({ ...size, names: 300_000, dimension: 0 }).least).toBeLessThan(least);
  });

  it("counts the rows of two tables, which have fewer candidates each than those of one", () => {
    const [one, two] = [[20_000], [10_000, 10_000]].map((rows) => needOfRows({ ...size, rows }));
    expect(two.what).toBe(one.what);
    expect(two.pairs).toBeLessThan(one.pairs!);
  });

  it("of a merge counts the pairs of a part, fewer of more parts", () => {
    const [two, many] = [2, 64].map((parts) => needOfRows({ ...size, parts }).least);
    expect(two).toBeGreaterThan(many);
    expect(many).toBe(least);
  });

  it("of one column grows with its phrases and their embeddings", () => {
    const least = (rows: number[], phrases: number, dimension: number): number =>
      needOfPhrases({ rows, phrases, dimension }).least;
    expect(least([9], 100_000, 600) - least([9], 50_000, 600)).toBeGreaterThan(50_000 * 600 * 4);
    expect(least([9], 100_000, 600)).toBeGreaterThan(least([9], 100_000, 56));
    expect(needOfPhrases({ rows: [9, 9], phrases: 18, dimension: 0 }).perThread).toBeGreaterThan(50e6);
  });

  it("refuses less than the least, and takes what it asked for instead", async () => {
    const small = planMemory({ bytes: least - 2 ** 20, folder }, needOfRows(size));
    const message = await small.then(() => "", String);
    expect(message).toMatch(/1,000,000 rows of 5 columns need at least \d+ MB of memory/);
    const asked = /--memory (\d+)m$/.exec(message)?.[1];
    const { spill } = await planMemory({ bytes: Number(asked) * 2 ** 20, folder }, needOfRows(size), 4);
    expect(spill.most).toBe(2 ** 17);
  });

  it("has more threads and more pairs in memory with more memory, up to those asked for", async () => {
    const plans = [];
    for (const count of [0, 1, 2, 4, 8])
      plans.push(await planMemory({ bytes: least + gigabytes(count), folder }, needOfRows(size), 4));
    const used = plans.map(({ threads }) => threads);
    expect(used).toEqual(used.toSorted((a, b) => a - b));
    expect([used[0] < 4, used.at(-1)]).toEqual([true, 4]);
    expect(plans.at(-1)!.spill.most).toBeGreaterThan(plans[0].spill.most);
  });

  it("says how much disk it needs, or none", async () => {
    const tight = await planMemory({ bytes: least, folder }, needOfRows(size));
    expect(tight.note).toMatch(/up to \d+ MB of temporary pairs in /);
    const roomy = await planMemory({ bytes: least + gigabytes(8), folder }, needOfRows(size));
    expect(roomy.note).toMatch(/no temporary pairs/);
  });

  it("refuses a disk that has less", async () => {
    const huge = { ...size, rows: [1e12] };
    await expect(planMemory({ bytes: needOfRows(huge).least, folder }, needOfRows(huge))).rejects.toThrow(
      /MB are free/,
    );
  });

  it("refuses a folder that is missing", async () => {
    await checkFolder(folder);
    await expect(checkFolder(join(folder, "none"))).rejects.toThrow(/none: no such folder/);
  });
});
