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

  it("matches several rows at once, and none where nothing is the same", async () => {
    const rows = [
      { name: "SIEMENS A.G.", city: "München" },
      { name: "Bakery Miller" },
      { name: "", city: null },
    ];
    const { json } = await server.post("/match", { rows, index: "companies", k: 5 });
    const keys = json.results.map(({ matches }: { matches: { key: string }[] }) =>
      matches.map(({ key }) => key),
    );
    expect(keys).toEqual([["3"], [], []]);
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

  it("finds the column of phrases by its only column, or by `on`", async () => {
    const alone = await server.post("/match", { rows: { supplier: "Siemens" } });
    expect(alone.json.results[0].nearest[0].key).toBe("3");
    const rows = { supplier: "Siemens", place: "Munich" };
    const { json } = await server.post("/match", { rows, on: ["name=supplier", "city=place"] });
    expect(json.results[0].matches[0].key).toBe("3");
    const unnamed = await server.post("/match", { rows });
    expect(unnamed).toMatchObject({ status: 400 });
    expect(unnamed.json.error.message).toContain("The rows have no column name");
  });

  it("matches posted rows with a posted table", async () => {
    const table = [{ name: "Toyota Motor Corporation" }, { name: "IBM" }, { name: "Nestlé S.A." }];
    const { json } = await server.post("/match", {
      rows: [{ who: "Nestle SA" }, { who: "Toyota Motors" }],
      table,
    });
    const places = json.results.map(({ matches }: { matches: { place: number }[] }) => matches[0]?.place);
    expect(places).toEqual([2, 0]);
  });

  it.each([
    ["an unknown index", { rows: { name: "a" }, index: "firms" }, 404, "index"],
    [
      "an index and a table",
      { rows: { name: "a" }, index: "companies", table: [{ name: "b" }] },
      400,
      "index",
    ],
    ["no rows", { rows: [] }, 400, "rows"],
    ["nested cells", { rows: [{ name: { first: "a" } }] }, 400, "rows"],
    ["too many rows", { rows: Array.from({ length: 51 }, () => ({ name: "a" })) }, 413, "rows"],
    ["rows without text", { rows: [{ name: null }] }, 400, "on"],
    ["a precision above 1", { rows: { name: "a" }, precision: 2 }, 400, "precision"],
  ])("refuses %s", async (name, body, status, param) => {
    const answer = await server.post("/match", body);
    expect(answer).toMatchObject({ status, json: { error: { param } } });
    if (name === "an index and a table")
      expect(answer.json.error.message).toBe("give table or index, not both");
  });

  it("names the columns of the side that lacks one of `on`", async () => {
    const { json } = await server.post("/match", { rows: { name: "a" }, on: ["nam=name"] });
    const message = "there is no column nam. Columns: id, name, city";
    expect(json.error).toMatchObject({ param: "on", message });
  });

  it("says that a server without an index needs a table", async () => {
    const answer = await (await testServer()).post("/match", { rows: { name: "a" } });
    expect(answer).toMatchObject({ status: 400, json: { error: { param: "table" } } });
    expect(answer.json.error.message).toBe("This server has no index: post a table.");
  });
});
