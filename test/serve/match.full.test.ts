/** The slow tests beside match.test.ts. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { companiesIndex, endServers, type TestServer, testServer } from "./test-server.js";

afterAll(endServers);

let server: TestServer;
beforeAll(async () => {
  server = await testServer({ indexes: await companiesIndex(), limits: { items: 50 } });
});

describe("POST /match", () => {
  it("finds the row of an index by all columns, with probability and reasons", async () => {
    const { status, json } = await server.post("/match", { rows: { name: "toyota motors", city: "Toyota" } });
    expect(status).toBe(200);
    const [{ matches, nearest }] = json.results;
    expect(matches).toMatchObject([{ key: "1", cells: { name: "Toyota Motor Corporation" } }]);
    expect(matches[0].probability).toBeGreaterThan(0.9);
    expect(matches[0].why).toMatch(/city equal .*name: "Toyota Motor Corporation" ≈ "toyota motors"/);
    expect(matches[0].evidence).toContainEqual(
      expect.objectContaining({ column: "city", row: "Toyota", match: "Toyota" }),
    );
    expect(nearest[0]).toMatchObject({ key: "1" });
    expect(json.promise).toMatchObject({ target: 0.9, established: false });
  });

  it.each([
    ["by name", 0.06, ({ name }: { name: string }) => ({ name })],
    ["by name and city", 0.03, (row: { name: string }) => row],
  ])(
    "finds for each row alone what it finds for all rows together, %s, as likely within %d",
    async (_, tolerance, shown) => {
      const lines = readFileSync("data/suppliers.csv", "utf8").trim().split("\n").slice(1);
      const suppliers = lines
        .map((line) => line.split(","))
        .map(([name, city]) => shown({ name, city } as { name: string }));
      const rows = [
        ...suppliers,
        shown({ name: "Procter and Gamble", city: "Cincinnati" } as { name: string }),
      ];
      type Results = { matches: { key: string; probability: number }[] }[];
      const matched = async (some: object[]): Promise<Results> =>
        (await server.post("/match", { rows: some })).json.results;
      const together = await matched(rows);
      const found = [...rows.keys()].filter((place) => together[place].matches.length > 0);
      expect(found.length).toBeGreaterThan(12);
      for (const place of found.filter((_, at) => at % 2 === 0)) {
        const [{ matches }] = await matched([rows[place]]);
        const [expected] = together[place].matches;
        expect([rows[place].name, matches[0]?.key]).toEqual([rows[place].name, expected.key]);
        expect(Math.abs(matches[0].probability - expected.probability)).toBeLessThan(tolerance);
      }
    },
  );
});
