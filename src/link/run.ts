/** One run: identifies the rows of a table, links them to entities, and writes what changed; all within one transaction. */
import type { PhraseEncoder } from "../encoder/phrase-encoder.js";
import { StoreError } from "../errors.js";
import { attach } from "./attach.js";
import { columnsOf, readCells, readEntities, type StoreState, writeTerms } from "./contents.js";
import { changeReasons, type Grouping, type LikelyPair, likelyPairs, type PairReason } from "./grouping.js";
import { type IncomingRow, identify } from "./identify.js";
import { addDecisions, readJudged } from "./judged.js";
import { modelText, type StoreModel, type StoreSettings } from "./model.js";
import { type EntityChange, type LinkedRow, reconcile } from "./reconcile.js";
import { regroup } from "./regroup.js";
import type { Store } from "./store.js";

export interface RunOptions {
  readonly settings: StoreSettings;
  readonly encoder: () => Promise<PhraseEncoder | "none">;
  /** Undefined: as the store has it, 0.9 in a new one. */
  readonly precision?: number;
  readonly likely?: "report" | "accept";
  /** Default "when-grown": by half since it last did. */
  readonly learn?: "when-grown" | "again" | "never";
  /** A review file or labels to apply from now on, and a file for doubtful pairs to judge. Both lead to learning again. */
  readonly review?: string;
  readonly reviewOutput?: string;
  readonly signal?: AbortSignal;
}

/** Counts of what a run did. */
export interface RunCounts {
  /** Rows of the table that the store has as they are, that are new, and whose cells changed. */
  readonly known: number;
  readonly added: number;
  readonly changed: number;
  readonly created: number;
  readonly merged: number;
  readonly split: number;
}

export interface RunResult extends RunCounts {
  /** Number of the run; 0 where nothing changed. */
  readonly run: number;
  readonly model: StoreModel;
  readonly hasLearned: boolean;
  /** Entity of each row of the table. */
  readonly entities: Int32Array;
  /** Rows of the store that are likely the same and were not linked. */
  readonly likely: readonly LikelyPair[];
  /** Writes the doubtful pairs; undefined where the run did not learn. */
  readonly writeReview?: (path: string) => Promise<number>;
}

const growth = 1.5;

export async function linkRows(
  store: Store,
  state: StoreState,
  incoming: readonly IncomingRow[],
  options: RunOptions,
): Promise<RunResult> {
  const { run, nextRow, model: before } = state;
  const { rowOf, fresh, changed } = await identify(store, incoming, nextRow);
  const counts = {
    known: incoming.length - fresh.length - changed.length,
    ...{ added: fresh.length, changed: changed.length, created: 0, merged: 0, split: 0 },
  };
  const willLearn = mustLearn(state, fresh.length, options);
  const current = await readEntities(store, nextRow + fresh.length);
  const entitiesOf = (entities: Int32Array) => Int32Array.from(rowOf, (row) => entities[row]);
  if (before !== undefined && !willLearn && fresh.length + changed.length === 0)
    return { ...counts, run: 0, model: before, hasLearned: false, entities: entitiesOf(current), likely: [] };
  const pending = new Map([...fresh, ...changed].map(({ place, cells }) => [rowOf[place], cells]));
  await store.put(
    "row",
    run,
    [...fresh, ...changed].map(({ source, key, hash, occurrence, place, cells }) => {
      return [rowOf[place], source, key, hash, occurrence, place + 1, JSON.stringify(cells)];
    }),
  );
  const { columns: names } = options.settings;
  const encoder = await options.encoder();
  let [grouping, model]: [Grouping | undefined, StoreModel | undefined] = [undefined, before];
  let writeReview: RunResult["writeReview"];
  if (willLearn || before === undefined) {
    const cells = await readCells(store);
    const rows = [...cells.keys()].map((row): LinkedRow => {
      return { row, entity: current[row], isSame: !pending.has(row) };
    });
    const { precision = before?.precision.promise.target ?? 0.9, likely = before?.likely ?? "report" } =
      options;
    if (options.review !== undefined)
      await addDecisions(store, run, options.review, columnsOf(names, [...cells.values()]));
    const asked = { precision, likely, encoder, judged: await readJudged(store), signal: options.signal };
    const found = await regroup(rows, [...cells.values()], options.settings, asked);
    ({ grouping, model, writeReview } = found);
    await writeTerms(store, run, cells, { learned: model.learned, names });
    await store.append("learned", [[run, modelText(model)]]);
  } else {
    await writeTerms(store, run, pending, { learned: before.learned, names });
    grouping = await attach(store, pending, current, {
      names,
      model: before,
      encoder,
      judged: await readJudged(store),
      signal: options.signal,
    });
  }
  const { entities, changes, nextEntity } = reconcile(grouping.rows, grouping.groups, state.nextEntity);
  await writeChanges(store, run, current, { grouping, entities, changes });
  const done = { ...counts, ...countChanges(changes) };
  if (run === 1) await store.append("meta", [[1, JSON.stringify(options.settings)]]);
  const report = { source: incoming[0]?.source ?? "", learned: willLearn, ...done };
  await store.append("run", [[run, new Date().toISOString(), JSON.stringify(report), nextEntity, null]]);
  return {
    ...{ ...done, run, model: model!, hasLearned: willLearn, entities: entitiesOf(current) },
    ...{ likely: likelyPairs(grouping, entities), writeReview },
  };
}

