/** Embeddings in PostgreSQL beside their table, on a real server. */
import { describe, expect, it, vi } from "vitest";
import { PhraseEncoder } from "../../../src/encoder/phrase-encoder.js";
import { syncTable } from "../../../src/stores/postgres/sync-table.js";
import { openPglite } from "../../stores/postgres/pglite.js";
import { noServer } from "../../stores/postgres/server.js";
import { syncedServer } from "./synced-server.js";

describe.skipIf(noServer !== undefined)("a table in PostgreSQL", () => {
  const synced = syncedServer();
  const { sync } = synced;

  /** Vectors by key, as the server prints them. */
  async function stored(side: string): Promise<Record<string, number[] | null>> {
    const rows = await synced.server.sql<{ key: string; embedding: number[] | null }>(
      `SELECT key::text, embedding FROM ${side} ORDER BY key`,
    );
    return Object.fromEntries(rows.map(({ key, embedding }) => [key, embedding]));
  }
  const vectorOf = async (phrase: string) => Array.from((await synced.encoder.encode([phrase]))[0]);
  const expectVector = async (found: number[] | null, phrase: string) => {
    const expected = await vectorOf(phrase);
    expect(found).toHaveLength(expected.length);
    expected.forEach((value, index) => expect(found![index]).toBeCloseTo(value, 5));
  };

  it("gets an embedding for each row, and none without a phrase", async () => {
    await synced.server.sql("CREATE TABLE customers (id int PRIMARY KEY, name text, city text)");
    await synced.server.sql(
      "INSERT INTO customers VALUES (1, 'Acme Inc', 'Berlin'), (2, NULL, 'Rome'), (3, 'Müller & Söhne ''GmbH''', 'Ulm')",
    );
    const notes: string[] = [];
    const first = await sync("customers", { onNote: (note) => notes.push(note) });
    expect(first).toMatchObject({ rows: 3, added: 3, changed: 0, removed: 0, empty: 1 });
    expect(notes).toEqual([expect.stringContaining("install the package of pgvector on the server")]);
    const found = await stored("customers_embeddings");
    expect(found["2"]).toBeNull();
    await expectVector(found["1"], "Acme Inc");
    await expectVector(found["3"], "Müller & Söhne 'GmbH'");
  });

  it("is brought up to date by the rows that differ alone", async () => {
    await synced.server.sql("CREATE TABLE written (key int, at serial)");
    await synced.server.sql(
      `CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO written VALUES (NEW.key); RETURN NEW; END'`,
    );
    await synced.server.sql(
      "CREATE TRIGGER note AFTER INSERT ON customers_embeddings FOR EACH ROW EXECUTE FUNCTION note()",
    );
    await synced.server.sql("DELETE FROM customers WHERE id = 1");
    await synced.server.sql("UPDATE customers SET name = 'Roma' WHERE id = 2");
    await synced.server.sql("UPDATE customers SET city = 'Neu-Ulm' WHERE id = 3");
    await synced.server.sql("INSERT INTO customers VALUES (4, 'Bosch', 'Stuttgart')");
    expect(await sync("customers")).toMatchObject({ rows: 3, added: 1, changed: 1, removed: 1, empty: 0 });
    expect(await synced.server.sql("SELECT key FROM written ORDER BY at")).toEqual([{ key: 2 }, { key: 4 }]);
    const found = await stored("customers_embeddings");
    expect(Object.keys(found)).toEqual(["2", "3", "4"]);
    await expectVector(found["2"], "Roma");
    expect(await sync("customers")).toMatchObject({ rows: 3, added: 0, changed: 0, removed: 0 });
  });

  it.each([
    ["uuid", "gen_random_uuid()"],
    ["bigint", "i * 3000000000"],
    ["text", "'key ' || chr(200 + i)"],
    ["character varying(20)", "'v' || i"],
    ["numeric", "i + 0.50"],
    ["timestamp with time zone", "now() + i * interval '1 day'"],
  ])("may have keys of type %s", async (type, value) => {
    const table = `by "${type}"`;
    await synced.server.sql(`CREATE TABLE "by ""${type}""" (id ${type} PRIMARY KEY, name text)`);
    await synced.server.sql(
      `INSERT INTO "by ""${type}""" SELECT ${value}, 'name ' || i FROM generate_series(1, 5) i`,
    );
    expect(await sync(table)).toMatchObject({ added: 5 });
    await synced.server.sql(`UPDATE "by ""${type}""" SET name = 'other' WHERE name = 'name 2'`);
    await synced.server.sql(`DELETE FROM "by ""${type}""" WHERE name = 'name 3'`);
    expect(await sync(table)).toMatchObject({ added: 0, changed: 1, removed: 1 });
    expect(await sync(table)).toMatchObject({ added: 0, changed: 0, removed: 0, rows: 4 });
  });

  it("may lie in another schema, have a view's name, and a key that no constraint names", async () => {
    await synced.server.sql('CREATE SCHEMA "Sales"');
    await synced.server.sql(
      `CREATE VIEW "Sales"."Big Deals" AS SELECT i AS "No", 'deal ' || i AS "Deal Name" FROM generate_series(1, 3) i`,
    );
    const report = await sync('"Sales"."Big Deals"', { key: "No" });
    expect(report).toMatchObject({ added: 3, embeddings: '"Sales"."Big Deals_embeddings"' });
    await expectVector((await stored('"Sales"."Big Deals_embeddings"'))["3"], "deal 3");
  });

  it("is left as it is by a dry run, whose statements make the same table", async () => {
    await synced.server.sql("CREATE TABLE planned (id int PRIMARY KEY, name text)");
    await synced.server.sql("INSERT INTO planned VALUES (1, 'a'), (2, 'b')");
    const planned = await sync("planned", { changes: "print" });
    expect(planned).toMatchObject({ rows: 2, added: 2, removed: 0 });
    expect(await synced.server.sql("SELECT to_regclass('planned_embeddings')::text AS found")).toEqual([
      { found: null },
    ]);
    const made = await sync("planned");
    expect(planned.statements.slice(0, 3)).toEqual(made.statements);
    for (const statement of made.statements)
      await synced.server.sql(statement.replaceAll("planned_embeddings", "by_hand"));
    const shape = `SELECT attname, format_type(atttypid, atttypmod), attstorage::text FROM pg_attribute WHERE attnum > 0 AND attrelid = `;
    expect(await synced.server.sql(`${shape} 'by_hand'::regclass`)).toEqual(
      await synced.server.sql(`${shape} 'planned_embeddings'::regclass`),
    );
  });

  it("is written in batches of 4,096 rows, in the order of its keys", async () => {
    await synced.server.sql("CREATE TABLE many (id int PRIMARY KEY, name text)");
    await synced.server.sql("INSERT INTO many SELECT 9001 - i, 'name ' || i FROM generate_series(1, 9000) i");
    const highest: number[] = [];
    const progress: number[] = [];
    await sync("many", { onProgress: (done) => progress.push(done) });
    expect(progress).toEqual([4096, 8192, 9000]);
    for (const { highest: key } of await synced.server.sql<{ highest: number }>(
      "SELECT max(key) AS highest FROM many_embeddings GROUP BY xmin::text ORDER BY 1",
    ))
      highest.push(key);
    expect(highest).toEqual(progress);
    const found = await stored("many_embeddings WHERE key % 2000 = 1");
    for (const [key, vector] of Object.entries(found))
      await expectVector(vector, `name ${9001 - Number(key)}`);
  });

  it("continues where it was when the server ends its connection, each row written once", async () => {
    await synced.server.sql("CREATE TABLE lost (id int PRIMARY KEY, name text)");
    await synced.server.sql("INSERT INTO lost SELECT i, 'name ' || i FROM generate_series(1, 9000) i");
    const notes: string[] = [];
    let ended = 0;
    const report = await sync("lost", {
      onNote: (note) => notes.push(note),
      onProgress: (done) => {
        if (done === 4096 && ended++ === 0)
          void synced.server.sql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND application_name = 'pearl'",
          );
      },
    });
    expect(report).toMatchObject({ rows: 9000, added: 9000 });
    expect(notes.join("\n")).toMatch(/the connection was lost \(.*\)\. Connecting again in 1 s\./);
    expect(await sync("lost")).toMatchObject({ added: 0, changed: 0, removed: 0 });
  });

  it("is followed from change to change, also through a lost connection, until the signal", async () => {
    await synced.server.sql("CREATE TABLE live (id int PRIMARY KEY, name text, city text)");
    await synced.server.sql("INSERT INTO live VALUES (1, 'a'), (2, 'b')");
    const stop = new AbortController();
    const notes: string[] = [];
    const following = sync("live", {
      ...{ until: "follow", trigger: "install", signal: stop.signal },
      onNote: (note) => notes.push(note),
    });
    const settled = async (expected: Record<string, string>) => {
      const wanted: Record<string, number> = {};
      for (const [key, name] of Object.entries(expected)) wanted[key] = (await vectorOf(name))[0];
      await vi.waitFor(
        async () => {
          const found = await stored("live_embeddings");
          expect(Object.fromEntries(Object.entries(found).map(([key, vector]) => [key, vector![0]]))).toEqual(
            Object.fromEntries(Object.entries(wanted).map(([key, value]) => [key, expect.closeTo(value, 5)])),
          );
        },
        { timeout: 20_000, interval: 50 },
      );
    };
    await settled({ 1: "a", 2: "b" });
    await synced.server.sql("INSERT INTO live VALUES (3, 'c')");
    await settled({ 1: "a", 2: "b", 3: "c" });
    await synced.server.sql("UPDATE live SET name = 'other' WHERE id = 1");
    await settled({ 1: "other", 2: "b", 3: "c" });
    const pid =
      "SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND application_name = 'pearl'";
    await synced.server.sql(`SELECT pg_terminate_backend(pid) FROM (${pid}) p`);
    await synced.server.sql("DELETE FROM live WHERE id = 2");
    await settled({ 1: "other", 3: "c" });
    await vi.waitFor(() => expect(notes.filter((note) => note.startsWith("following"))).toHaveLength(2));
    await synced.server.sql("TRUNCATE live");
    await settled({});
    stop.abort();
    expect(await following).toMatchObject({ rows: 0, added: 3, changed: 1, removed: 3 });
    expect(notes.join("\n")).toContain("the connection was lost");
  });

  it("is followed by the keys that its triggers name, and whole where they are too many", async () => {
    await synced.server.sql(`CREATE TABLE named (id text PRIMARY KEY, name text)`);
    await synced.server.sql(
      `INSERT INTO named SELECT 'k"' || i, 'name ' || i FROM generate_series(1, 4000) i`,
    );
    const stop = new AbortController();
    const notes: string[] = [];
    const following = sync("named", {
      ...{ until: "follow", trigger: "install", signal: stop.signal },
      onNote: (note) => notes.push(note),
    });
    const first = async (number: number) =>
      (await stored(`named_embeddings WHERE key IN ('k"${number}', 'moved')`))[`k"${number}`]?.[0];
    const settled = async (number: number, name: string) => {
      const expected = (await vectorOf(name))[0];
      await vi.waitFor(async () => expect(await first(number)).toBeCloseTo(expected, 5), {
        timeout: 20_000,
        interval: 50,
      });
    };
    await vi.waitFor(() => expect(notes.join()).toContain("following"), 20_000);
    const silently = (statement: string) =>
      synced.server.sql(
        `SET session_replication_role = replica; ${statement}; SET session_replication_role = DEFAULT`,
      );
    await silently(`UPDATE named SET name = 'silent' WHERE id = 'k"1'`);
    await synced.server.sql(`UPDATE named SET name = 'told' WHERE id = 'k"2'`);
    await settled(2, "told");
    expect(await first(1)).toBeCloseTo((await vectorOf("name 1"))[0], 5);
    await synced.server.sql(`UPDATE named SET id = 'moved' WHERE id = 'k"3'`);
    await vi.waitFor(async () => expect(await first(3)).toBeUndefined(), 20_000);
    await synced.server.sql("UPDATE named SET name = name || ' again' WHERE name LIKE 'name%'");
    await settled(1, "silent");
    stop.abort();
    expect(await following).toMatchObject({ rows: 4000, removed: 1 });
  });

  it("is refused to a second sync while one runs", async () => {
    await synced.server.sql("CREATE TABLE busy (id int PRIMARY KEY, name text)");
    await synced.server.sql("INSERT INTO busy VALUES (1, 'a')");
    const signal = AbortSignal.timeout(1500);
    await synced.server.sql(
      "SELECT pg_advisory_lock(hashtextextended('pearl sync ' || 'busy'::regclass::oid, 0))",
    );
    await expect(sync("busy", { signal })).rejects.toThrow(/abort|timeout/i);
    await synced.server.sql("SELECT pg_advisory_unlock_all()");
    expect(await sync("busy")).toMatchObject({ added: 1 });
  });
});

