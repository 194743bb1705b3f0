/** Follows a table's changes by LISTEN and NOTIFY: a trigger of the table tells of them, and a pass brings the embeddings in step. */
import { TableError } from "../../errors.js";
import { inTransaction, type PostgresConnection } from "../../table/postgres/connection.js";
import type { Relation } from "../../table/postgres/relation.js";
import { identifier, literal } from "../../table/read/database.js";
import { nameOfSide, type SideSettings } from "./side-table.js";

/** Milliseconds after a notification in which others are taken together with it. */
const gatherMs = 200;

interface FollowOptions {
  readonly until?: "once" | "follow";
  readonly trigger?: "install" | "leave";
  readonly signal?: AbortSignal;
  readonly onNote?: (note: string) => void;
}

/** Installs the trigger if asked to, syncs, and syncs after each change until `signal` aborts. @returns the table's rows */
export async function followChanges(
  connection: PostgresConnection,
  source: Relation,
  settings: SideSettings,
  pass: () => Promise<number>,
  { until, trigger, signal, onNote }: FollowOptions,
): Promise<number> {
  const channel = nameOfSide(source);
  if (trigger === "install") await installTrigger(connection, source, settings);
  if (until !== "follow") return pass();
  await checkTrigger(connection, source);
  let wake = (): void => {};
  let isDue = false;
  let trouble: Error | undefined;
  await connection.listen(
    channel,
    () => {
      isDue = true;
      wake();
    },
    (error) => {
      trouble = error;
      wake();
    },
  );
  const onAbort = (): void => wake();
  signal?.addEventListener("abort", onAbort);
  try {
    let rows = await pass();
    onNote?.(`following the changes of ${source.name}`);
    for (;;) {
      if (!isDue && trouble === undefined && !signal?.aborted)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      if (signal?.aborted) return rows;
      if (trouble !== undefined) throw trouble;
      await new Promise((resolve) => setTimeout(resolve, gatherMs));
      isDue = false;
      rows = await pass();
    }
  } finally {
    signal?.removeEventListener("abort", onAbort);
  }
}

const triggerName = (source: Relation): string => `${nameOfSide(source).slice(0, 50)}_changed`;

async function installTrigger(
  connection: PostgresConnection,
  source: Relation,
  settings: SideSettings,
): Promise<void> {
  const trigger = identifier(triggerName(source));
  const procedure = `${identifier(source.schema)}.${trigger}`;
  const columns = [...new Set([settings.key, settings.column])].map(identifier).join(", ");
  await inTransaction(connection, async () => {
    await connection.query(
      `CREATE OR REPLACE FUNCTION ${procedure}() RETURNS trigger LANGUAGE plpgsql AS ` +
        literal(`BEGIN PERFORM pg_notify(${literal(nameOfSide(source))}, ''); RETURN NULL; END`),
    );
    await connection.query(`DROP TRIGGER IF EXISTS ${trigger} ON ${source.sql}`);
    await connection.query(
      `CREATE TRIGGER ${trigger} AFTER INSERT OR DELETE OR TRUNCATE OR UPDATE OF ${columns} ON ${source.sql} ` +
        `FOR EACH STATEMENT EXECUTE FUNCTION ${procedure}()`,
    );
  });
}

async function checkTrigger(connection: PostgresConnection, source: Relation): Promise<void> {
  const [found] = await connection.query(
    "SELECT FROM pg_trigger WHERE tgrelid = $1::regclass AND tgname = $2",
    [source.sql, triggerName(source)],
  );
  if (found === undefined)
    throw new TableError(
      `${connection.shown}: ${source.name} has no trigger that tells of changes. Add --trigger, which installs it.`,
    );
}
