/**
 * Entity resolution: rows of two tables, or of one, that are the same thing, found by all columns without labels or flags.
 *
 * A set is a folder in `er/` (or in the data folder itself). about.json has `kind`, "join" or "dedupe", and `gold`,
 * "whole" or "incomplete". To join: left.csv, right.csv, gt.csv (id_l, id_r: ids of the two tables). To dedupe: table.csv,
 * truth.csv (row, from 1, and entity). Scores are of pairs of rows; of groups all pairs within them. Where nothing is found
 * precision is undefined and F1 is 0. Where the gold is incomplete, pairs outside it may be right: only recall is scored.
 * The macro means are over the sets with whole gold; precision over those where something was found. Models: phrase
 * encoders, with matchTables and groupRows at a promised precision of 0.9, and the floor `tfidf`, with the threshold that
 * is best for the set. Both protocols are the same.
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import * as v from "valibot";
import { groupBy } from "../../by-key.js";
import { TableError } from "../../errors.js";
import { parseJson } from "../../files/json.js";
import { exists } from "../../files/whole-file.js";
import { groupRows } from "../../group/group-rows.js";
import { matchTables } from "../../join/match-tables.js";
import type { TableColumns } from "../../match/columns/align.js";
import { rowsOf } from "../../match/columns/fields.js";
import type { MatchedRows } from "../../match/match-rows.js";
import { readWholeTable } from "../../table/whole-table.js";
import { nearestRows } from "../baselines/tfidf.js";
import { missing } from "../data-folder.js";
import { type PairScores, pairScores } from "../metrics.js";
import { macroScore, type Score, secondsSince, type Task, type TaskContext, unknownName } from "../task.js";

const promise = 0.9;
const otherPromises = [0.8, 0.95];

/** What the details of each set's scores say. */
export interface ErDetails {
  readonly kind: string;
  readonly gold: "whole" | "incomplete";
  readonly pairs: number;
  /** Undefined for the floor, which promises nothing. */
  readonly estimate?: number;
  readonly established?: boolean;
}

export const er: Task = {
  name: "er",
  metric: "f1",
  locate: async (context) => (await setFolders(context)).map(({ folder }) => folder),
  async run(context) {
    const { model } = context;
    if (model.kind === "embedding" ? model.encoder === undefined : model.name !== "tfidf")
      return { scores: [], notApplicable: `er on ${model.name}: it compares phrase encoders and tfidf only` };
    const scores: Score[] = [];
    const sets = await setFolders(context);
    for (const [place, { name, folder }] of sets.entries()) {
      context.signal?.throwIfAborted();
      context.onProgress?.(name, place, sets.length);
      scores.push(...(await scoreSet(name, await readErSet(folder), context)));
    }
    return { scores: [...macroScores(scores), ...scores], notes: promiseNotes(scores, model.name) };
  },
};

async function setFolders({ dataFolder, dataset }: Pick<TaskContext, "dataFolder" | "dataset">) {
  const inside = join(dataFolder, "er");
  const parent = (await exists(inside)) ? inside : dataFolder;
  const sets: { name: string; folder: string }[] = [];
  for (const name of (await readdir(parent)).sort())
    if (await exists(join(parent, name, "about.json"))) sets.push({ name, folder: join(parent, name) });
  if (sets.length === 0) throw missing("er", "a set of tables", [join(inside, "<set>", "about.json")]);
  if (dataset === undefined) return sets;
  const asked = sets.filter(({ name }) => name === dataset);
  const known = sets.map(({ name }) => name);
  if (asked.length > 0) return asked;
  throw unknownName("er has no set", dataset, { known, hint: `The sets in ${parent}: ${known.join(", ")}` });
}

interface ErSet {
  readonly gold: ErDetails["gold"];
  readonly left: TableColumns;
  /** Undefined: the rows of one table. */
  readonly right?: TableColumns;
  /** True pairs: left row × width + right row. */
  readonly pairs: ReadonlySet<number>;
  readonly width: number;
}

const about = v.object({
  kind: v.picklist(["join", "dedupe"]),
  gold: v.optional(v.picklist(["whole", "incomplete"]), "whole"),
});

/** Reads the folder of a set. @throws TableError for a file that does not say what it must, and where no pair is true */
export async function readErSet(folder: string): Promise<ErSet> {
  const set = await readFiles(folder);
  if (set.pairs.size > 0) return set;
  throw new TableError(`${folder}: no two rows are the same thing. Add true pairs, or remove the set.`);
}

async function readFiles(folder: string): Promise<ErSet> {
  const file = join(folder, "about.json");
  const trouble = { error: TableError, cure: 'Write {"kind": "join"} or {"kind": "dedupe"}.' };
  const { kind, gold } = parseJson(await readFile(file, "utf8"), file, about, trouble);
  const read = async (name: string, ...needed: string[]): Promise<TableColumns> => {
    const { columns } = await readWholeTable(join(folder, name));
    const lacking = needed.find((column) => columns[column] === undefined);
    if (lacking === undefined) return columns;
    const found = Object.keys(columns).join(", ");
    throw new TableError(`${join(folder, name)}: no column "${lacking}" among ${found}. Add it.`);
  };
  if (kind === "dedupe") {
    const [left, truth] = [await read("table.csv"), await read("truth.csv", "row", "entity")];
    const entities = entitiesOf(truth, rowsOf(left), join(folder, "truth.csv"));
    return { gold, left, pairs: new Set(pairsInside(entities)), width: entities.length };
  }
  const [left, right] = [await read("left.csv", "id"), await read("right.csv", "id")];
  const truth = await read("gt.csv", "id_l", "id_r");
  const width = rowsOf(right);
  const [leftRows, rightRows] = [
    rowsById(left.id, join(folder, "left.csv")),
    rowsById(right.id, join(folder, "right.csv")),
  ];
  const rowOf = (rows: ReadonlyMap<string, number>, id: string, line: number): number => {
    const row = rows.get(id);
    if (row !== undefined) return row;
    throw new TableError(
      `${join(folder, "gt.csv")}, row ${line + 1}: no row has the id ${id}. Correct it, or remove the pair.`,
    );
  };
  const pairs = truth.id_l.map(
    (id, line) => rowOf(leftRows, id, line) * width + rowOf(rightRows, truth.id_r[line], line),
  );
  return { gold, left, right, pairs: new Set(pairs), width };
}

