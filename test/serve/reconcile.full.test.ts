/** The Reconciliation Service API: what is answered fits the published schemas, and their examples are read or refused. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { afterAll, beforeAll, describe, expect, it, type TestContext } from "vitest";
import { indexTable } from "../../src/search/phrase-index.js";
import { VectorIndex } from "../../src/search/vector-index.js";
import { suggestRows } from "../../src/serve/reconcile/candidates.js";
import { serveIndex } from "../../src/serve/service.js";
import { newFolder } from "../setup/new-folder.js";
import { companiesIndex, endServers, miniEncoder, type TestServer, testServer } from "./test-server.js";

afterAll(endServers);

const published = join(import.meta.dirname, "../../../shared/reconciliation");
type Version = "0.2" | "1.0-draft";

let server: TestServer;
beforeAll(async () => {
  server = await testServer({ indexes: await companiesIndex() });
});

const get = async (path: string, query: Record<string, string> = {}) => {
  const reply = await server.app.inject({
    url: `/reconcile/companies${path}`,
    query,
    headers: { host: "example.org" },
  });
  return { status: reply.statusCode, json: reply.json() };
};
const form = async (fields: Record<string, string>) => {
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const payload = new URLSearchParams(fields).toString();
  const reply = await server.app.inject({ method: "POST", url: "/reconcile", payload, headers });
  return { status: reply.statusCode, json: reply.json() };
};

const json = (path: string) => JSON.parse(readFileSync(join(published, path), "utf8"));

/** Whether an answer fits a published schema; "" if it does. Skips where the schemas are not on this machine. */
function errorsOf({ skip }: TestContext, version: Version, name: string, answer: unknown): string {
  if (!existsSync(published))
    skip("the published schemas (../shared/reconciliation) are not on this machine");
  const ajv = new Ajv({ strict: false, formats: { uri: true } });
  const { $schema: _, ...schema } = json(`${version}/schemas/${name}.json`);
  const security = { definitions: { securityDefinitions: { additionalProperties: true } } };
  ajv.addSchema({ $id: "http://swagger.io/v2/schema.json", ...security });
  for (const part of ["type", "lang", "dir"])
    if (existsSync(join(published, version, `schemas/${part}.json`)))
      ajv.addSchema(json(`${version}/schemas/${part}.json`));
  return ajv.validate(schema, answer) ? "" : ajv.errorsText();
}

const queries = {
  q0: { query: "toyota motors", limit: 3, properties: [{ pid: "city", v: "Toyota" }] },
  q1: { query: "Siemens AG", properties: [{ pid: "city", v: "Munich" }] },
  q2: { query: "" },
};
const draftQueries = [
  {
    limit: 3,
    conditions: [
      { matchType: "name", propertyValue: "toyota motors" },
      { matchType: "property", propertyId: "city", propertyValue: ["Toyota"] },
    ],
  },
  { conditions: [{ matchType: "id", propertyValue: "3" }] },
  { conditions: [{ matchType: "id", propertyValue: { id: "2", name: "an earlier name" } }] },
  { conditions: [{ matchType: "property", propertyId: "city", propertyValue: "Munich" }] },
];

