/** Finds the files of a task in the data folder, says how to get a missing one, and downloads AutoFJ's sets. */
import { readdir, readFile, stat } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { gunzipSync } from "node:zlib";
import { gzipTrouble, MissingDataError, messageOf, PearlError, TableError } from "../errors.js";
import { cachePath } from "../files/package.js";
import { fetchByProxy } from "../files/proxy.js";
import { exists, writeWholeFile } from "../files/whole-file.js";
import { wordList } from "../text/word-lists.js";

const archive =
  "the data archive of the PEARL repository (github.com/tigerchen52/PEARL, README, Data Preparation) or " +
  "the Hugging Face data set Lihuchen/pearl_benchmark";

/** Where to get the files of a task, as the end of a sentence. */
const sources: Readonly<Record<string, string>> = {
  autofj: "`pearl data autofj` downloads them (github.com/chu-data-lab/AutomaticFuzzyJoin)",
  er: "docs/judge.md says how a set is laid out",
  sts: "any table of two texts and a score will do",
  misspellings:
    "any tab-separated file of misspellings and words will do, beside a word list (words/words.txt)",
  strings:
    "use the 235,892-word list `words` of NLTK (nltk_data, packages/corpora/words.zip, file words/en), " +
    "one word a line, as it is or gzipped",
};

export const autofjFiles: readonly string[] = ["left.csv", "right.csv", "gt.csv"];

/** A file that a task needs. The first name that exists is used. */
export interface WantedFile {
  /** What the file is, for the message: "the dictionary". */
  readonly what: string;
  readonly names: readonly string[];
}

/** @throws MissingDataError with the paths tried and where to get the data */
export async function findFile(dataFolder: string, task: string, wanted: WantedFile): Promise<string> {
  const paths = wanted.names.map((name) => join(dataFolder, name));
  for (const path of paths) if (await exists(path)) return path;
  throw missing(task, wanted.what, paths);
}

export function missing(task: string, what: string, paths: readonly string[]): MissingDataError {
  const cure = sources[task] ?? `get it from ${archive}`;
  return new MissingDataError(
    `task ${task}: ${what} not found. Tried ${paths.join(", ")}. ` +
      `Put it there, or name another folder with --data; ${cure}.`,
  );
}

/** The subfolders with all of the files, in alphabetical order. */
export async function foldersWith(folder: string, files: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const name of (await readdir(folder).catch(() => [])).sort()) {
    const present = await Promise.all(files.map((file) => exists(join(folder, name, file))));
    if (present.every(Boolean)) found.push(name);
  }
  return found;
}

/** The lines of a UTF-8 text file, gzipped or not. @throws TableError for an empty file */
export async function readLines(path: string): Promise<string[]> {
  const bytes = await readFile(path);
  const text = (path.endsWith(".gz") ? unpacked(path, bytes) : bytes).toString("utf8").replace(/^\ufeff/, "");
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  if (lines.length === 0) throw new TableError(`${path} is empty. Download the file of the data set again.`);
  return lines;
}

function unpacked(path: string, bytes: Buffer): Buffer {
  try {
    return gunzipSync(bytes);
  } catch (error) {
    throw gzipTrouble(path, error);
  }
}

/** The name of a file in results: relative to the data folder if it is inside it. */
export function shownPath(dataFolder: string, path: string): string {
  const inside = relative(dataFolder, path);
  return inside.startsWith("..") ? join(basename(dirname(path)), basename(path)) : inside;
}

/** The default data folder: $PEARL_DATA, else ./data/bench if it exists, else pearl/bench in the cache folder. */
export async function defaultDataFolder(environment = process.env): Promise<string> {
  if (environment.PEARL_DATA) return environment.PEARL_DATA;
  const local = join("data", "bench");
  if (await exists(local)) return local;
  return cachePath("bench", environment);
}

/** @throws MissingDataError for a missing folder, so that a mistyped --data is not reported as ten missing files */
export async function checkDataFolder(dataFolder: string): Promise<void> {
  const facts = await stat(dataFolder).catch(() => undefined);
  if (facts?.isDirectory()) return;
  throw new MissingDataError(
    `data folder ${dataFolder}: ${facts ? "not a folder" : "not found"}. Name the folder with --data or ` +
      "PEARL_DATA; `pearl data autofj` downloads the AutoFJ tables.",
  );
}

/** The repository, at the commit with the tables of the published scores. */
const repository =
  "chu-data-lab/AutomaticFuzzyJoin/2e638b2dd17da41abf5ed71575cea94b1d175ccd/src/autofj/benchmark";

const defaultEndpoint = "https://raw.githubusercontent.com";

/** Names of the 50 sets. */
export const autofjSets = wordList("autofj-sets", (entries) => entries.flat());

interface DownloadOptions {
  /** Server with the files of the repository. Default: $PEARL_DATA_ENDPOINT, else raw.githubusercontent.com. */
  readonly endpoint?: string;
  /** Names of the sets. Default: all 50. */
  readonly sets?: readonly string[];
  readonly onProgress?: (done: number, total: number) => void;
  readonly signal?: AbortSignal;
}

/**
 * Downloads `<set>/left.csv`, `right.csv` and `gt.csv` to `<dataFolder>/autofj`. Files appear under their names only when
 * complete, so that a second call downloads only what is missing.
 *
 * @returns the folder with one subfolder per set, and how many files were downloaded and how many already existed
 * @throws MissingDataError for an unreachable server, a missing file or an incomplete one
 */
export async function downloadAutofj(dataFolder: string, options: DownloadOptions = {}) {
  const { sets = autofjSets(), onProgress, signal } = options;
  const endpoint = options.endpoint || process.env.PEARL_DATA_ENDPOINT || defaultEndpoint;
  const source = `${endpoint.replace(/\/+$/, "")}/${repository}`;
  const folder = join(dataFolder, "autofj");
  const wanted = sets.flatMap((set) => autofjFiles.map((file) => `${set}/${file}`));
  let [downloaded, kept] = [0, 0];
  for (const name of wanted) {
    const path = join(folder, name);
    if (await exists(path)) kept++;
    else {
      await writeWholeFile(path, await fetchWhole(`${source}/${name}`, signal));
      downloaded++;
    }
    onProgress?.(downloaded + kept, wanted.length);
  }
  return { folder, downloaded, kept };
}

/** The body of a URL; fetch rejects one shorter than its content-length. */
async function fetchWhole(url: string, signal: AbortSignal | undefined): Promise<Uint8Array> {
  try {
    // Uncompressed, so that content-length is the length of the file.
    const response = await fetchByProxy(url, { signal, headers: { "accept-encoding": "identity" } });
    if (response.ok) return new Uint8Array(await response.arrayBuffer());
    await response.body?.cancel();
    const cure =
      response.status === 404
        ? "The server does not have this file: check PEARL_DATA_ENDPOINT, which must serve GitHub's raw files."
        : "Try again later, or name a mirror with PEARL_DATA_ENDPOINT.";
    throw new MissingDataError(`${url}: the server answered ${response.status}. ${cure}`);
  } catch (error) {
    if (error instanceof PearlError) throw error;
    signal?.throwIfAborted();
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    throw new MissingDataError(
      `${url}: the download failed (${messageOf(cause) || "no answer"}). Check the network, or name a mirror with ` +
        "PEARL_DATA_ENDPOINT, and run it again: files already downloaded are kept.",
      { cause: error },
    );
  }
}
