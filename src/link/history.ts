/** What became of an entity, the rows of a store, and taking the last run back. */
import { StoreError } from "../errors.js";
import type { StoreSettings } from "./model.js";
import { addedTables, replacedTables, type Store, withStore } from "./store.js";

/** A row of a store, where it came from, and its cells. */
export interface StoredRow {
  readonly entity: string;
  /** The table, the row's number (from 1) in the last one of that name that had the row, and its key. */
  readonly source: string;
  readonly row: number;
  readonly key?: string;
  /** Run that brought the row, or its last change. */
  readonly run: number;
  /** Those of the compared columns, and those of the others. */
  readonly cells: Readonly<Record<string, string>>;
  readonly rest: Readonly<Record<string, string>>;
}

/** Something that happened to an entity. */
export interface EntityEvent {
  readonly run: number;
  /** When the run ended, in ISO 8601. */
  readonly time: string;
  readonly kind: "created" | "joined" | "changed" | "merged" | "split";
  readonly entity: string;
  /** merged: the entity that became a name of this one; split: the one that the rows left. */
  readonly other?: string;
  /** The rows, as source and row number. */
  readonly rows: readonly string[];
  readonly probability?: number;
  readonly reason?: string;
}

/** What {@link entityHistory} found. */
export interface EntityHistory {
  /** The entity's name now, and its earlier ones. */
  readonly entity: string;
  readonly aliases: readonly string[];
  readonly rows: readonly StoredRow[];
  /** In order of time. */
  readonly events: readonly EntityEvent[];
}

/** @throws StoreError also where no run has ended: a first one that was killed leaves an empty file */
export const withRuns = <Result>(
  storePath: string,
  work: (store: Store) => Promise<Result>,
): Promise<Result> =>
  withStore(storePath, "existing", async (store) => {
    if (!store.isNew) return work(store);
    throw new StoreError(
      `${storePath} is empty: no run has ended. Link a table: pearl link TABLE --store ${storePath}`,
    );
  });

/** The rows and the events of an entity; the name of a merged one leads to the entity it is part of. @throws StoreError */
export const entityHistory = (storePath: string, name: string): Promise<EntityHistory> =>
  withRuns(storePath, async (store) => {
    const asked = /^E?(\d+)$/i.exec(name.trim());
    if (asked === null)
      throw new StoreError(`"${name}" is not an entity: entities are named E1, E2 and so on.`);
    // The oldest entity lives on: it has the least number.
    const [{ entity, names }] = await store.query<{ entity: number; names: number[] }>(
      `WITH RECURSIVE above AS (SELECT ${asked[1]} AS entity UNION
         SELECT event.entity FROM event JOIN above ON other = above.entity AND kind = 'merged'),
       name AS (SELECT min(entity) AS entity FROM above UNION
         SELECT other FROM event JOIN name ON event.entity = name.entity AND kind = 'merged')
       SELECT min(entity) AS entity, list(entity ORDER BY entity) AS names FROM name`,
    );
    const rows = await storedRows(store, `AND entity = ${entity}`);
    if (rows.size === 0) throw new StoreError(await absence(store, entity));
    return {
      entity: `E${entity}`,
      aliases: names.slice(1).map((alias) => `E${alias}`),
      rows: [...rows.values()],
      events: await eventsOf(store, names),
    };
  });

async function eventsOf(store: Store, entities: readonly number[]): Promise<EntityEvent[]> {
  const names = entities.join();
  const found = await store.query<EntityEvent>(
    `SELECT event.run, time, kind, 'E' || entity AS entity, 'E' || other AS other, probability, reason,
       (SELECT list(r.source || ' ' || coalesce(key, place::VARCHAR) ORDER BY "row") FROM "row" r
        WHERE until IS NULL AND list_contains(rows::INTEGER[], "row")) AS rows
     FROM event JOIN run USING (run) WHERE entity IN (${names}) OR other IN (${names}) ORDER BY event.run, event.rowid`,
  );
  return found.map(filled);
}

/** Without what is null. */
const filled = <Line extends object>(line: Line): Line =>
  Object.fromEntries(Object.entries(line).filter(([, value]) => value !== null)) as Line;

async function absence(store: Store, entity: number): Promise<string> {
  const [undone] = await store.query<{ run: number; day: string }>(
    `SELECT run, undone[:10] AS day FROM run WHERE next_entity > ${entity} AND undone IS NOT NULL ORDER BY run LIMIT 1`,
  );
  const reason =
    undone === undefined
      ? ". pearl link --store FILE --export FILE lists all"
      : `: run ${undone.run}, which made it, was taken back on ${undone.day}`;
  return `${store.path} has no entity E${entity}${reason}.`;
}

/** Current rows by their number in the store, in the order of their entities. @param where a further condition */
export async function storedRows(store: Store, where = ""): Promise<Map<number, StoredRow>> {
  const { columns } = await readSettings(store);
  const found = await store.query<StoredRow & Record<"number" | "texts" | "others", string>>(
    `SELECT a."row" AS number, 'E' || entity AS entity, source, place AS row, key, r.run, r.cells AS texts, rest.cells AS others
     FROM "row" r JOIN assignment a ON r."row" = a."row" LEFT JOIN rest ON rest."row" = r."row" AND rest.until IS NULL
     WHERE r.until IS NULL AND a.until IS NULL ${where} ORDER BY a.entity, number`,
  );
  return new Map(
    found.map(({ number, texts, others, ...row }) => {
      const cells: string[] = JSON.parse(texts);
      const named = Object.fromEntries(columns.map((name, column) => [name, cells[column]]));
      return [Number(number), { ...filled(row), cells: named, rest: JSON.parse(others ?? "{}") }];
    }),
  );
}

/** What a store compares. */
export async function readSettings(store: Store): Promise<StoreSettings> {
  const [meta] = await store.query<{ settings: string }>("SELECT settings FROM meta");
  return JSON.parse(meta?.settings ?? '{ "columns": [] }');
}

/** A run that was taken back. */
export interface UndoneRun {
  readonly run: number;
  readonly time: string;
  readonly source: string;
}

/** Takes the last run back: the store is as it was before it. Its entities' names are not used again. @throws StoreError */
export const undoLink = (storePath: string): Promise<UndoneRun> =>
  withStore(storePath, "existing", (store) =>
    store.transaction(async () => {
      const [last] = await store.query<UndoneRun>(
        "SELECT run, time, source FROM run WHERE undone IS NULL ORDER BY run DESC LIMIT 1",
      );
      if (last === undefined) throw new StoreError(`${storePath} has no run to take back.`);
      await store.query(
        `UPDATE "row" SET place = moved.place FROM moved
         WHERE moved.run = ${last.run} AND until IS NULL AND "row"."row" = moved."row"`,
      );
      for (const table of [...replacedTables, ...addedTables])
        await store.query(`DELETE FROM "${table}" WHERE run = ${last.run}`);
      for (const table of replacedTables)
        await store.query(`UPDATE "${table}" SET until = NULL WHERE until = ${last.run}`);
      await store.query(`UPDATE run SET undone = '${new Date().toISOString()}' WHERE run = ${last.run}`);
      return last;
    }),
  );
