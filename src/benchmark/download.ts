/** Downloads the 50 AutoFJ sets from their public repository into the data folder. */
import { join } from "node:path";
import { MissingDataError, messageOf } from "../errors.js";
import { exists, writeWholeFile } from "../files/whole-file.js";
import { wordList } from "../text/word-lists.js";
import { autofjFiles } from "./data-folder.js";

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
    const response = await fetch(url, { signal, headers: { "accept-encoding": "identity" } });
    if (response.ok) return new Uint8Array(await response.arrayBuffer());
    await response.body?.cancel();
    const cure =
      response.status === 404
        ? "The server does not have this file: check PEARL_DATA_ENDPOINT, which must serve GitHub's raw files."
        : "Try again later, or name a mirror with PEARL_DATA_ENDPOINT.";
    throw new MissingDataError(`${url}: the server answered ${response.status}. ${cure}`);
  } catch (error) {
    if (error instanceof MissingDataError) throw error;
    signal?.throwIfAborted();
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    throw new MissingDataError(
      `${url}: the download failed (${messageOf(cause) || "no answer"}). Check the network, or name a mirror with ` +
        "PEARL_DATA_ENDPOINT, and run it again: files already downloaded are kept.",
      { cause: error },
    );
  }
}