/** Whether the run learns from all rows: asked for, needed by another option, or since the store has grown. */
function mustLearn(
  { model, rows }: StoreState,
  added: number,
  { learn, precision, likely, review, reviewOutput }: RunOptions,
): boolean {
  if (model === undefined || learn === "again") return true;
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

interface Changes {
  readonly grouping: Grouping;
  /** New entity of each row of the grouping. */
  readonly entities: Int32Array;
  readonly changes: readonly EntityChange[];
}

/** Also brings `current`, the entity of each row of the store, up to date. */
async function writeChanges(
  store: Store,
  run: number,
  current: Int32Array,
  { grouping, entities, changes }: Changes,
): Promise<void> {
  const { rows } = grouping;
  const moved = new Map<number, number>();
  rows.forEach(({ row, entity }, place) => {
    if (entity !== entities[place]) moved.set(row, entities[place]);
  });
  // Rows of merged entities that were not compared move along.
  const targets = new Map(
    changes.flatMap((change) => (change.kind === "merged" ? [[change.other, change.entity]] : [])),
  );
  const compared = new Set(rows.map(({ row }) => row));
  current.forEach((entity, row) => {
    const target = targets.get(entity);
    if (target !== undefined && !compared.has(row)) moved.set(row, target);
  });
  await store.put("assignment", run, [...moved]);
  for (const [row, entity] of moved) current[row] = entity;
  await store.append(
    "alias",
    Array.from(targets, ([entity, target]) => [run, entity, target]),
  );
  const reasons = changeReasons(grouping, changes, entities);
  await store.append(
    "event",
    changes.map((change, place) => eventLine(run, place, change, rows, reasons[place])),
  );
}

function eventLine(
  run: number,
  place: number,
  change: EntityChange,
  rows: readonly LinkedRow[],
  why: PairReason | undefined,
) {
  const other = "other" in change ? change.other : null;
  const numbers = JSON.stringify(change.rows.map((at) => rows[at].row));
  return [
    run,
    place,
    change.kind,
    change.entity,
    other,
    numbers,
    why?.probability ?? null,
    why?.reason ?? null,
  ];
}

function countChanges(changes: readonly EntityChange[]): Pick<RunCounts, "created" | "merged" | "split"> {
  const count = (kind: EntityChange["kind"]): number =>
    changes.filter((change) => change.kind === kind).length;
  return { created: count("created"), merged: count("merged"), split: count("split") };
}
