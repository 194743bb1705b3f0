/** One run: identifies the rows of a table, links them to entities, and writes what changed; all within one transaction. */
import { StoreError } from "../errors.js";
import { checkAddedRows } from "../match/memory/memory-plan.js";
import { isPhrases } from "../match/phrase-column.js";
import type { LineStyle } from "../table/format.js";
import { attach, type LearnedModel } from "./attach.js";
import { changeReasons, type Grouping, keepLikely, likelyPairs } from "./grouping.js";
import type { AllLinked } from "./learn.js";
import type { RunOptions, StoreModel, StoreState } from "./model.js";
import { reconcile } from "./reconcile.js";
import { type Store, version } from "./store.js";

/** The rows of the table that is linked. */
export interface IncomingRows {
  /** Keys are unique within a source. Undefined: that of the store's keys if it has most of the table's, else `name`. */
  readonly source?: string;
  /** Of the table, which names a source of its own. */
  readonly name: string;
  /** Undefined: rows are known by their content. */
  readonly keys?: readonly string[];
  readonly rows: number;
  /** The compared cells of a row. */
  cellsOf(row: number): readonly string[];
  /** Its other cells, by the names of their columns. */
  restOf(row: number): Readonly<Record<string, string>>;
}

/** Counts of what a run did. */
export interface RunCounts {
  /** Rows of the table that the store has as they are, that are new, and whose cells changed. */
  readonly known: number;
  readonly added: number;
  readonly changed: number;
  /** Known rows with other cells than before in columns that are not compared. */
  readonly renewed: number;
  readonly created: number;
  readonly merged: number;
  readonly split: number;
  /** Number of the run in the store; 0 where nothing changed. */
  readonly run: number;
  readonly entitiesBefore: number;
  readonly entitiesAfter: number;
  /** Pairs of rows within the entities of the store. */
  readonly matches: number;
  /** Whether the run learned from all rows of the store. */
  readonly hasLearned: boolean;
  /** Entity of each row of the table. */
  readonly entityOf: readonly string[];
}

interface RunResult {
  readonly counts: RunCounts;
  readonly model: StoreModel;
  /** Writes the doubtful pairs; undefined where the run did not learn. */
  readonly writeReview?: (path: string, style: LineStyle) => Promise<number>;
}

const growth = 1.5;

export async function linkRows(
  store: Store,
  state: StoreState,
  incoming: IncomingRows,
  options: RunOptions,
): Promise<RunResult> {
  const { run, model: before } = state;
  const { source, ...identified } = await identifyIn(store, incoming, state.nextRow, options.onNote);
  const hasLearned = mustLearn(state, identified, options);
  if (!hasLearned && options.sharing !== undefined)
    throw new StoreError(
      "this run only adds to what the store has learned, which is no work to share. Leave out --shard, or add --relearn.",
    );
  const result = async (of: number, { entities, pairs }: EntityCounts): Promise<RunCounts> => ({
    ...{ ...identified, ...(await countChanges(store, of)), run: of, hasLearned },
    ...{ entitiesBefore: state.entities, entitiesAfter: entities, matches: pairs },
    entityOf: await linkedEntities(store),
  });
  const isSame = before !== undefined && !hasLearned && identified.added + identified.changed === 0;
  if (isSame && identified.renewed === 0) {
    await moveRows(store, "(SELECT max(run) FROM run WHERE undone IS NULL)");
    return { counts: await result(0, state), model: before };
  }
  const endRun = async (nextEntity: number, { entities, pairs }: EntityCounts): Promise<void> => {
    const time = new Date().toISOString();
    await store.append("run", [[run, time, source, nextEntity, entities, pairs, null]]);
  };
  await store.put("rest", run, 'SELECT "row", rest FROM new_linked WHERE renews');
  if (isSame) {
    await moveRows(store, run);
    await endRun(state.nextEntity, state);
    return { counts: await result(run, state), model: before };
  }
  const encoder = options.settings.model === undefined ? "none" : undefined;
  if (!hasLearned) await checkAddedRows(identified.added + identified.changed, { ...options, encoder });
  await moveRows(store, run);
  const changed = `SELECT "row", source, key, place, cells FROM new_linked WHERE state <> 'known'`;
  await store.put("row", run, changed);
  // Most runs do not learn: what learning alone needs is not loaded for them.
  const learning = hasLearned || before === undefined ? await import("./learn.js") : undefined;
  const { nextEntity, model, linked, writeReview } = await regroup(
    store,
    state,
    learning?.learn(store, state, options) ?? attached(store, state, before as LearnedModel, options),
  );
  if (linked !== undefined) await learning?.relearnTerms(store, run, linked, model);
  if (state.settings === undefined) {
    await store.query("DELETE FROM meta");
    await store.append("meta", [[version, JSON.stringify(options.settings)]]);
  }
  const after = await countEntities(store);
  await endRun(nextEntity, after);
  const counts = await result(run, after);
  return { counts, model, writeReview };
}