describe("a table beside pgvector", () => {
  it("gets embeddings of the type vector and an HNSW index, and older ones of real[] become such", async () => {
    const { connection, dispose } = await openPglite();
    const encoder = await PhraseEncoder.load("pearl-strings", { device: "cpu" });
    const options = { table: "customers", connect: async () => connection };
    const sync = () => syncTable("postgres://pglite", encoder, options);
    await connection.query("CREATE TABLE customers (id int PRIMARY KEY, name text)");
    await connection.query("INSERT INTO customers VALUES (1, 'Acme Inc'), (2, 'Bosch'), (3, NULL)");
    expect(await sync()).toMatchObject({ added: 3, storage: "vector", dimension: 56 });
    const nearest = async () =>
      connection.query(
        "SELECT key, round((embedding <=> (SELECT embedding FROM customers_embeddings WHERE key = 1))::numeric, 5)::float AS distance FROM customers_embeddings WHERE embedding IS NOT NULL ORDER BY 2",
      );
    const [acme, bosch] = await encoder.encode(["Acme Inc", "Bosch"]);
    const cosine = acme.reduce((sum, value, index) => sum + value * bosch[index], 0);
    const expected = [
      { key: 1, distance: 0 },
      { key: 2, distance: expect.closeTo(1 - cosine, 4) },
    ];
    expect(await nearest()).toEqual(expected);
    const indexes =
      "SELECT indexdef FROM pg_indexes WHERE tablename = 'customers_embeddings' AND indexdef LIKE '%hnsw%'";
    expect(await connection.query(indexes)).toHaveLength(1);
    await connection.query("DROP INDEX customers_embeddings_hnsw");
    await connection.query(
      "ALTER TABLE customers_embeddings ALTER COLUMN embedding TYPE real[] USING embedding::real[]",
    );
    expect(await sync()).toMatchObject({ added: 0, changed: 0, storage: "vector" });
    expect(await nearest()).toEqual(expected);
    expect(await connection.query(indexes)).toHaveLength(1);
    for (const year of [2023, 2024]) {
      const table = `customer_accounts_receivable_transactions_${year}`;
      await connection.query(`CREATE TABLE ${table} (id int PRIMARY KEY, name text)`);
      await syncTable("postgres://pglite", encoder, { ...options, table });
      expect(await connection.query(indexes.replace("customers", table))).toHaveLength(1);
    }
    await encoder.dispose();
    await dispose();
  });

  it("says how a database gets pgvector, and uses it then", async () => {
    const { connection, dispose } = await openPglite();
    const encoder = await PhraseEncoder.load("pearl-strings", { device: "cpu" });
    const notes: string[] = [];
    const connect = async () => connection;
    const options = { table: "customers", connect, onNote: (note: string) => notes.push(note) };
    await connection.query("DROP EXTENSION vector");
    await connection.query("CREATE TABLE customers (id int PRIMARY KEY, name text)");
    await connection.query("INSERT INTO customers VALUES (1, 'Acme Inc')");
    expect(await syncTable("postgres://pglite", encoder, options)).toMatchObject({ storage: "real[]" });
    const [, cure] = /every search is exact\. For .* sync again after: (.*)$/.exec(notes[0])!;
    await connection.query(cure);
    expect(await syncTable("postgres://pglite", encoder, options)).toMatchObject({ storage: "vector" });
    expect(notes).toHaveLength(1);
    await encoder.dispose();
    await dispose();
  });
});
