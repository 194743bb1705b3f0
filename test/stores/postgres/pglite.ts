/** PGlite, PostgreSQL in this process, with pgvector: as a connection of pearl's. */
import { PGlite } from "@electric-sql/pglite";
import { vector } from "@electric-sql/pglite-pgvector";
import type { PostgresConnection } from "../../../src/table/postgres/connection.js";
import { postgresTrouble } from "../../../src/table/postgres/trouble.js";

/** A new database with pgvector. `close` ends nothing, so that several runs may use it. */
export async function openPglite(): Promise<{
  connection: PostgresConnection;
  dispose: () => Promise<void>;
}> {
  const database = await PGlite.create({ extensions: { vector } });
  await database.exec("CREATE EXTENSION vector");
  const shown = "postgres://pglite";
  const connection: PostgresConnection = {
    shown,
    async query<Row>(sql: string, values?: readonly unknown[]) {
      try {
        const { rows } = await database.query(sql, values === undefined ? [] : [...values]);
        return rows as Row[];
      } catch (error) {
        throw postgresTrouble(error, shown);
      }
    },
    async copyIn(sql, parts) {
      const all: Uint8Array[] = [];
      for await (const part of parts) all.push(part);
      await database.query(sql.replace("STDIN", "'/dev/blob'"), [], {
        blob: new Blob(all as unknown as string[]),
      });
    },
    async *copyOut(sql) {
      const { blob } = await database.query(sql.replace("STDOUT", "'/dev/blob'"));
      yield Buffer.from(await blob!.arrayBuffer());
    },
    async listen(channel, receive) {
      await database.listen(channel, receive);
    },
    close: async () => {},
  };
  return { connection, dispose: () => database.close() };
}