interface Regrouped extends Pick<RunResult, "model" | "writeReview"> {
  readonly grouping: Grouping;
  /** All rows of the store, where the run learned from them. */
  readonly linked?: AllLinked;
}

const attached = async (
  store: Store,
  state: StoreState,
  model: LearnedModel,
  options: RunOptions,
): Promise<Regrouped> => ({ model, grouping: await attach(store, state, model, options) });

/** Writes what changed of entities. What their rows were compared by is free when it returns. */
async function regroup(store: Store, { run, nextEntity: first }: StoreState, regrouped: Promise<Regrouped>) {
  const { grouping, ...rest } = await regrouped;
  const found = reconcile(grouping.rows, grouping.groups, first);
  await writeChanges(store, run, grouping, found);
  await keepLikely(store, run, likelyPairs(grouping, found.entities));
  return { ...rest, nextEntity: found.nextEntity };
}

/**
 * Finds which rows of the table the store knows, by key where there is one, else by content: of rows with equal cells the nth is
 * the nth, first of those without a key. New rows are numbered from `nextRow`. Columns that are not compared and that the table
 * lacks keep their cells, and those that another source filled.
 */
async function identify(
  store: Store,
  { source, keys, rows, cellsOf, restOf }: IncomingRows & { readonly source: string },
  nextRow: number,
) {
  function* lines() {
    for (let row = 0; row < rows; row++)
      yield [
        row + 1,
        source,
        keys?.[row] ?? null,
        ...[cellsOf(row), restOf(row)].map((part) => JSON.stringify(part)),
      ];
  }
  await store.makeTemporary(
    "new_incoming",
    "place INTEGER, source VARCHAR, key VARCHAR, cells VARCHAR, rest VARCHAR",
    lines(),
  );
  const [column, isSameRow] =
    keys === undefined
      ? ["cells", "i.cells = stored.cells AND i.nth = stored.nth"]
      : ["key", "i.source = stored.source AND i.key = stored.key"];
  await store.query(
    `CREATE OR REPLACE TEMP TABLE new_linked AS
     WITH i AS (SELECT *, row_number() OVER (PARTITION BY cells ORDER BY place) AS nth FROM new_incoming),
     stored AS (SELECT *, row_number() OVER (PARTITION BY cells ORDER BY key IS NOT NULL, "row") AS nth
       FROM "row" WHERE until IS NULL AND ${column} IN (SELECT ${column} FROM new_incoming)),
     found AS (SELECT i.* EXCLUDE (nth, rest), i.source = stored.source AND i.place <> stored.place AS moves,
       CASE WHEN "row" IS NULL THEN 'added' WHEN i.cells = stored.cells THEN 'known' ELSE 'changed' END AS state,
       coalesce("row", ${nextRow} - 1 + row_number() OVER (PARTITION BY "row" IS NULL ORDER BY i.place)) AS "row",
       rest AS given, stored.source <> i.source AS of_other
       FROM i LEFT JOIN stored ON ${isSameRow}),
     merged AS (SELECT found.*, kept.cells AS kept, CASE WHEN kept.cells IS NULL THEN given
         WHEN of_other THEN json_merge_patch(given, kept.cells) ELSE json_merge_patch(kept.cells, given) END AS rest
       FROM found LEFT JOIN rest kept ON kept."row" = found."row" AND kept.until IS NULL)
     SELECT * EXCLUDE (given, of_other, kept), rest <> coalesce(kept, '{}') AND
       NOT coalesce(json_contains(kept, rest), false) AS renews FROM merged`,
  );
  const counts = await countValues(store, ["known", "added", "changed"], "state FROM new_linked");
  const news = `CASE WHEN renews AND state = 'known' THEN 'renewed' END FROM new_linked`;
  return { ...counts, ...(await countValues(store, ["renewed"], news)) };
}

