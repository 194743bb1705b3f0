/** Finds a task's files in the data folder, under our layout's names or the published ones, and says how to get what is missing. */
import { access, readdir, readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { gunzipSync } from "node:zlib";
import { MissingDataError, TableError } from "../errors.js";

const archive =
  "the data archive of the PEARL repository (github.com/tigerchen52/PEARL, README, Data Preparation) or " +
  "the Hugging Face data set Lihuchen/pearl_benchmark";

/** Where the files of each set come from, as a sentence's end. */
const sources: Readonly<Record<string, string>> = {
  autofj: "`pearl data autofj` downloads them (github.com/chu-data-lab/AutomaticFuzzyJoin)",
  strings:
    "use the 235,892-word list `words` of NLTK (nltk_data, packages/corpora/words.zip, file words/en), " +
    "one word a line, as it is or gzipped",
};

/** One kind of file that a task needs; any one of the names will do, the first found is taken. */
export interface WantedFile {
  /** What the file is, for the message: "the dictionary". */
  readonly what: string;
  /** Paths relative to the data folder, preferred first. */
  readonly names: readonly string[];
}

/**
 * The path of a wanted file.
 * @throws MissingDataError naming each path that was looked for and where the data comes from.
 */
export async function findFile(dataFolder: string, task: string, wanted: WantedFile): Promise<string> {
  const paths = wanted.names.map((name) => join(dataFolder, name));
  for (const path of paths) if (await exists(path)) return path;
  throw missing(task, wanted.what, paths);
}

/** The error for data that is not there: what was looked for, where, and the cure. */
export function missing(task: string, what: string, paths: readonly string[]): MissingDataError {
  const cure = sources[task] ?? `get it from ${archive}`;
  return new MissingDataError(
    `task ${task}: ${what} not found. Looked for ${paths.join(", ")}. ` +
      `Put it there, or name another folder with --data; ${cure}.`,
  );
}

/** The subfolders that hold all the given files, in alphabetical order. */
export async function foldersWith(folder: string, files: readonly string[]): Promise<string[]> {
  let names: string[];
  try {
    names = (await readdir(folder)).sort();
  } catch {
    return [];
  }
  const found: string[] = [];
  for (const name of names) {
    const present = await Promise.all(files.map((file) => exists(join(folder, name, file))));
    if (present.every(Boolean)) found.push(name);
  }
  return found;
}

/**
 * Lines of a UTF-8 text file, gzipped or not, without the empty last one.
 * @throws TableError for a file without any
 */
export async function readLines(path: string): Promise<string[]> {
  const bytes = await readFile(path);
  const text = (path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8").replace(/^\ufeff/, "");
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  if (lines.length === 0) throw new TableError(`${path} is empty: put the data set's file there again`);
  return lines;
}

/** How a file is named in results: relative to the data folder where it lies inside. */
export function shownPath(dataFolder: string, path: string): string {
  const inside = relative(dataFolder, path);
  return inside.startsWith("..") ? join(basename(dirname(path)), basename(path)) : inside;
}

/** The data folder when none is named: $PEARL_DATA, ./data/bench where it exists, else the cache folder. */
export async function defaultDataFolder(environment = process.env): Promise<string> {
  if (environment.PEARL_DATA) return environment.PEARL_DATA;
  const local = join("data", "bench");
  return (await exists(local)) ? local : cacheDataFolder(environment);
}

/** Where downloads go when no folder is named: $XDG_CACHE_HOME or ~/.cache, then pearl/bench. */
export function cacheDataFolder(environment = process.env): string {
  return join(environment.XDG_CACHE_HOME || join(homedir(), ".cache"), "pearl", "bench");
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/**
 * Checks that the data folder is there at all, so that a mistyped --data is not reported as ten missing files.
 * @throws MissingDataError
 */
export async function checkDataFolder(dataFolder: string): Promise<void> {
  const facts = await stat(dataFolder).catch(() => undefined);
  if (facts?.isDirectory()) return;
  throw new MissingDataError(
    `data folder ${dataFolder}: ${facts ? "not a folder" : "not found"}. Name the folder with --data or ` +
      "PEARL_DATA; `pearl data autofj` downloads the AutoFJ tables.",
  );
}
