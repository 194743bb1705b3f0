/** Follows a table's changes by LISTEN and NOTIFY: its triggers name the changed rows, and a pass brings their embeddings in step. */
import { TableError } from "../../errors.js";
import { fingerprint } from "../../files/checksums/fingerprint.js";
import { inTransaction, type PostgresConnection } from "../../table/postgres/connection.js";
import type { Relation } from "../../table/postgres/relation.js";
import { identifier, literal } from "../../table/read/database.js";
import { nameBeside, type SideSettings } from "./side-table.js";

/** Milliseconds after a notification in which others are taken together with it. */
const gatherMs = 200;

interface FollowOptions {
  readonly until?: "once" | "follow";
  readonly trigger?: "install" | "leave";
  readonly signal?: AbortSignal;
  readonly onNote?: (note: string) => void;
}

/**
 * Installs the triggers if asked to, syncs, and syncs after each change until `signal` aborts.
 * @param pass syncs the rows of some keys, or all
 */
export async function followChanges(
  connection: PostgresConnection,
  source: Relation,
  settings: SideSettings,
  pass: (keys?: readonly string[]) => Promise<void>,
  { until, trigger, signal, onNote }: FollowOptions,
): Promise<void> {
  if (trigger === "install") await installTrigger(connection, source, settings);
  if (until !== "follow") return pass();
  await checkTrigger(connection, source);
  let wake = (): void => {};
  let due: Set<string> | "all" | undefined;
  let trouble: Error | undefined;
  await connection.listen(
    channelOf(source),
    (text) => {
      const keys = keysIn(text);
      if (keys === undefined || due === "all") due = "all";
      else {
        due ??= new Set();
        for (const key of keys) due.add(key);
      }
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
    // After a lost connection, too: nothing told of the changes in between.
    await pass();
    onNote?.(`following the changes of ${source.name}`);
    for (;;) {
      if (due === undefined && trouble === undefined && !signal?.aborted)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      if (signal?.aborted) return;
      if (trouble !== undefined) throw trouble;
      await new Promise((resolve) => setTimeout(resolve, gatherMs));
      const keys = due === undefined || due === "all" ? undefined : [...due];
      due = undefined;
      await pass(keys);
    }
  } finally {
    signal?.removeEventListener("abort", onAbort);
  }
}

/** The keys that a notification names, without those of rows that have none; undefined for "", where it may be any row. */
const keysIn = (text: string): readonly string[] | undefined =>
  text.startsWith("[") ? (JSON.parse(text) as (string | null)[]).filter((key) => key !== null) : undefined;

/** Of one table: channels belong to the whole database. */
const channelOf = ({ sql }: Relation): string => `pearl_${fingerprint(sql)}`;

const triggerName = (source: Relation, event = ""): string => nameBeside(source, `_changed${event}`);

async function installTrigger(
  connection: PostgresConnection,
  source: Relation,
  settings: SideSettings,
): Promise<void> {
  const procedure = `${identifier(source.schema)}.${identifier(triggerName(source))}`;
  const key = `${identifier(settings.key)}::text AS key`;
  const changed = `SELECT ${key} FROM changed`;
  // A notification holds less than 8,000 bytes. More keys than fit are any rows: "". A column may be called as a variable is.
  const body = `#variable_conflict use_column
DECLARE keys text := '';
BEGIN
  IF TG_OP = 'UPDATE' THEN
    SELECT json_agg(key) INTO keys FROM (${changed} UNION SELECT ${key} FROM replaced LIMIT 2000) c;
  ELSIF TG_OP <> 'TRUNCATE' THEN
    SELECT json_agg(key) INTO keys FROM (${changed} LIMIT 2000) c;
  END IF;
  IF octet_length(keys) > 7900 THEN keys := ''; END IF;
  IF keys IS NOT NULL THEN PERFORM pg_notify(${literal(channelOf(source))}, keys); END IF;
  RETURN NULL;
END`;
  const events = {
    TRUNCATE: "",
    INSERT: "REFERENCING NEW TABLE AS changed",
    UPDATE: "REFERENCING NEW TABLE AS changed OLD TABLE AS replaced",
    DELETE: "REFERENCING OLD TABLE AS changed",
  };
  await inTransaction(connection, async () => {
    await connection.query(
      `CREATE OR REPLACE FUNCTION ${procedure}() RETURNS trigger LANGUAGE plpgsql SET datestyle = 'ISO' AS ${literal(body)}`,
    );
    for (const [event, rows] of Object.entries(events)) {
      const suffix = event === "TRUNCATE" ? "" : `_${event.toLowerCase()}`;
      const trigger = identifier(triggerName(source, suffix));
      await connection.query(`DROP TRIGGER IF EXISTS ${trigger} ON ${source.sql}`);
      await connection.query(
        `CREATE TRIGGER ${trigger} AFTER ${event} ON ${source.sql} ${rows} FOR EACH STATEMENT EXECUTE FUNCTION ${procedure}()`,
      );
    }
  });
}

/** @throws TableError without a trigger that notifies this table's channel */
async function checkTrigger(connection: PostgresConnection, source: Relation): Promise<void> {
  const [found] = await connection.query(
    `SELECT FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
     WHERE tgrelid = $1::regclass AND tgname = $2 AND position($3 IN prosrc) > 0`,
    [source.sql, triggerName(source), channelOf(source)],
  );
  if (found === undefined)
    throw new TableError(
      `${connection.shown}: ${source.name} has no trigger that tells of changes. Add --trigger, which installs it.`,
    );
}