describe("a condition behind the address", () => {
  const where = "city = 'Munich' or id = '2'";
  const keysOf = (result: { id: string }[]): string[] => result.map(({ id }) => id);

  it("holds for all candidates: by name, by key and by equal cells, in both versions", async () => {
    const asked = {
      named: { query: "toyota motors" },
      munich: { query: "", properties: [{ pid: "city", v: "Munich" }] },
      toyota: { properties: [{ pid: "city", v: "Toyota" }] },
      there: { properties: [{ pid: "city", v: "Munich" }] },
    };
    const free = await get("", { queries: JSON.stringify(asked) });
    expect(keysOf(free.json.named.result)).toContain("1");
    expect(keysOf(free.json.toyota.result)).toEqual(["1"]);
    const { json } = await get("", { queries: JSON.stringify(asked), where });
    expect(keysOf(json.named.result).toSorted()).toEqual(["2", "3", "7"]);
    expect(keysOf(json.toyota.result)).toEqual([]);
    expect(keysOf(json.there.result)).toEqual(["3", "7"]);
    const draft = await server.app.inject({
      ...{ method: "POST", url: "/reconcile/v1/match", query: { where } },
      payload: { queries: draftQueries },
    });
    const { results } = draft.json();
    expect(
      results.map(({ candidates }: { candidates: { id: string }[] }) => keysOf(candidates).toSorted()),
    ).toEqual([["2", "3", "7"], ["3"], ["2"], ["3", "7"]]);
  });

  it("holds for suggested rows, whose address the manifest gives with it", async () => {
    const { suggest } = (await get("", { where })).json;
    const { service_url: url, service_path: path } = suggest.entity;
    const suggested = async (address: string) =>
      keysOf((await server.app.inject({ url: address, headers: { host: "example.org" } })).json().result);
    expect(await suggested(`${url}${path}&prefix=`)).toEqual(["2", "3", "7"]);
    expect(await suggested("/reconcile/v1/suggest/entity?prefix=toyota")).toEqual(["1"]);
    expect(await suggested("/reconcile/v1/suggest/entity?prefix=toyota&where=city = 'Munich'")).toEqual([]);
    const refused = await get("/suggest/entity", { where: "city = " });
    expect(refused).toMatchObject({ status: 400, json: { error: { param: "where" } } });
  });

  it("is refused with its place where it cannot be read, also by the manifests", async () => {
    for (const path of ["", "/v1"])
      expect(await get(path, { where: "town = 'Ulm'" })).toMatchObject({
        status: 400,
        json: {
          error: {
            message: expect.stringMatching(/^where, character 1 .* has no column town/),
            param: "where",
          },
        },
      });
    const asked = { queries: JSON.stringify({ q: { query: "a" } }), where: "city = " };
    expect((await get("", asked)).status).toBe(400);
    expect((await get("", { where })).json.versions).toEqual(["0.2", "1.0-draft"]);
  });
});

describe("version 0.2", () => {
  it("has a manifest that fits the schema, with addresses of the host that was asked", async (context) => {
    const { json } = await get("");
    expect(json.preview.url).toBe("http://example.org/reconcile/companies/preview?id={{id}}");
    expect(errorsOf(context, "0.2", "manifest", json)).toBe("");
  });

  it("answers a batch of queries in a form as in a query string", async (context) => {
    const posted = await form({ queries: JSON.stringify(queries) });
    expect(posted.json).toEqual((await get("", { queries: JSON.stringify(queries) })).json);
    const { q0, q1, q2 } = posted.json;
    expect(q0.result).toHaveLength(3);
    expect(q0.result[0]).toMatchObject({
      id: "1",
      name: "Toyota Motor Corporation",
      description: "city: Toyota",
    });
    expect(q0.result[0].score).toBeGreaterThan(90);
    expect(q0.result[0].features.map(({ id }: { id: string }) => id)).toEqual(
      expect.arrayContaining(["name", "city", "similarity", "probability"]),
    );
    expect(q1.result[0]).toMatchObject({ id: "3", match: true });
    expect(q2.result).toEqual([]);
    expect(errorsOf(context, "0.2", "reconciliation-result-batch", posted.json)).toBe("");
  });

  it("has addresses with https behind a proxy that encrypts", async () => {
    for (const [said, scheme] of [
      ["https", "https"],
      ["https, http", "https"],
      ["http", "http"],
      ["httpsx", "http"],
    ]) {
      const headers = { host: "example.org", "x-forwarded-proto": said };
      const reply = await server.app.inject({ url: "/reconcile/companies", headers });
      expect(reply.json().view.url).toBe(`${scheme}://example.org/reconcile/companies/preview?id={{id}}`);
    }
  });

  it("finds nothing for a blank name, also where no other query comes with it", async () => {
    const { status, json } = await form({ queries: JSON.stringify({ q0: { query: " " } }) });
    expect([status, json]).toEqual([200, { q0: { result: [] } }]);
  });

  it("calls a row a match only where it is equal, as a few rows promise no precision", async () => {
    const { json } = await form({ queries: JSON.stringify(queries) });
    const matches = Object.values(json as Record<string, { result: { id: string; match: boolean }[] }>).map(
      ({ result }) => result.filter(({ match }) => match).map(({ id }) => id),
    );
    expect(matches).toEqual([[], ["3"], []]);
  });

  it("answers queries of any name", async (context) => {
    const asked = JSON.stringify({ q: { query: "Siemens" } });
    const named = ["__proto__", "constructor", "toString"].map(
      (name) => `${JSON.stringify(name)}:{"query":"Siemens"}`,
    );
    const { json } = await form({ queries: `{${named.join()}}` });
    const { q } = (await form({ queries: asked })).json;
    const answers = Object.entries(json as Record<string, { result: { id: string }[] }>);
    expect(answers.map(([name, { result }]) => [name, result[0].id])).toEqual([
      ["__proto__", "3"],
      ["constructor", "3"],
      ["toString", "3"],
    ]);
    expect(q.result[0].id).toBe("3");
    expect(errorsOf(context, "0.2", "reconciliation-result-batch", { q })).toBe("");
  });

  it("extends rows by their cells, with none for unknown rows and columns", async (context) => {
    const extend = { ids: ["3", "none"], properties: [{ id: "city" }, { id: "constructor" }] };
    const { json } = await form({ extend: JSON.stringify(extend) });
    expect(json.rows).toEqual({
      3: { city: [{ str: "Munich" }], constructor: [] },
      none: { city: [], constructor: [] },
    });
    expect(errorsOf(context, "0.2", "data-extension-response", json)).toBe("");
  });
});

