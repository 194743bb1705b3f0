/** Embeddings in PostgreSQL beside their table, on a real server. */
import { beforeAll, describe, expect, it } from "vitest";
import { PhraseEncoder } from "../../../src/encoder/phrase-encoder.js";
import { type SyncTableOptions, syncTable } from "../../../src/stores/postgres/sync-table.js";
import { noServer, type Server, startServer } from "./server.js";

describe.skipIf(noServer !== undefined)("a table in PostgreSQL", () => {
  let server: Server;
  let encoder: PhraseEncoder;
  beforeAll(async () => {
    [server, encoder] = await Promise.all([
      startServer(),
      PhraseEncoder.load("pearl-ngram", { device: "cpu" }),
    ]);
    return () => encoder.dispose();
  });
  const sync = (table: string, options: SyncTableOptions = {}) =>
    syncTable(server.address, encoder, { table, ...options });

  /** Vectors by key, as the server prints them. */
  async function stored(side: string): Promise<Record<string, number[] | null>> {
    const rows = await server.sql<{ key: string; embedding: number[] | null }>(
      `SELECT key::text, embedding FROM ${side} ORDER BY key`,
    );
    return Object.fromEntries(rows.map(({ key, embedding }) => [key, embedding]));
  }
  const vectorOf = async (phrase: string) => Array.from((await encoder.encode([phrase]))[0]);
  const expectVector = async (found: number[] | null, phrase: string) => {
    const expected = await vectorOf(phrase);
    expect(found).toHaveLength(expected.length);
    expected.forEach((value, index) => expect(found![index]).toBeCloseTo(value, 5));
  };

  it("gets an embedding for each row, and none without a phrase", async () => {
    await server.sql("CREATE TABLE customers (id int PRIMARY KEY, name text, city text)");
    await server.sql(
      "INSERT INTO customers VALUES (1, 'Acme Inc', 'Berlin'), (2, NULL, 'Rome'), (3, 'Müller & Söhne ''GmbH''', 'Ulm')",
    );
    expect(await sync("customers")).toMatchObject({ rows: 3, added: 3, changed: 0, removed: 0, empty: 1 });
    const found = await stored("customers_embeddings");
    expect(found["2"]).toBeNull();
    await expectVector(found["1"], "Acme Inc");
    await expectVector(found["3"], "Müller & Söhne 'GmbH'");
  });

  it("is brought up to date by the rows that differ alone", async () => {
    await server.sql("CREATE TABLE written (key int, at serial)");
    await server.sql(
      `CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO written VALUES (NEW.key); RETURN NEW; END'`,
    );
    await server.sql(
      "CREATE TRIGGER note AFTER INSERT ON customers_embeddings FOR EACH ROW EXECUTE FUNCTION note()",
    );
    await server.sql("DELETE FROM customers WHERE id = 1");
    await server.sql("UPDATE customers SET name = 'Roma' WHERE id = 2");
    await server.sql("UPDATE customers SET city = 'Neu-Ulm' WHERE id = 3");
    await server.sql("INSERT INTO customers VALUES (4, 'Bosch', 'Stuttgart')");
    expect(await sync("customers")).toMatchObject({ rows: 3, added: 1, changed: 1, removed: 1, empty: 0 });
    expect(await server.sql("SELECT key FROM written ORDER BY at")).toEqual([{ key: 2 }, { key: 4 }]);
    const found = await stored("customers_embeddings");
    expect(Object.keys(found)).toEqual(["2", "3", "4"]);
    await expectVector(found["2"], "Roma");
    expect(await sync("customers")).toMatchObject({ rows: 3, added: 0, changed: 0, removed: 0 });
  });
});
