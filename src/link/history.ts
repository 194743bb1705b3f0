/** What became of an entity, all rows with their entities, and taking the last run back. */
import { StoreError } from "../errors.js";
import { numberCell, type OutputColumn } from "../table/cell.js";
import type { RowsFormat } from "../table/format.js";
import { batchesOf } from "../table/whole-table.js";
import { writeRows } from "../table/write/text-rows.js";
import { entityName, type StoreSettings } from "./model.js";
import { addedTables, replacedTables, type Store, withStore } from "./store.js";

/** A row of a store, where it came from, and its compared cells. */
export interface StoredRow {
  readonly entity: string;
  /** The table, the row's number in it (from 1), and its key. */
  readonly source: string;
  readonly row: number;
  readonly key?: string;
  /** Run that brought the row, or its last change. */
  readonly run: number;
  readonly cells: Readonly<Record<string, string>>;
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

/** The rows and the events of an entity; the name of a merged one leads to the entity it is part of. @throws StoreError */
export const entityHistory = (storePath: string, name: string): Promise<EntityHistory> =>
  withStore(storePath, "existing", async (store) => {
    const asked = /^E?(\d+)$/i.exec(name.trim());
    if (asked === null) throw new StoreError(`"${name}" is no entity: entities are named E1, E2 and so on.`);
    const { entity, aliases } = await resolveAlias(store, Number(asked[1]));
    const rows = await storedRows(store, `WHERE entity = ${entity}`);
    if (rows.length === 0) throw new StoreError(await absence(store, entity));
    const all = [entity, ...aliases].join(",");
    const found = await store.query(
      `SELECT event.run, run.time, kind, entity, other, rows, probability, reason FROM event JOIN run USING (run)
       WHERE entity IN (${all}) OR other IN (${all}) ORDER BY event.run, place`,
    );
    const origins = await originsOf(
      store,
      found.flatMap((line) => JSON.parse(String(line[5]))),
    );
    const events = found.map(([run, time, kind, one, other, numbers, probability, reason]): EntityEvent => {
      const names = (JSON.parse(String(numbers)) as number[]).map((row) => origins.get(row) ?? String(row));
      return {
        ...{
          run: Number(run),
          time: String(time),
          kind: kind as EntityEvent["kind"],
          entity: entityName(Number(one)),
        },
        ...(other !== null && { other: entityName(Number(other)) }),
        rows: names,
        ...(probability !== null && { probability: Number(probability), reason: String(reason) }),
      };
    });
    return { entity: entityName(entity), aliases: aliases.map(entityName), rows, events };
  });

/** Follows merges forward to the entity of today, and back to all names that lead to it. */
async function resolveAlias(store: Store, asked: number): Promise<{ entity: number; aliases: number[] }> {
  if (store.isNew) return { entity: asked, aliases: [] };
  const links = (await store.query("SELECT entity, target FROM alias ORDER BY run")).map(([a, b]) => [
    Number(a),
    Number(b),
  ]);
  const targets = new Map(links.map(([a, b]) => [a, b]));
  let entity = asked;
  for (let next = targets.get(entity); next !== undefined; next = targets.get(entity)) entity = next;
  const aliases: number[] = [];
  for (const [from] of targets) {
    let end = from;
    for (let next = targets.get(end); next !== undefined; next = targets.get(end)) end = next;
    if (end === entity) aliases.push(from);
  }
  return { entity, aliases: aliases.sort((a, b) => a - b) };
}

async function absence(store: Store, entity: number): Promise<string> {
  const [made] = await store.query(
    `SELECT run, undone FROM run WHERE next_entity > ${entity} AND undone IS NOT NULL ORDER BY run LIMIT 1`,
  );
  return made === undefined
    ? `${store.path} has no entity E${entity}. pearl link --store FILE --export FILE lists all.`
    : `${store.path} has no entity E${entity}: run ${made[0]}, which made it, was taken back on ${String(made[1]).slice(0, 10)}.`;
}

async function originsOf(store: Store, rows: readonly number[]): Promise<Map<number, string>> {
  const found = await store.query(
    `SELECT "row", source, place, key FROM "row" WHERE "row" IN (${[...rows, 0].join(",")}) ORDER BY run`,
  );
  return new Map(
    found.map(([row, source, place, key]) => [Number(row), `${source} ${key === null ? place : key}`]),
  );
}

async function storedRows(store: Store, where: string): Promise<StoredRow[]> {
  if (store.isNew) return [];
  const [[text]] = await store.query("SELECT settings FROM meta");
  const { columns } = JSON.parse(String(text)) as StoreSettings;
  const found = await store.query(
    `SELECT entity, source, place, key, r.run, cells FROM "row" r JOIN assignment a ON r."row" = a."row"
       AND r.until IS NULL AND a.until IS NULL ${where} ORDER BY entity, r."row"`,
  );
  return found.map(([entity, source, place, key, run, cells]) => {
    const values = JSON.parse(String(cells)) as string[];
    return {
      ...{ entity: entityName(Number(entity)), source: String(source), row: Number(place), run: Number(run) },
      ...(key !== null && { key: String(key) }),
      cells: Object.fromEntries(columns.map((name, column) => [name, values[column]])),
    };
  });
}

/** Writes all rows of a store with their entities. @returns the number of rows @throws StoreError, TableError */
export const exportEntities = (storePath: string, output: string, format?: RowsFormat): Promise<number> =>
  withStore(storePath, "existing", async (store) => {
    const rows = await storedRows(store, "");
    const names = Object.keys(rows[0]?.cells ?? {});
    const columns: OutputColumn[] = ["entity", "source", { name: "row", type: "BIGINT" }, "key", ...names];
    const lines = batchesOf(rows, ({ entity, source, row, key, cells }) => [
      ...[entity, source, numberCell(row), key ?? null],
      ...names.map((name) => cells[name]),
    ]);
    return await writeRows(output, columns, lines, format);
  });

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
      const [last] = await store.query(
        "SELECT run, time, report FROM run WHERE undone IS NULL ORDER BY run DESC LIMIT 1",
      );
      if (last === undefined) throw new StoreError(`${storePath} has no run to take back.`);
      const run = Number(last[0]);
      for (const table of [...replacedTables, ...addedTables])
        await store.query(`DELETE FROM "${table}" WHERE run = ${run}`);
      for (const table of replacedTables)
        await store.query(`UPDATE "${table}" SET until = NULL WHERE until = ${run}`);
      await store.query(`UPDATE run SET undone = '${new Date().toISOString()}' WHERE run = ${run}`);
      return {
        run,
        time: String(last[1]),
        source: (JSON.parse(String(last[2])) as { source: string }).source,
      };
    }),
  );