describe("a certain match", () => {
  it("has every cell that the query names, and no other row that is as near", async () => {
    const folder = newFolder();
    const shops = Array.from(
      { length: 30 },
      (_, i) => `Starbucks,S${i},${i === 4 || i === 29 ? "Oslo" : `Town ${i}`}`,
    );
    const others = Array.from({ length: 40 }, (_, i) => `Firm number ${i},F${i},Rome`);
    const table = join(folder, "shops.csv");
    writeFileSync(table, `name,tax_id,city\n${["Acme,111,Lima", ...shops, ...others].join("\n")}\n`);
    const mini = await miniEncoder();
    await indexTable(table, join(folder, "shops.index"), mini, { table: { column: "name" } });
    const index = await VectorIndex.open(join(folder, "shops.index"));
    const { app } = await testServer({ indexes: new Map([["shops", await serveIndex(index)]]) });
    const isMatch = async (query: string, pid: string, v: string): Promise<boolean> => {
      const queries = JSON.stringify({ q0: { query, properties: [{ pid, v }] } });
      const { q0 } = (await app.inject({ url: "/reconcile/shops", query: { queries } })).json();
      return q0.result[0].match;
    };
    expect(await isMatch("Acme", "tax_id", "111")).toBe(true);
    expect(await isMatch("Acme", "tax_id", "222")).toBe(false);
    expect(await isMatch("Acme", "city", "Lima")).toBe(true);
    // two of thirty rows of this name, of which the nearest twenty show one
    expect(await isMatch("Starbucks", "city", "Oslo")).toBe(false);
    await index.close();
  });
});

describe("a property that no row has", () => {
  it("lowers the score of rows with its name, and two of them lower it more", async () => {
    const folder = newFolder();
    const table = join(folder, "places.csv");
    const names = ["Bonn", "Ulm", "Graz", "Lyon", "Turin", "Bern", "Riga", "Oslo", "Brno", "Ghent"];
    const rows = names.map((name, row) => `${row + 3},${name},Region ${name.slice(2)},X${row + 3}`);
    const twice = ["1,Teufen,Appenzell,HLS001", "2,Teufen,Zurich,HLS002"];
    writeFileSync(table, `id,name,place,code\n${[...twice, ...rows].join("\n")}\n`);
    const settings = { table: { column: "name" }, keyColumn: "id" };
    await indexTable(table, join(folder, "places.index"), await miniEncoder(), settings);
    const index = await VectorIndex.open(join(folder, "places.index"));
    const { app } = await testServer({ indexes: new Map([["places", await serveIndex(index)]]) });
    const scores = async (properties: object[]): Promise<number[]> => {
      const queries = JSON.stringify({ q: { query: "Teufen", properties } });
      const { q } = (await app.inject({ url: "/reconcile/places", query: { queries } })).json();
      const found = new Map<string, number>(
        q.result.map(({ id, score }: { id: string; score: number }) => [id, score]),
      );
      return ["1", "2"].map((id) => found.get(id)!);
    };
    const place = { pid: "place", v: "Madrid" };
    const none = await scores([]);
    const one = await scores([place]);
    const two = await scores([place, { pid: "code", v: "HLS999" }]);
    for (const row of [0, 1]) {
      expect(one[row]).toBeLessThanOrEqual(none[row]);
      expect(two[row]).toBeLessThan(one[row]);
    }
    const [, zurich] = await scores([{ pid: "place", v: "Zurich" }]);
    expect(zurich).toBeGreaterThan(one[1]);
    await index.close();
  });
});

