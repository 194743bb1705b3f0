/** The folder of an unfinished output: finished vectors, and a manifest that says what they belong to. */
import { randomUUID } from "node:crypto";
import { type FileHandle, mkdir, open, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { messageOf, TableError } from "../errors.js";
import { isDiskFull } from "./database.js";
import { npyHeader, npyHeaderBytes } from "./npy.js";

/** What the vectors of a partial output belong to; all must be equal for a run to go on with them. */
export interface PartialKey {
  /** Of the model and every option that changes vectors. */
  fingerprint: string;
  /** Of the input table's content. */
  table: string;
  dimension: number;
  from: number;
  to: number;
}

interface Manifest extends PartialKey {
  version: 1;
  /** Changes with each run that takes the folder over. */
  run: string;
}

/** An open partial output. Its vectors file is a whole .npy file once every row is in. */
export interface Partial {
  folder: string;
  vectorsPath: string;
  vectors: FileHandle;
  rowsDone: number;
  run: string;
  /** What a person should know: an earlier run was thrown away, or there was none to go on with. */
  note: string | undefined;
}

/** The folder of the unfinished output of `path`. */
export function partialFolder(path: string): string {
  return `${path}.partial`;
}

/**
 * Opens the partial output of `path`. "continue" goes on where an earlier run of the same key ended, and
 * throws TableError where the key differs; "start-over" throws an earlier run's vectors away.
 */
export async function openPartial(
  path: string,
  key: PartialKey,
  resume: "continue" | "start-over",
): Promise<Partial> {
  const folder = partialFolder(path);
  const earlier = await readManifest(folder);
  const goesOn = resume === "continue" && earlier !== undefined;
  if (goesOn) refuseOtherKey(path, earlier, key);
  const vectorsPath = join(folder, "vectors.npy");
  try {
    if (!goesOn) await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    const run = randomUUID();
    const vectors = await open(vectorsPath, goesOn ? "r+" : "w+");
    const rowsDone = goesOn ? await wholeRows(vectors, key) : 0;
    if (!goesOn) await vectors.write(npyHeader(key.to - key.from, key.dimension), 0, npyHeaderBytes, 0);
    await writeManifest(folder, { version: 1, run, ...key });
    return { folder, vectorsPath, vectors, rowsDone, run, note: noteOn(folder, earlier, resume) };
  } catch (error) {
    if (error instanceof TableError) throw error;
    throw writeTrouble(error, folder);
  }
}

/** Throws TableError where another run has taken the folder over since `openPartial`. */
export async function checkStillOurs(partial: Partial): Promise<void> {
  const manifest = await readManifest(partial.folder);
  if (manifest?.run !== partial.run) {
    throw new TableError(
      `${partial.folder}: another run has started on the same output. Let one finish, or give them different names.`,
    );
  }
}

/** A failure to write, as a TableError with a cure. */
export function writeTrouble(error: unknown, place: string): TableError {
  const code = (error as NodeJS.ErrnoException).code;
  if (isDiskFull(error)) {
    return new TableError(`${place}: no space left on the disk. Free some, then go on with --resume.`, {
      cause: error,
    });
  }
  if (code === "EACCES" || code === "EPERM" || code === "EROFS") {
    return new TableError(`${place}: not allowed to write here. Choose another output folder.`, {
      cause: error,
    });
  }
  return new TableError(`${place}: cannot be written (${messageOf(error)}).`, { cause: error });
}

async function wholeRows(vectors: FileHandle, key: PartialKey): Promise<number> {
  const { size } = await vectors.stat();
  const rowBytes = key.dimension * 4;
  // The last row may have been cut by the end of the run.
  const rows = Math.max(0, Math.min(Math.floor((size - npyHeaderBytes) / rowBytes), key.to - key.from));
  if (size < npyHeaderBytes) {
    await vectors.write(npyHeader(key.to - key.from, key.dimension), 0, npyHeaderBytes, 0);
  }
  await vectors.truncate(npyHeaderBytes + rows * rowBytes);
  return rows;
}

function refuseOtherKey(path: string, earlier: Manifest, key: PartialKey): void {
  const folder = partialFolder(path);
  const reason =
    earlier.table !== key.table
      ? "the input table has changed since"
      : earlier.fingerprint !== key.fingerprint || earlier.dimension !== key.dimension
        ? "the model or its options were others"
        : earlier.from !== key.from || earlier.to !== key.to
          ? `it was for rows ${earlier.from} to ${earlier.to}, not ${key.from} to ${key.to}`
          : undefined;
  if (reason !== undefined) {
    throw new TableError(
      `${folder}: the unfinished run cannot be resumed: ${reason}. ` +
        "Start over without --resume, or choose another output name.",
    );
  }
}

function noteOn(folder: string, earlier: Manifest | undefined, resume: string): string | undefined {
  if (resume === "continue") {
    return earlier === undefined ? "nothing to resume: starting from the first row" : undefined;
  }
  return earlier === undefined
    ? undefined
    : `${folder} of an unfinished run was replaced (--resume would have gone on with it)`;
}

async function readManifest(folder: string): Promise<Manifest | undefined> {
  try {
    const manifest = JSON.parse(await readFile(join(folder, "manifest.json"), "utf8")) as Manifest;
    await stat(join(folder, "vectors.npy"));
    return manifest.version === 1 ? manifest : undefined;
  } catch {
    return undefined;
  }
}

async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const temporary = join(folder, "manifest.json.new");
  await writeFile(temporary, `${JSON.stringify(manifest, null, 2)}\n`);
  await rename(temporary, join(folder, "manifest.json"));
}
