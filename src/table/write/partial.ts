/** The folder of an unfinished output: finished vectors, and a manifest that says what they belong to. */
import { randomUUID } from "node:crypto";
import { mkdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { messageOf, TableError } from "../../errors.js";
import { writeWholeJson } from "../../files/whole-file.js";
import { isDiskFull } from "../read/database.js";
import { VectorFile, type VectorLayout } from "./vector-file.js";

/** What the vectors of a partial output belong to; all must be equal for a run to go on with them. */
export interface PartialKey {
  /** Of the model and every option that changes vectors. */
  fingerprint: string;
  /** Of the input table's content. */
  table: string;
  dimension: number;
  layout: VectorLayout;
  from: number;
  to: number;
}

interface Manifest extends PartialKey {
  version: 1;
  /** Changes with each run that takes the folder over. */
  run: string;
}

/** An open partial output. */
export interface Partial {
  folder: string;
  vectorsPath: string;
  vectors: VectorFile;
  run: string;
  /** What a person should know: an earlier run was thrown away, or there was none to go on with. */
  note: string | undefined;
}

const vectorsName = "vectors";
const manifestName = "manifest.json";

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
  const vectorsPath = join(folder, vectorsName);
  const { dimension, layout } = key;
  const shape = { layout, dimension, rows: key.to - key.from };
  try {
    if (!goesOn) await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    const run = randomUUID();
    const vectors = await VectorFile.open(vectorsPath, shape, { resume: goesOn });
    await writeWholeJson(join(folder, manifestName), { version: 1, run, ...key } satisfies Manifest);
    return { folder, vectorsPath, vectors, run, note: noteOn(folder, earlier, resume) };
  } catch (error) {
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

function refuseOtherKey(path: string, earlier: Manifest, key: PartialKey): void {
  const folder = partialFolder(path);
  const reason =
    earlier.table !== key.table
      ? "the input table has changed since"
      : earlier.fingerprint !== key.fingerprint || earlier.dimension !== key.dimension
        ? "the model or its options were others"
        : earlier.layout !== key.layout
          ? "the output format was another"
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
    const manifest = JSON.parse(await readFile(join(folder, manifestName), "utf8")) as Manifest;
    await stat(join(folder, vectorsName));
    return manifest.version === 1 ? manifest : undefined;
  } catch {
    return undefined;
  }
}