/**
 * Gives known rows their places in the table: a row is looked up in the last table of its source.
 * @param run whose undo gives back the places before; rows that it added need none, since undo deletes them
 */
async function moveRows(store: Store, run: number | string): Promise<void> {
  const where = `until IS NULL AND r."row" = new_linked."row" AND moves AND state = 'known'`;
  await store.query(
    `INSERT INTO moved SELECT ${run}, r."row", r.place FROM "row" r, new_linked
     WHERE ${where} AND r.run < ${run} AND r."row" NOT IN (SELECT "row" FROM moved WHERE run = ${run})`,
  );
  await store.query(`UPDATE "row" r SET place = new_linked.place FROM new_linked WHERE ${where}`);
}

/** How many lines of a query have each value of its one column. */
async function countValues<Value extends string>(
  store: Store,
  values: readonly Value[],
  query: string,
): Promise<Readonly<Record<Value, number>>> {
  const counts = values.map((value) => `coalesce(count_if(value = '${value}'), 0)::INTEGER AS ${value}`);
  const [found] = await store.query<Record<Value, number>>(
    `SELECT ${counts.join()} FROM (SELECT ${query}) AS line(value)`,
  );
  return found;
}

/** Finds the rows of a table by the source that was named, or by that of the store's keys if it has most of the table's. */
async function identifyIn(
  store: Store,
  incoming: IncomingRows,
  nextRow: number,
  onNote?: (note: string) => void,
) {
  const found = await identifyBySource(store, incoming, nextRow);
  const { source, added } = found;
  if (source !== (incoming.source ?? incoming.name))
    onNote?.(
      `keys are those of ${source}, the one source of the store; if they are not, name another with --source`,
    );
  if (incoming.keys === undefined && added > 0 && (await hasKeys(store)))
    onNote?.(
      `${source}: the store knows rows of it by their keys. Without --key, rows with other cells were taken for new ` +
        "ones. If they are not, take this run back with --undo and name the key",
    );
  return found;
}

async function identifyBySource(store: Store, incoming: IncomingRows, nextRow: number) {
  const { name, source = (await sourceOfKeys(store, incoming)) ?? name } = incoming;
  const found = await identify(store, { ...incoming, source }, nextRow);
  if (source === (incoming.source ?? name)) return { source, ...found };
  // A few keys in common are chance: 1, 2 and 3 are in many tables.
  if (2 * found.added > incoming.rows)
    return { source: name, ...(await identify(store, { ...incoming, source: name }, nextRow)) };
  await refuseOtherKeys(store, source);
  return { source, ...found };
}

/** The source of the store's keys, for a table with keys, if they have one. */
async function sourceOfKeys(store: Store, { keys }: IncomingRows): Promise<string | undefined> {
  if (keys === undefined) return undefined;
  const found = await store.query<{ source: string }>(
    'SELECT DISTINCT source FROM "row" WHERE until IS NULL AND key IS NOT NULL LIMIT 2',
  );
  return found.length === 1 ? found[0].source : undefined;
}

/** Rows whose keys are looked at. */
const lookedAt = 1000;

/** @throws StoreError where most rows differ in most cells from the rows that have their keys */
async function refuseOtherKeys(store: Store, source: string): Promise<void> {
  const pairs = await store.query<{ given: string; stored: string }>(
    `SELECT n.cells AS given, r.cells AS stored FROM new_linked n JOIN "row" r USING ("row")
     WHERE r.until IS NULL LIMIT ${lookedAt}`,
  );
  const strangers = pairs.filter(({ given, stored }) => {
    const [cells, others] = [given, stored].map((text): string[] => JSON.parse(text));
    return 2 * cells.filter((cell, column) => cell === others[column]).length < cells.length;
  });
  if (2 * strangers.length > pairs.length)
    throw new StoreError(
      `${strangers.length} of ${pairs.length} keys that ${store.path} knows have other cells now in most ` +
        `columns. If the table is of another source, name it with --source; if it is not, say --source ${source}.`,
    );
}

