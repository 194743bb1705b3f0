/** The route that searches an index. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { companiesIndex, endServers, type TestServer, testServer } from "./test-server.js";

afterAll(endServers);

let server: TestServer;
beforeAll(async () => {
  server = await testServer({ indexes: await companiesIndex() });
});

describe("POST /search", () => {
  it("finds rows of an index, among those that meet a condition", async () => {
    const asked = { phrases: ["toyota motors", "general motors"], k: 2 };
    const { status, json } = await server.post("/search", asked);
    expect(status).toBe(200);
    expect(json.results[0]).toMatchObject({
      phrase: "toyota motors",
      hits: [{ key: "1", cells: { name: "Toyota Motor Corporation", city: "Toyota" } }, {}],
    });
    const filtered = await server.post("/search", { ...asked, where: "city = 'Toyota'" });
    for (const { hits } of filtered.json.results)
      expect(hits.map(({ key }: { key: string }) => key)).toEqual(["1"]);
    const byWords = await server.post("/search", { phrases: ["xyz"], ranking: "words" });
    expect(byWords.json.results).toEqual([{ phrase: "xyz", hits: [] }]);
  });

  it("refuses conditions that cannot be read, and answers that are too large", async () => {
    const refused = await server.post("/search", { phrases: ["a"], where: "town = 'Ulm'" });
    expect(refused.status).toBe(400);
    expect(refused.json.error.message).toMatch(
      /^where, character 1 .* no column town. It has id, name, city/,
    );
    expect((await server.post("/search", { phrases: ["a"], where: "" })).status).toBe(400);
    const many = { phrases: Array.from({ length: 2000 }, () => "a"), k: 200 };
    expect((await server.post("/search", many)).status).toBe(413);
  });
});
