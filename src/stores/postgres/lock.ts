/** One sync of a table at a time: two would write the same rows. */
import { setTimeout as sleep } from "node:timers/promises";
import { LockedError } from "../../errors.js";
import type { PostgresConnection } from "../../table/postgres/connection.js";
import type { Relation } from "../../table/postgres/relation.js";

/** Milliseconds that a killed run may hold its lock, and between two tries to take it. */
const [lockMs, pauseMs] = [15_000, 500];

/** Takes the advisory lock of a table for as long as the connection lives. @throws LockedError after 15 seconds */
export async function lockSync(
  connection: PostgresConnection,
  { sql }: Relation,
  signal?: AbortSignal,
): Promise<void> {
  const key = "hashtextextended('pearl sync ' || $1::regclass::oid, 0)";
  for (let waited = 0; ; waited += pauseMs) {
    const [{ taken }] = await connection.query<{ taken: boolean }>(
      `SELECT pg_try_advisory_lock(${key}) AS taken`,
      [sql],
    );
    if (taken) return;
    if (waited >= lockMs)
      throw new LockedError(
        `${connection.shown}: another sync of ${sql} is running. Wait until it has finished.`,
      );
    await sleep(pauseMs, undefined, { signal });
  }
}
