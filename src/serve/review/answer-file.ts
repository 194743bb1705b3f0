/** A review file that is answered pair by pair: an answer counts once the whole file is on disk with it. */
import { mkdir, realpath, rmdir, stat } from "node:fs/promises";
import { basename } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { LockedError, TableError, UsageError } from "../../errors.js";
import { acquireLock } from "../../files/lock.js";
import { ObjectChanged } from "../../files/object-storage/client.js";
import { checkIfMatch, throughUpload } from "../../files/object-storage/write.js";
import { isObjectAddress, isPostgresAddress } from "../../files/place.js";
import { isSystemError, replaceFile } from "../../files/whole-file.js";
import { inTurn } from "../../in-turn.js";
import { type Answer, answerOf, columnNamed, reviewColumns } from "../../match/review/read-decisions.js";
import { type RowsFormat, rowsEndingOf, rowsFormatOfName } from "../../table/format.js";
import { changeCell } from "../../table/postgres/write.js";
import { writeTrouble } from "../../table/trouble.js";
import { batchesOf, readWholeTable } from "../../table/whole-table.js";
import { stateOf } from "../../table/write/output-names.js";
import { writeRows } from "../../table/write/text-rows.js";

/** A pair of rows with its cells side by side. */
export interface AskedPair {
  /** The numbers of the two rows, from 1. */
  readonly id: string;
  readonly answer: Answer;
  /** A side without the column is undefined. */
  readonly cells: readonly { readonly name: string; readonly left?: string; readonly right?: string }[];
  readonly why: string;
}

export interface AnswerFile {
  /** By id, in the order of the file. */
  pairs(): ReadonlyMap<string, AskedPair>;
  /**
   * Answers are written one after the other.
   * @param seen the answer that the person saw
   * @returns "taken" if the pair has another answer by now, which stays
   */
  answer(id: string, answer: Answer, seen: Answer): Promise<"written" | "taken">;
}

type Given = [...Parameters<AnswerFile["answer"]>, tries?: number];

/** @param save what writes a review's rows @throws TableError for a file that is not a review, UsageError */
export async function openAnswers(path: string, save = writeRows): Promise<AnswerFile> {
  const format = formatOfReview(path);
  if (isObjectAddress(path)) await checkIfMatch(path);
  let review = await readReview(path);
  const next = inTurn();
  const write = async (...[id, answer, seen, tries = 1]: Given): ReturnType<AnswerFile["answer"]> => {
    // A spreadsheet program or another review may have saved it meanwhile; a table in PostgreSQL does not say so.
    const found = await versionOf(path);
    if (found === noVersion || found !== review.version) review = await readReview(path);
    const { pairs, columns, rows, style } = review;
    const pair = pairs.get(id);
    if (pair?.answer !== seen) return "taken";
    const written = rows.map((row) => (row.id === id ? { ...row, written: answer } : row));
    const cellsOf = ({ cells, written }: ReviewRow) => cells(written);
    const version = isPostgresAddress(path)
      ? (await changeCell(path, answer, rows.findLast((row) => row.id === id)!.texts)) && noVersion
      : await replaceVersion(path, review.version, async (target) => {
          await save(target, columns, batchesOf(written, cellsOf), format, style);
        });
    if (!version) {
      if (tries === mostTries) throw new LockedError(`${path}: others write all the time. Answer again.`);
      return write(id, answer, seen, tries + 1);
    }
    pairs.set(id, { ...pair, answer });
    review = { pairs, columns, rows: written, style, version };
    return "written";
  };
  return {
    pairs: () => review.pairs,
    answer: (...given) => next(() => write(...given)),
  };
}

/** @throws UsageError for what cannot hold the answers, such as standard input */
function formatOfReview(path: string): RowsFormat {
  if (isPostgresAddress(path) || rowsEndingOf(path) !== "") return rowsFormatOfName(path);
  throw new UsageError(
    `${path}: the answers are written into the review. Name a .csv, .tsv, .jsonl, .parquet or .xlsx file that --review-out wrote.`,
  );
}

type ReviewRow = Awaited<ReturnType<typeof readReview>>["rows"][number];