describe("an index's name", () => {
  it("may hold any character, and be as long as a file's", async () => {
    const [[, served]] = server.service.indexes;
    const names = ["my companies", "a+b", "50%", "all*", "Zürich", "a/b", "v1", "字".repeat(85)];
    const { app } = await testServer({ indexes: new Map(names.map((name) => [name, served])) });
    for (const name of names) {
      const address = `/reconcile/${encodeURIComponent(name)}`;
      const { name: shown, preview } = (await app.inject(address)).json();
      expect([shown, preview.url]).toEqual([name, `http://localhost:80${address}/preview?id={{id}}`]);
      expect((await app.inject(`${address}/preview?id=3`)).statusCode).toBe(200);
    }
    const missing = await app.inject("/reconcile/firms/v1");
    expect(missing).toMatchObject({ statusCode: 404 });
    expect(missing.json().error).toMatchObject({ code: "index_not_found", param: "index" });
    const wrong = await app.inject("/reconcile/50%25/v1/match");
    expect(wrong).toMatchObject({ statusCode: 405, headers: { allow: "POST" } });
  });
});

describe("version 1.0-draft", () => {
  it("has a manifest that fits the schema", async (context) => {
    const { json } = await get("/v1");
    expect(json).toMatchObject({ versions: ["0.2", "1.0-draft"], standardizedScore: true });
    expect(errorsOf(context, "1.0-draft", "manifest", json)).toBe("");
  });

  it("answers queries by name, by id and by cells, in their order", async (context) => {
    const { json } = await server.post("/reconcile/companies/v1/match", { queries: draftQueries });
    const best = json.results.map(({ candidates }: { candidates: { id: string }[] }) => candidates[0].id);
    expect(best).toEqual(["1", "3", "2", "3"]);
    expect(json.results[0].candidates).toHaveLength(3);
    expect(errorsOf(context, "1.0-draft", "reconciliation-result-batch", json)).toBe("");
  });

  it("extends rows as a list", async (context) => {
    const { json } = await server.post("/reconcile/v1/extend", { ids: ["3"], properties: [{ id: "city" }] });
    expect(json.rows).toEqual([{ id: "3", properties: [{ id: "city", values: [{ str: "Munich" }] }] }]);
    expect(errorsOf(context, "1.0-draft", "data-extension-response", json)).toBe("");
  });
});

describe.each<Version>(["0.2", "1.0-draft"])("the examples of version %s", (version) => {
  const folder = join(published, version, "examples/reconciliation-query-batch");
  it.each(["valid", "invalid"])("are read as they should be: %s queries", async (kind) => {
    if (!existsSync(folder)) return console.info("skipped: ../shared/reconciliation is not on this machine");
    const files = readdirSync(join(folder, kind));
    expect(files.length).toBeGreaterThan(2);
    for (const file of files) {
      const batch = readFileSync(join(folder, kind, file), "utf8");
      const { status } =
        version === "0.2" ? await form({ queries: batch }) : await server.post("/reconcile/v1/match", batch);
      expect({ file, status }).toEqual({ file, status: kind === "valid" ? 200 : 400 });
    }
  });
});

