/** Opens pg-boss on a connection of pearl's own: with its logins, its messages, and transactions over both. */
import type PgBoss from "pg-boss";
import { TableError } from "../../errors.js";
import { loadOptional } from "../../files/package.js";
import {
  connectPostgres,
  type PostgresConnection,
  type PostgresValue,
} from "../../table/postgres/connection.js";

/** Not pg-boss's usual one, which another program may use with another version. */
export const schema = "pearl_queue";

export interface OpenQueue {
  readonly connection: PostgresConnection;
  readonly boss: PgBoss;
  /** The last error of a statement of pg-boss. */
  trouble: unknown;
}

const makingLock = "hashtextextended('pearl queue', 0)";

/** Days after which finished jobs, and those that nobody does, are forgotten. */
const keptDays = 30;

/** @param names queues that are made where they are missing @throws TableError, MissingDataError */
export async function openQueue(address: string, names: readonly string[]): Promise<OpenQueue> {
  const Boss = loadOptional<typeof PgBoss>("pg-boss", "a queue of workers");
  const connection = await connectPostgres(address);
  try {
    const executeSql = async (text: string, values?: unknown[]) => {
      try {
        const rows = await connection.query(text, values as PostgresValue[] | undefined);
        // Several statements at once have no rows.
        return { rows: (rows as typeof rows | undefined) ?? [] };
      } catch (error) {
        if (/^\s*BEGIN/.test(text)) await connection.query("ROLLBACK").catch(() => undefined);
        open.trouble = withRights(error, connection.shown);
        throw open.trouble;
      }
    };
    const boss = new Boss({
      ...{ schema, db: { executeSql }, supervise: false, schedule: false },
      ...{ archiveCompletedAfterSeconds: keptDays * 24 * 60 * 60, retentionDays: keptDays },
    });
    const open: OpenQueue = { connection, boss, trouble: undefined };
    // Two that make a queue at the same time would wait for each other's locks.
    await connection.query(`SELECT pg_advisory_lock(${makingLock})`);
    await boss.start();
    for (const name of names) if ((await boss.getQueue(name)) === null) await boss.createQueue(name);
    await connection.query(`SELECT pg_advisory_unlock(${makingLock})`);
    return open;
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** A queue's rights are granted for all of its tables at once. */
function withRights(error: unknown, shown: string): unknown {
  const { code, message } = Object((error as Error).cause) as { code?: string; message?: string };
  if (code !== "42501" || message?.includes("for database")) return error;
  return new TableError(
    `${shown}: this user may not use the queue (${message}). Let its owner grant it: GRANT USAGE ON SCHEMA ${schema} TO USER; ` +
      `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO USER`,
    { cause: error },
  );
}