async function readReview(path: string) {
  const version = await versionOf(path);
  const { description, columns, typed, phrases } = await readWholeTable(path, { column: "1" });
  const [name, names] = [basename(path), description.columns];
  const { left, right, decision } = reviewColumns(names);
  if (left === undefined || right === undefined || decision === undefined)
    throw new TableError(
      `${name}: a review has the columns decision, left_row and right_row. \`pearl join\` and \`pearl dedupe\` write one with --review-out FILE.`,
    );
  const place = names.indexOf(decision);
  const shown = shownColumns(names.filter((header) => ![left, right, decision].includes(header)));
  const why = columnNamed(names, "why");
  const pairs = new Map<string, AskedPair>();
  const rows = phrases.map((_, row) => {
    const id = `${columns[left][row].trim()} ${columns[right][row].trim()}`;
    const answer = answerOf(columns[decision][row]);
    if (answer === undefined)
      throw new TableError(
        `${name}, row ${row + 1}: "${columns[decision][row]}" is not a decision. Write yes or no, or leave it empty.`,
      );
    const cells = shown.map((column) => ({
      name: column.name,
      ...(column.left !== undefined && { left: columns[column.left][row] }),
      ...(column.right !== undefined && { right: columns[column.right][row] }),
    }));
    pairs.set(id, { id, answer, cells, why: why === undefined ? "" : columns[why][row] });
    return {
      id,
      texts: [decision, left, right].map((name) => [name, columns[name][row]] as const),
      cells: (written?: Answer) =>
        written === undefined ? typed.cells(row) : typed.cells(row).with(place, written),
      written: undefined as Answer | undefined,
    };
  });
  const outputs = typed.columns.with(place, { name: decision, type: "VARCHAR" });
  return { version, style: description, pairs, rows, columns: outputs };
}

/** Headers of cells that belong together: of one name, or a left one right before a right one without a namesake. */
function shownColumns(headers: readonly string[]) {
  const nameOf = (header: string, side: string): string | undefined =>
    header.startsWith(`${side}_`) ? header.slice(side.length + 1) : undefined;
  const found: { name: string; left?: string; right?: string }[] = [];
  const rights = new Set(headers.filter((header) => nameOf(header, "right") !== undefined));
  headers.forEach((left, index) => {
    const name = nameOf(left, "left");
    if (name === undefined) return;
    const [twin, next] = [`right_${name}`, headers[index + 1] ?? ""];
    const other = nameOf(next, "right");
    const isLone = other !== undefined && !headers.includes(`left_${other}`);
    const right = rights.has(twin) ? twin : isLone ? next : undefined;
    if (right !== undefined) rights.delete(right);
    const both = right === undefined || right === twin ? name : `${name} = ${other}`;
    found.push({ name: both, left, right });
  });
  for (const right of rights) found.push({ name: nameOf(right, "right")!, right });
  return found;
}

class OtherVersion extends Error {}

/**
 * Replaces a file or an object by what `write` makes of its content.
 * @returns the new version; undefined where it has another one than `known` by now, and stays
 * @throws TableError, ObjectStorageError
 */
async function replaceVersion(
  path: string,
  known: string,
  write: (target: string) => Promise<void>,
): Promise<string | undefined> {
  let made = noVersion; // an object is read again before the next answer
  let unlock: (() => Promise<void>) | undefined;
  try {
    if (isObjectAddress(path)) await throughUpload(path, write, known);
    else
      await replaceFile(path, async (temporary) => {
        await write(temporary);
        // Until the file has its name, no other review replaces what is compared here.
        unlock = await lockReview(path);
        if ((await versionOf(path)) !== known) throw new OtherVersion();
        made = await versionOf(temporary);
      });
    return made;
  } catch (error) {
    if (error instanceof OtherVersion || error instanceof ObjectChanged) return undefined;
    // Messages name the review, not the temporary file.
    const cause = error instanceof TableError ? error.cause : error;
    throw isSystemError(cause) ? writeTrouble(cause, path) : error;
  } finally {
    await unlock?.();
  }
}

/** Tries to write before another review does, or to take its lock, and milliseconds between two of these. */
const [mostTries, pauseMs] = [400, 25];

/** @returns what frees the review again @throws LockedError that names the process of another review */
async function lockReview(path: string): Promise<() => Promise<void>> {
  const folder = `${await realpath(path).catch(() => path)}.lock`;
  for (let tries = 1; ; tries++) {
    await mkdir(folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
    try {
      const lock = await acquireLock(folder);
      return async () => {
        await lock.release();
        await rmdir(folder).catch(() => {}); // another review is taking the lock
      };
    } catch (error) {
      // The folder went with another lock.
      const isGone = (error as NodeJS.ErrnoException).code === "ENOENT";
      if (tries === mostTries || !(isGone || error instanceof LockedError)) throw error;
      await sleep(pauseMs);
    }
  }
}

const noVersion = "0 0 0";

async function versionOf(path: string): Promise<string> {
  if (isObjectAddress(path)) return (await stateOf(path)) ?? noVersion;
  const found = await stat(path, { bigint: true }).catch(() => undefined);
  return found === undefined ? noVersion : `${found.mtimeNs} ${found.size} ${found.ino}`;
}
