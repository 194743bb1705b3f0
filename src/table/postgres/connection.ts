/** A connection to PostgreSQL through the optional `pg`: statements, rows by a cursor, COPY in both directions. */
import { pipeline } from "node:stream/promises";
import type { Client } from "pg";
import type * as CopyStreams from "pg-copy-streams";
import { loadOptional } from "../../files/package.js";
import { parseAddress } from "./address.js";
import { postgresTrouble } from "./trouble.js";

/** A value of a statement's parameter. */
export type PostgresValue = string | number | boolean | Uint8Array | null | readonly string[];

/** One session of a database. Statements run one after the other. */
export interface PostgresConnection {
  /** The address, without its password. */
  readonly shown: string;
  /** @throws TableError with a cure */
  query<Row = Record<string, unknown>>(sql: string, values?: readonly PostgresValue[]): Promise<Row[]>;
  /** Runs a COPY FROM STDIN. */
  copyIn(sql: string, parts: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<void>;
  /** Runs a COPY TO STDOUT. */
  copyOut(sql: string): AsyncIterable<Buffer>;
  /** Calls `receive` with the text of each notification of a channel, until the connection is closed; `end` where it is lost. */
  listen(channel: string, receive: (text: string) => void, end: (error: Error) => void): Promise<void>;
  close(): Promise<void>;
}

/** Milliseconds to wait for a server that does not answer. */
const connectMs = 15_000;

/** @throws TableError where the database cannot be reached or refuses the login; MissingDataError without `pg` */
export async function connectPostgres(given: string): Promise<PostgresConnection> {
  const { shown, url } = parseAddress(given);
  const pg = loadOptional<typeof import("pg")>("pg", "PostgreSQL");
  let client: Client | undefined;
  try {
    client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: connectMs,
      application_name: "pearl",
      keepAlive: true,
    });
    // Without a listener a lost connection would end the process; the statement under way rejects.
    client.on("error", () => {});
    await client.connect();
    // Texts of dates and numbers do not depend on the user's settings.
    await client.query(
      "SET client_encoding = 'UTF8'; SET datestyle = 'ISO'; SET intervalstyle = 'postgres'; SET extra_float_digits = 1; SET bytea_output = 'hex'",
    );
    const { rows } = await client.query<{ version: number }>(
      "SELECT current_setting('server_version_num')::int AS version",
    );
    // The server notices that a killed client is gone. One on Windows has no means to, and refuses the setting.
    if (rows[0].version >= 140_000)
      await client.query("SET client_connection_check_interval = '5s'").catch(() => undefined);
  } catch (error) {
    client?.end().catch(() => {});
    throw postgresTrouble(error, shown);
  }
  return connectionOf(client, shown);
}

function connectionOf(client: Client, shown: string): PostgresConnection {
  const copyStreams = () => loadOptional<typeof CopyStreams>("pg-copy-streams", "COPY in PostgreSQL");
  return {
    shown,
    async query<Row>(sql: string, values?: readonly PostgresValue[]) {
      try {
        const { rows } = await client.query(sql, values as unknown[] | undefined);
        return rows as Row[];
      } catch (error) {
        throw postgresTrouble(error, shown);
      }
    },
    async copyIn(sql, parts) {
      try {
        await pipeline(parts, client.query(copyStreams().from(sql)));
      } catch (error) {
        throw postgresTrouble(error, shown);
      }
    },
    async *copyOut(sql) {
      try {
        yield* client.query(copyStreams().to(sql)) as AsyncIterable<Buffer>;
      } catch (error) {
        throw postgresTrouble(error, shown);
      }
    },
    async listen(channel, receive, end) {
      client.on("notification", (message) => {
        if (message.channel === channel) receive(message.payload ?? "");
      });
      client.on("end", () => end(postgresTrouble(new Error("Connection terminated unexpectedly"), shown)));
      await this.query(`LISTEN ${client.escapeIdentifier(channel)}`);
    },
    close: () => client.end().catch(() => {}),
  };
}

/** Runs `work` as one transaction. */
export async function inTransaction<Result>(
  connection: PostgresConnection,
  work: () => Promise<Result>,
): Promise<Result> {
  await connection.query("BEGIN");
  try {
    const result = await work();
    await connection.query("COMMIT");
    return result;
  } catch (error) {
    // Where the connection is lost, the server rolls back.
    await connection.query("ROLLBACK").catch(() => undefined);
    throw error;
  }
}

/**
 * The rows of a query, some at a time.
 * @param extent "kept": the server keeps the result, so that other transactions may run in between; "transaction": it makes
 *   row after row, within the caller's transaction
 */
export async function* cursorRows<Row>(
  connection: PostgresConnection,
  sql: string,
  rowsAtOnce: number,
  extent: "kept" | "transaction" = "kept",
): AsyncGenerator<Row[]> {
  const name = "pearl_rows";
  await connection.query(`DECLARE ${name} CURSOR ${extent === "kept" ? "WITH HOLD " : ""}FOR ${sql}`);
  try {
    for (;;) {
      const rows = await connection.query<Row>(`FETCH ${rowsAtOnce} FROM ${name}`);
      if (rows.length > 0) yield rows;
      if (rows.length < rowsAtOnce) return;
    }
  } finally {
    await connection.query(`CLOSE ${name}`).catch(() => undefined);
  }
}
