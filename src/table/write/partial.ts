/** The folder of an unfinished output: the vectors so far, what was counted of them, and a manifest of what they belong to. */
import { randomUUID } from "node:crypto";
import { readdir, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { type InferOutput, literal, number, object, picklist, string } from "valibot";
import { LockedError, TableError } from "../../errors.js";
import { readJson } from "../../files/json.js";
import { acquireLock, type Lock } from "../../files/lock.js";
import { temporaryParent } from "../../files/object-storage/temporary-folder.js";
import { exists, isDevice, makeFolder, writeWholeJson } from "../../files/whole-file.js";
import { writeTrouble } from "../trouble.js";
import { VectorFile } from "./vector-file.js";

const manifestSchema = object({
  version: literal(1),
  /** Fingerprint of the model, the column and every option that changes vectors. */
  fingerprint: string(),
  /** Identity of the input table's content. */
  table: string(),
  dimension: number(),
  layout: picklist(["npy", "parquet"]),
  from: number(),
  to: number(),
});
type Manifest = InferOutput<typeof manifestSchema>;

/** What the vectors of a partial output belong to. A run resumes only where all of it is equal. */
export type PartialKey = Omit<Manifest, "version">;

/**
 * An open partial output. Its `note` is for the user: an earlier run was discarded, or none was found. Only one that
 * `isResumable` is kept when its run ends early.
 */
export type Partial = Awaited<ReturnType<typeof openPartial>>;

/**
 * Opens the partial output of `path`. "continue" resumes an earlier run, "start-over" discards its vectors, and "never"
 * says that no run resumes this one.
 * @throws TableError where the earlier run's key differs or its manifest is damaged, where its place is taken by something
 *   else, or the folder cannot be written; LockedError where another run is writing to it
 */
export async function openPartial(
  path: string,
  key: PartialKey,
  resume: "continue" | "start-over" | "never",
) {
  // Beside a device, as in /dev, is no place for files, and no run finds those elsewhere.
  const isBeside = !(await isDevice(path));
  const isResumable = isBeside && resume !== "never";
  const folder = isBeside ? `${path}.partial` : join(temporaryParent(), `pearl-output-${randomUUID()}`);
  /** What messages name where vectors cannot be written. */
  const place = isBeside ? path : temporaryParent();
  const vectorsPath = join(folder, "vectors");
  const earlier = await readManifest(folder).catch((error): undefined => {
    if (resume === "continue") throw error;
  });
  const isResumed = resume === "continue" && earlier !== undefined;
  if (isResumed) refuseOtherKey(folder, earlier, key);
  else await refuseForeign(folder);
  const trouble = (error: unknown): TableError =>
    isResumable ? writeTrouble(error, folder, "--resume") : writeTrouble(error, isBeside ? folder : place);
  const lock = await lockFolder(folder, resume).catch((error: unknown) => {
    throw error instanceof LockedError ? error : trouble(error);
  });
  try {
    for (const name of isResumed ? [] : await readdir(folder))
      if (name !== "lock") await rm(join(folder, name), { recursive: true, force: true });
    const shape = { layout: key.layout, dimension: key.dimension, rows: key.to - key.from };
    const vectors = await VectorFile.open(vectorsPath, shape, { resume: isResumed });
    await writeWholeJson(join(folder, "manifest.json"), { version: 1, ...key } satisfies Manifest);
    const countsPath = join(folder, "counts");
    const note = isResumable ? noteOn(folder, earlier, resume) : undefined;
    return { folder, vectorsPath, countsPath, vectors, place, lock, isResumable, note };
  } catch (error) {
    if (!isResumable) await rm(folder, { recursive: true, force: true }).catch(() => undefined);
    await lock.release();
    throw trouble(error);
  }
}

/**
 * Makes the folder and takes its lock. A run that none resumes takes over that of another machine: the merge of a queue goes to
 * another worker when the first one's machine has died.
 */
async function lockFolder(folder: string, resume: "continue" | "start-over" | "never"): Promise<Lock> {
  await makeFolder(folder);
  try {
    return await acquireLock(folder, resume === "never" ? "are gone" : "outlive");
  } catch (error) {
    // One that is not empty stays: it is another run's.
    await rmdir(folder).catch(() => undefined);
    throw error;
  }
}

/** The files that a run keeps in its folder, also under the names that they have until they are complete. */
const ownFile =
  /^(tmp_)?(lock(\.[0-9a-f-]{36})?|vectors|counts|manifest\.json(\.\d+)?|keys\.(csv|parquet)|whole\.(csv|tsv|jsonl))(\.[0-9a-f]{12}\.partial)?$/;

/** Refuses a file, or a folder with other files than those of a run: they would be removed. @throws TableError */
async function refuseForeign(folder: string): Promise<void> {
  const entries = await readdir(folder).catch((error: NodeJS.ErrnoException): string[] | "a file" => {
    if (error.code === "ENOENT") return [];
    if (error.code === "ENOTDIR") return "a file";
    throw writeTrouble(error, folder);
  });
  const foreign = entries === "a file" ? "" : entries.find((name) => !ownFile.test(name));
  if (foreign === undefined) return;
  const what = foreign === "" ? "is a file" : `holds ${foreign}`;
  throw new TableError(
    `${folder} ${what}, which no run of pearl has left: its place is needed for the unfinished output. ` +
      "Move it away, or choose another output name.",
  );
}

function refuseOtherKey(folder: string, earlier: PartialKey, key: PartialKey): void {
  const reasons: Record<string, (keyof PartialKey)[]> = {
    "the input table has changed since": ["table"],
    "it used another column, another model or other options": ["fingerprint", "dimension"],
    "its output format was different": ["layout"],
    [`it was for rows ${earlier.from} to ${earlier.to}, not ${key.from} to ${key.to}`]: ["from", "to"],
  };
  const reason = Object.keys(reasons).find((one) =>
    reasons[one].some((field) => earlier[field] !== key[field]),
  );
  if (reason === undefined) return;
  throw new TableError(
    `${folder}: the unfinished run cannot be resumed: ${reason}. ` +
      "Start over without --resume, or choose another output name.",
  );
}

function noteOn(folder: string, earlier: Manifest | undefined, resume: string): string | undefined {
  if (resume === "continue") return earlier ? undefined : "nothing to resume: starting from the first row";
  return earlier && `replaced ${folder}, which an unfinished run had left (--resume would have continued it)`;
}

/** The manifest, where there are vectors too. @throws TableError for a damaged one */
async function readManifest(folder: string): Promise<Manifest | undefined> {
  if (!(await exists(join(folder, "vectors")))) return undefined;
  const trouble = { error: TableError, cure: "Start over without --resume." };
  return readJson(join(folder, "manifest.json"), manifestSchema, trouble);
}