/** Whether the store has rows with keys of the table's source. */
const hasKeys = async (store: Store): Promise<boolean> =>
  (
    await store.query(
      'SELECT 1 FROM "row" WHERE until IS NULL AND key IS NOT NULL AND source IN (SELECT source FROM new_incoming) LIMIT 1',
    )
  ).length > 0;

/** The entity of each row of the table. */
async function linkedEntities(store: Store): Promise<string[]> {
  const [found] = await store.columns<[string]>(
    `SELECT 'E' || entity FROM new_linked JOIN assignment USING ("row") WHERE until IS NULL ORDER BY new_linked.place`,
  );
  return found;
}

/** What a run did to entities; run 0 did nothing. */
const countChanges = (store: Store, run: number) =>
  countValues(store, ["created", "merged", "split"], `kind FROM event WHERE run = ${run}`);

type EntityCounts = Pick<StoreState, "entities" | "pairs">;

async function countEntities(store: Store): Promise<EntityCounts> {
  const [counts] = await store.query<EntityCounts>(
    `SELECT count(*)::INTEGER AS entities, coalesce(sum(rows * (rows - 1) // 2), 0)::DOUBLE AS pairs
     FROM (SELECT count(*) AS rows FROM assignment WHERE until IS NULL GROUP BY entity)`,
  );
  return counts;
}

/** Whether a store compares one column of phrases, also by weights that an earlier version learned. */
function isOfPhrases({ columns }: StoreModel): boolean {
  const [kind, ...others] = columns.flatMap(({ kind }) => kind ?? []);
  return kind !== undefined && others.length === 0 && isPhrases(kind);
}

/** Whether the run learns from all rows: asked for, needed by another option, or since the store has grown. */
function mustLearn(
  { model, rows }: StoreState,
  { added, changed }: Pick<RunCounts, "added" | "changed">,
  { settings, learn, precision, likely, review, reviewOutput }: RunOptions,
): boolean {
  if (model === undefined || learn === "again") return true;
  if (added + changed > 0 && isOfPhrases(model)) {
    if (learn !== "never") return true;
    throw new StoreError(
      `the store compares one column of phrases (${settings.columns}): each run with new rows compares all of them. ` +
        "Leave out --no-relearn.",
    );
  }
  const isOther =
    (precision !== undefined && precision !== model.precision.promise.target) ||
    (likely !== undefined && likely !== model.likely) ||
    review !== undefined ||
    reviewOutput !== undefined;
  if (isOther && learn === "never")
    throw new StoreError(
      "another --precision, --link-likely, --review and --review-out need a run that learns again. Leave out --no-relearn.",
    );
  return isOther || (learn !== "never" && rows + added >= growth * model.rows && added > 0);
}

async function writeChanges(
  store: Store,
  run: number,
  grouping: Grouping,
  { entities, changes, nextEntity }: ReturnType<typeof reconcile>,
): Promise<void> {
  const { rows } = grouping;
  const reasonOf = changeReasons(grouping, entities, nextEntity);
  function* events() {
    for (const change of changes) {
      const { kind, entity, other = null, rows: places } = change;
      const moved = JSON.stringify(places.map((place) => rows[place].row));
      const { probability = null, reason = null } = reasonOf(change) ?? {};
      yield [run, kind, entity, other, moved, probability, reason];
    }
  }
  await store.append("event", events());
  function* moved() {
    for (let place = 0; place < rows.length; place++)
      if (rows[place].entity !== entities[place]) yield [rows[place].row, entities[place]];
  }
  await store.makeTemporary("new_assignment", '"row" INTEGER, entity INTEGER', moved());
  // Rows of merged entities that were not compared move along.
  await store.put(
    "assignment",
    run,
    `SELECT * FROM new_assignment UNION ALL
     SELECT "row", event.entity FROM assignment JOIN event ON assignment.entity = other AND kind = 'merged' AND event.run = ${run}
     WHERE until IS NULL AND "row" NOT IN (SELECT "row" FROM new_assignment)`,
  );
}
