import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { companiesIndex, endServers, type TestServer, testServer } from "./test-server.js";

afterAll(endServers);

let server: TestServer;
beforeAll(async () => {
  server = await testServer({ indexes: await companiesIndex(), limits: { items: 50 } });
});

describe("POST /match", () => {
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

  it("matches only rows of the index that meet a condition", async () => {
    const rows = { name: "SIEMENS A.G.", city: "München" };
    const { json } = await server.post("/match", { rows, where: "city != 'Munich'" });
    expect(json.results[0].matches).toEqual([]);
    expect(json.results[0].nearest.map(({ key }: { key: string }) => key)).not.toContain("3");
    const refused = await server.post("/match", { rows, where: "town = 'Ulm'" });
    expect(refused).toMatchObject({ status: 400, json: { error: { param: "where" } } });
    const beside = await server.post("/match", { rows, table: [{ name: "b" }], where: "city = 'Ulm'" });
    expect(beside).toMatchObject({ status: 400, json: { error: { param: "where" } } });
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