describe("what both versions have", () => {
  it("suggests rows by the start of their name or of a word in it, columns, and the one type", async (context) => {
    const rows = await get("/suggest/entity", { prefix: "moto" });
    const names = rows.json.result.map(({ name }: { name: string }) => name);
    expect(names).toContain("Toyota Motor Corporation");
    const first = await get("/v1/suggest/entity", { prefix: "Nestle" });
    expect(first.json.result[0].name).toMatch(/^Nestlé/);
    const columns = await get("/suggest/property", { prefix: "ci" });
    expect(columns.json.result).toEqual([{ id: "city", name: "city" }]);
    const types = await get("/suggest/type", { prefix: "" });
    expect(types.json.result).toEqual([{ id: "row", name: "companies" }]);
    const proposed = await get("/extend/propose", { type: "row", limit: "2" });
    for (const version of ["0.2", "1.0-draft"] as const) {
      expect(errorsOf(context, version, "suggest-entities-response", rows.json)).toBe("");
      expect(errorsOf(context, version, "suggest-properties-response", columns.json)).toBe("");
      expect(errorsOf(context, version, "suggest-types-response", types.json)).toBe("");
      expect(errorsOf(context, version, "data-extension-property-proposal", proposed.json)).toBe("");
    }
  });

  it("suggests rows of a large index by names that are kept ready, and stops where nobody waits", async () => {
    const [[, { index }]] = server.service.indexes;
    const names = Array.from({ length: 50_000 }, (_, row) => `company ${row}`);
    const rows = new Map(names.map((name, row) => [`${row}`, [`${row}`, name, "Bern"]]));
    const served = { index, rows, names, ordinary: [] };
    const large = { name: "large", served, encoder: server.service.encoder };
    const asked = new AbortController();
    const { result } = await suggestRows(large, "49999", 0, asked.signal);
    expect(result).toEqual([{ id: "49999", name: "company 49999", description: "city: Bern" }]);
    const left = suggestRows(large, "none", 0, asked.signal);
    asked.abort();
    await expect(left).rejects.toThrow("aborted");
  });

  it("shows a row as HTML in which cells stay text", async () => {
    const [[, served]] = server.service.indexes;
    const rows = served.rows as Map<string, readonly string[]>;
    rows.set("x", ["x", "<script>alert(1)</script>", 'a"b']);
    const { body, headers } = await server.app.inject("/reconcile/preview?id=x");
    rows.delete("x");
    expect(body).toContain("<th>name<td>&lt;script&gt;alert(1)&lt;/script&gt;");
    expect(headers["content-security-policy"]).toContain("default-src 'none'");
    expect(await get("/preview", { id: "none" })).toMatchObject({
      status: 404,
      json: { error: { param: "id" } },
    });
  });

  it("refuses broken JSON and unknown indexes", async () => {
    expect(await form({ queries: "{" })).toMatchObject({
      status: 400,
      json: { error: { param: "queries" } },
    });
    expect((await server.app.inject("/reconcile/firms")).statusCode).toBe(404);
  });

  it("refuses more rows and cells than it answers at a time, and gives each cell once", async () => {
    const numbered = (count: number) => Array.from({ length: count }, (_, place) => ({ id: `${place}` }));
    const ids = (count: number) => numbered(count).map(({ id }) => id);
    const extend = (rows: string[], properties: object[]) =>
      form({ extend: JSON.stringify({ ids: rows, properties }) });
    expect((await extend(ids(2049), [])).json.error.message).toBe("2049 rows are more than 2048");
    expect((await extend(ids(2000), numbered(126))).status).toBe(413);
    const { status } = await server.post("/reconcile/v1/extend", {
      ids: ids(2000),
      properties: numbered(126),
    });
    expect(status).toBe(413);
    const twice = { ids: ["3", "3"], properties: [{ id: "city" }, { id: "city" }] };
    const { json } = await server.post("/reconcile/v1/extend", twice);
    expect(json).toEqual({
      meta: [{ id: "city", name: "city" }],
      rows: [{ id: "3", properties: [{ id: "city", values: [{ str: "Munich" }] }] }],
    });
  });

  it("reads the rows once for all queries about the same columns", async () => {
    const [[, served]] = server.service.indexes;
    let passes = 0;
    const rows = new Map(served.rows);
    rows[Symbol.iterator] = () => {
      passes++;
      return rows.entries();
    };
    const { post } = await testServer({ indexes: new Map([["companies", { ...served, rows }]]) });
    const property = (propertyId: string, propertyValue: string) => ({
      conditions: [{ matchType: "property", propertyId, propertyValue }],
    });
    const asked = Array.from({ length: 50 }, (_, place) => property("city", place === 7 ? "Munich" : "none"));
    const { json } = await post("/reconcile/v1/match", { queries: [...asked, property("country", "none")] });
    const found = (json.results as { candidates: { id: string }[] }[]).map(({ candidates }) => candidates);
    expect(found.flatMap((candidates, place) => candidates.map(({ id }) => [place, id]))).toEqual([
      [7, "3"],
      [7, "7"],
    ]);
    expect(passes).toBe(1);
  });

  it("refuses a text of more than the characters that a phrase may have", async () => {
    const long = "a".repeat(8193);
    const named = await form({ queries: JSON.stringify({ q: { query: long } }) });
    expect(named).toMatchObject({
      status: 413,
      json: { error: { message: "a text of a query has more than 8192 characters" } },
    });
    const conditions = [{ matchType: "property", propertyId: "city", propertyValue: [long] }];
    const { status } = await server.post("/reconcile/v1/match", { queries: [{ conditions }] });
    expect(status).toBe(413);
  });
});
