/** Embeddings in PostgreSQL as an index: the hits of a search are those of an index of the same rows in a folder. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PhraseEncoder } from "../../../src/encoder/phrase-encoder.js";
import { createRandom } from "../../../src/random.js";
import { indexTable } from "../../../src/search/phrase-index.js";
import { searchPhrases } from "../../../src/search/phrase-search.js";
import { PostgresStore } from "../../../src/search/store/postgres-store.js";
import { VectorIndex } from "../../../src/search/vector-index.js";
import { parseCondition } from "../../../src/search/where.js";
import { syncTable } from "../../../src/stores/postgres/sync-table.js";
import type { PostgresConnection } from "../../../src/table/postgres/connection.js";
import { pearl } from "../../cli/run-here.js";
import { openPglite } from "../../stores/postgres/pglite.js";
import { noServer, type Server, startServer } from "../../stores/postgres/server.js";

const folder = mkdtempSync(join(tmpdir(), "pearl-postgres-search-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const random = createRandom(5);
const syllables = ["ba", "ko", "ri", "tam", "el", "us", "no", "pi"];
const word = (): string =>
  Array.from({ length: 3 }, () => syllables[Math.floor(random() * syllables.length)]).join("");
const rows = Array.from({ length: 5000 }, (_, row) => [
  String(row + 1),
  `${word()} ${word()}`,
  `town ${row % 7}`,
]);
writeFileSync(join(folder, "rows.csv"), ["id,name,town", ...rows.map((cells) => cells.join(","))].join("\n"));
const queries = ["bakori tamel", "uspino", "rows 17", ""];
const conditions = [
  "town = 'town 3'",
  "id >= 4900 and not (town in ('town 1', 'town 2') or town > 'town 5')",
  "id < 1e3 or name = 'L''Aquila \\'",
];
const insert = `INSERT INTO companies SELECT * FROM (VALUES ${rows.map(([id, ...cells]) => `(${id}, '${cells.join("', '")}')`)}) v`;
const table = "CREATE TABLE companies (id int PRIMARY KEY, name text, town text)";

const encoder = await PhraseEncoder.load("pearl-strings", { device: "cpu" });
afterAll(() => encoder.dispose());
const path = join(folder, "companies.index");
await indexTable(join(folder, "rows.csv"), path, encoder, { table: { column: "name" }, keyColumn: "id" });
const index = await VectorIndex.open(path);
afterAll(() => index.close());

describe("a search in PostgreSQL", () => {
  describe.skipIf(noServer !== undefined)("over real[]", () => {
    let server: Server;
    let address: string;
    beforeAll(async () => {
      server = await startServer();
      address = `${server.address}&table=companies`;
      await server.sql(table);
      await server.sql(insert);
      await syncTable(address, encoder);
    });

    it("finds what an index in a folder finds, and removed rows no more", async () => {
      const stored = await VectorIndex.open(address);
      // By embeddings alone.
      const { data } = await encoder.encodeMatrix(queries);
      const expected = await index.search(data, { k: 12 });
      const found = await stored.search(data, { k: 12 });
      expect(found).toEqual(
        expected.map((hits) => hits.map((hit) => ({ ...hit, score: expect.closeTo(hit.score, 5) }))),
      );
      expect(await stored.describe()).toMatchObject({
        rows: 5000,
        searchedBy: "PostgreSQL without pgvector, exact",
        keyColumn: "id",
      });
      expect((await searchPhrases(stored, encoder, queries, { k: 1e12 }))[0]).toHaveLength(5000);
      for (const where of conditions)
        expect(await stored.search(data, { k: 12, where })).toEqual(
          (await index.search(data, { k: 12, where })).map((hits) =>
            hits.map((hit) => ({ ...hit, score: expect.closeTo(hit.score, 5) })),
          ),
        );
      const [[best]] = found;
      await server.sql(`DELETE FROM companies WHERE id = ${best.key}`);
      const [[next]] = await stored.search(data, { k: 1 });
      expect(next.key).toBe(expected[0][1].key);
      await server.sql(
        `INSERT INTO companies VALUES (${best.key}, '${best.cells.name}', '${best.cells.town}')`,
      );
      await stored.close();
    });

    it("is printed as a search of an index is", async () => {
      // The phrase of a row, which is first in either.
      const words = [rows[16][1], "-k", "1", "-m", "pearl-strings", "-q"];
      for (const form of [["--json"], []]) {
        const expected = await pearl(["search", join(folder, "companies.index"), ...words, ...form]);
        const found = await pearl(["search", "postgres://?table=companies", ...words, ...form], {
          environment: server.environment,
        });
        // Numbers are numbers: in a file, they are text.
        expect(found).toEqual({
          ...expected,
          stdout: expected.stdout.replaceAll(/"id":"(\d+)"/g, '"id":$1'),
        });
        expect(found.code).toBe(0);
      }
    });

    it("connects again after a lost connection, and shows the columns that were chosen", async () => {
      await syncTable(address, encoder, { columns: ["town", "name"] });
      const stored = await VectorIndex.open(`${server.address}`);
      await server.sql(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND application_name = 'pearl'",
      );
      const search = () => searchPhrases(stored, encoder, queries, { k: 1 });
      for (const [[hit]] of await Promise.all([search(), search()]))
        expect(Object.keys(hit.cells)).toEqual(["name", "town"]);
      const sessions =
        "SELECT count(*)::int AS open FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND application_name = 'pearl'";
      expect(await server.sql(sessions)).toEqual([{ open: 1 }]);
      await stored.close();
      await syncTable(address, encoder, { columns: ["id", "name", "town"] });
    });

    it("lists every row of the table with an embedding", async () => {
      const stored = await VectorIndex.open(address);
      const listed: unknown[] = [];
      for await (const entry of stored.entries()) listed.push(entry);
      expect(listed).toEqual(rows.map((cells) => ({ key: cells[0], cells })));
      await stored.close();
    });
  });

  it("by pgvector finds what an index in a folder finds", async () => {
    const { connection, dispose } = await openPglite();
    await connection.query(table);
    await connection.query(insert);
    const transactions: string[] = [];
    const connect = async (): Promise<PostgresConnection> => ({
      ...connection,
      query(sql, values) {
        if (/^(BEGIN|COMMIT)/.test(sql)) transactions.push(sql);
        return connection.query(sql, values);
      },
    });
    await syncTable("postgres://pglite?table=companies", encoder, { connect });
    const store = await PostgresStore.open("postgres://pglite?table=companies", connect);
    expect(await store.describe()).toMatchObject({ rows: 5000, searchedBy: "pgvector, hnsw" });
    const phrases = queries.slice(0, 3);
    const { data } = await encoder.encodeMatrix(phrases);
    const expected = await index.search(data, { k: 12 });
    const found = await store.search(data, 12);
    const share = expected.map((hits, query) => {
      const keys = new Set(found[query].map(({ key }) => key));
      return hits.filter(({ key }) => keys.has(key)).length / 12;
    });
    for (const [query, hits] of found.entries()) {
      expect(share[query]).toBeGreaterThan(0.8);
      expect(hits[0].score).toBeCloseTo(expected[query][0].score, 5);
      expect(hits[0].cells).toEqual(Object.values(rows[Number(hits[0].key) - 1]));
    }
    for (const where of conditions) {
      const [[hit], , [none]] = await index.search(data, { k: 1, where });
      const met = await store.search(data, 12, { phrases, where: parseCondition(where, store.layout) });
      const allowed = new Set((await index.search(data, { k: 5000, where }))[0].map(({ key }) => key));
      expect(met[0][0].score).toBeCloseTo(hit.score, 5);
      expect(met[2][0].score).toBeCloseTo(none.score, 5);
      for (const hits of met) {
        expect(hits.length).toBeGreaterThanOrEqual(12);
        expect(hits.every(({ key }) => allowed.has(key))).toBe(true);
      }
    }
    transactions.length = 0;
    const [all] = await Promise.all([store.search(data, 2000), store.search(data, 2000)]);
    expect(transactions).toEqual(["BEGIN", "COMMIT", "BEGIN", "COMMIT"]);
    for (const [query, hits] of (await index.search(data, { k: 2000 })).entries())
      expect(all[query].map(({ score }) => score)).toEqual(hits.map(({ score }) => expect.closeTo(score, 5)));
    const nearest = all[0].slice(0, 210).map(({ key }) => key);
    await connection.query(`DELETE FROM companies WHERE id IN (${nearest})`);
    const [left] = all.map((hits) => hits.filter(({ key }) => !nearest.includes(key)));
    const [hits] = await store.search(data, 12);
    expect(hits.map(({ key }) => key)).toEqual(left.slice(0, 12).map(({ key }) => key));
    expect(await store.nearest(new Float32Array(data.length / 3), 3)).toEqual([[]]);
    // as a join asks for the neighbours of a row that it found
    const [around] = await store.nearest(await store.vectorsOf([hits[0].key]), 3);
    expect(around[0]).toMatchObject({ key: hits[0].key, score: expect.closeTo(1, 5) });
    await dispose();
  });
});