/** @throws TableError for an id of two rows */
function rowsById(ids: readonly string[], path: string): Map<string, number> {
  const rows = new Map<string, number>();
  ids.forEach((id, row) => {
    const first = rows.get(id);
    if (first !== undefined)
      throw new TableError(
        `${path}: rows ${first + 1} and ${row + 1} have the id ${id}. Make them different.`,
      );
    rows.set(id, row);
  });
  return rows;
}

/** The entity of each row. @throws TableError unless each row of the table has one */
function entitiesOf({ row: rows, entity }: TableColumns, count: number, path: string): string[] {
  const entities: string[] = Array(count).fill("");
  rows.forEach((cell, line) => {
    const row = Number(cell) - 1;
    if (!(Number.isInteger(row) && row >= 0 && row < count && entities[row] === "" && entity[line] !== ""))
      throw new TableError(
        `${path}, row ${line + 1}: expected a row of the table from 1 to ${count}, each once, and its entity; ` +
          `found "${cell}", "${entity[line]}".`,
      );
    entities[row] = entity[line];
  });
  const lacking = entities.indexOf("");
  if (lacking < 0) return entities;
  throw new TableError(`${path}: row ${lacking + 1} of the table is missing. Give each row its entity.`);
}

/** Pairs of rows with equal labels, as the smaller row × rows + the other. */
export function pairsInside(labels: ArrayLike<string | number>): number[] {
  const groups = groupBy(Array.from(labels).keys(), (row) => labels[row]);
  return [...groups.values()].flatMap((rows) =>
    rows.flatMap((a, place) => rows.slice(place + 1).map((b) => a * labels.length + b)),
  );
}

async function scoreSet(dataset: string, set: ErSet, context: TaskContext): Promise<Score[]> {
  const started = performance.now();
  const { pairs, ...facts } = await matchedPairs(set, context);
  const seconds = secondsSince(started);
  const found = pairScores(pairs, set.pairs);
  const kind = set.right === undefined ? "groups" : "pairs";
  const details = { ...{ kind, gold: set.gold, pairs: found.pairs }, ...facts };
  return metricsOf(found, set.gold).map(([metric, score]) => {
    return { dataset, metric, score, n: set.pairs.size, seconds, details };
  });
}

/** The metrics that are defined; where the gold is incomplete, recall alone. */
function metricsOf({ precision, recall, f1 }: PairScores, gold: ErDetails["gold"]): [string, number][] {
  if (gold === "incomplete") return [["recall", recall]];
  const both: [string, number][] = [
    ["recall", recall],
    ["f1", f1],
  ];
  return precision === undefined ? both : [["precision", precision], ...both];
}

/** What the model finds, and what it says of its own precision. */
async function matchedPairs({ left, right, pairs, gold, width }: ErSet, { model, signal }: TaskContext) {
  if (model.kind === "similarity") return { pairs: nearestRows(left, right, pairs) };
  const options = { encoder: model.encoder, precision: promise, signal };
  const judged = <Found extends MatchedRows<Found>>(result: Found, pairsOf: (found: Found) => number[]) => {
    const { estimate, low, high, promise: kept } = result;
    const atPromise = otherPromises.map((target) => {
      const found = result.atPrecision(target);
      const scores = Object.fromEntries(metricsOf(pairScores(pairsOf(found), pairs), gold));
      return { target, ...scores, estimate: found.estimate, established: found.promise.established };
    });
    return {
      pairs: pairsOf(result),
      ...{ estimate, low, high, established: kept.established, reason: kept.reason, atPromise },
    };
  };
  if (right === undefined)
    return judged(await groupRows(left, options), ({ groupOf }) => pairsInside(groupOf));
  return judged(await matchTables(left, right, options), ({ matches }) =>
    matches.map((match) => match.left * width + match.right),
  );
}

/** Of the sets with whole gold. */
function macroScores(scores: readonly Score[]): Score[] {
  const whole = scores.filter(({ details }) => details.gold === "whole");
  if (new Set(whole.map(({ dataset }) => dataset)).size < 2) return [];
  return ["precision", "recall", "f1"].flatMap((metric) => {
    const found = whole.filter((score) => score.metric === metric);
    return found.length === 0 ? [] : [macroScore(metric, found)];
  });
}

/** What the promise was worth on the sets with whole gold. */
function promiseNotes(scores: readonly Score[], model: string): string[] {
  const judged = scores.filter(({ metric, details }) => metric === "f1" && details.estimate !== undefined);
  if (judged.length === 0) return [];
  const kept = scores.filter(({ metric, details }) => metric === "precision" && details.established === true);
  const lowest = Math.min(...kept.map(({ score }) => score));
  const worst = kept.length === 0 ? "" : `; the lowest precision measured on them is ${lowest.toFixed(3)}`;
  return [
    `er, ${model}: precision ${promise} established on ${kept.length} of ${judged.length} sets with whole gold${worst}`,
  ];
}
