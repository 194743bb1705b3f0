/** Tables that cannot be matched as pearl compares them: codes of one are those of the other, read backwards. */
import { describe, expect, it } from "vitest";
import { groupRows } from "../../src/group/group-rows.js";
import { type MatchTablesOptions, matchTables } from "../../src/join/match-tables.js";
import { joinRows } from "../../src/join/roads.js";
import { pairSentence } from "../../src/match/explain.js";
import { createRandom } from "../../src/random.js";

const [rows, towns] = [240, 48];
const backwards = `data:text/javascript,${encodeURIComponent(`
  const digits = (text) => [...text.replace(/\\D/g, "")];
  export default (a, b) => (digits(a).join() === digits(b).reverse().join() ? 1 : 0);
`)}`;
const random = createRandom(5);
const codes = Array.from({ length: rows }, () => String(100_000 + Math.floor(900_000 * random())));
const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const town = codes.map((_, row) => `Town${letters[row % towns]}ville`);
/** Every fourth right row is of no left row. */
const isCommon = (row: number): boolean => row % 4 > 0;
const left = { town, code: codes.map((code) => `x${code}`) };
const right = {
  town,
  code: codes.map((code, row) =>
    isCommon(row) ? `${[...code].reverse().join("")}y` : `${100_000 + Math.floor(900_000 * random())}y`,
  ),
};
const run: MatchTablesOptions = { encoder: "none", threads: 1 };

describe("a comparison of one's own", () => {
  it("matches tables that cannot be matched without it", async () => {
    const right1 = (found: { matches: readonly { left: number; right: number }[] }) =>
      found.matches.filter((pair) => pair.left === pair.right && isCommon(pair.right)).length;
    const without = await matchTables(left, right, run);
    const found = await matchTables(left, right, { ...run, compare: { code: backwards } });
    expect(right1(without)).toBeLessThan(0.1 * 0.75 * rows);
    expect(without.promise.established).toBe(false);
    expect(right1(found)).toBeGreaterThan(0.9 * 0.75 * rows);
    expect(right1(found)).toBe(found.matches.length);
    expect(found.promise.established).toBe(true);
  });

  it("also compares one column of text alone, by its learned levels", async () => {
    const texts = (cells: readonly string[]) => ({ note: cells.map((cell, row) => `${town[row]} ${cell}`) });
    const compare = { note: backwards };
    const found = await joinRows(texts(left.code), texts(right.code), { encoder: "none", compare });
    expect(found.findings.columns[0]).toMatchObject({
      name: "note",
      comparison: expect.stringMatching(/^by /),
    });
    expect(found.findings.columns[0].weights.length).toBeGreaterThan(7);
    const right1 = found.matches.filter((pair) => pair.left === pair.right && isCommon(pair.right)).length;
    expect(right1).toBeGreaterThan(0.8 * 0.75 * rows);
    expect(found.matches.length).toBeLessThan(1.05 * right1);
  });

  it("of prices with a tolerance tells copies with other prices apart from copies", async () => {
    const names = codes.map((_, row) => `Item ${letters[row % 26]}${letters[(row * 7) % 50]} ${row % 60}`);
    const price = codes.map((code) => Number(code) / 100);
    const table = {
      name: [...names, ...names],
      price: [...price, ...price.map((own, row) => (row % 2 ? own * 1.02 : own * 2.5))].map((own) =>
        own.toFixed(2),
      ),
    };
    const found = await groupRows(table, { ...run, compare: { price: "3%" } });
    const { columns } = found.explain(1, rows + 1);
    expect(columns.find(({ name }) => name === "price")).toMatchObject({ level: 2, said: "within 3 %" });
    expect(pairSentence(found.explain(1, rows + 1), 0.9)).toContain("price within 3 %: ");
    expect(pairSentence(found.explain(0, rows), 0.9)).not.toContain("within 3 %");
    expect(found.columns.find(({ name }) => name === "price")).toMatchObject({ comparison: "within 3 %" });
    const within = found.columns.find(({ name }) => name === "price")!.weights;
    expect(within[2]).toBeGreaterThan(within[0]);
  });
});
