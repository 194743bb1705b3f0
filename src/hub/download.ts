/** Models by hub id: `downloadModel("intfloat/e5-small-v2")` gives a model folder in the hub's own cache. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { filesOf } from "../architectures/registry.js";
import { ArgumentError } from "../errors.js";
import {
  cachedCommits,
  commitlessName,
  exists,
  isKnownAbsent,
  linkIntoSnapshot,
  repositoryFolder,
  snapshotFolder,
  writeAbsence,
  writeReference,
} from "./cache.js";
import { shardsOf, weightsIndex } from "./convert/weight-files.js";
import { asModelError, type DownloadSource, weightFiles } from "./download-trouble.js";
import { HubConnectionError, HubStatusError, throwIfAborted } from "./request.js";
import { type HubSettings, hubSettings } from "./settings.js";
import { transferFile } from "./transfer.js";

/** Progress of one file of the model. */
export interface DownloadProgress {
  /** The file within the repository, e.g. `onnx/model.onnx`. */
  readonly file: string;
  /** Bytes received. */
  readonly done: number;
  /** Bytes in all, where the server announces them. */
  readonly total?: number;
}

/** How to find and fetch a model. */
export interface DownloadOptions {
  /** Branch, tag or commit. Default `main`. */
  readonly revision?: string;
  /** The ONNX graph to fetch, e.g. `onnx/model_quantized.onnx`. Default `onnx/model.onnx`. */
  readonly graphFile?: string;
  /**
   * What holds the weights: the ONNX graph, safetensors that a graph can be made of (importModel), or the graph
   * where there is one and safetensors else: the default, unless `graphFile` is given.
   */
  readonly weights?: "graph" | "safetensors" | "either";
  /** Ends the download; what was received is kept, and the next download continues from it. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: DownloadProgress) => void;
  /** Address, cache and token. Default: the environment's `HF_*` variables. */
  readonly settings?: HubSettings;
  /** Pause before the second try of a request in milliseconds; doubles with each further one. Default 500. */
  readonly retryDelayMs?: number;
}

const defaultGraph = "onnx/model.onnx";
const attempts = 4;

/** Fetched where present: a repository may lack any of them. */
const optionalFiles = [
  ...filesOf(),
  "tokenizer_config.json",
  "special_tokens_map.json",
  "modules.json",
  "1_Pooling/config.json",
  "sentence_bert_config.json",
  "config_sentence_transformers.json",
  "README.md",
];

/** True where the text has the form of a hub id, `organisation/name`; such a text may also be a relative path. */
export function isHubId(text: string): boolean {
  const part = /^[A-Za-z0-9_](?:[\w.-]{0,94}[A-Za-z0-9_])?$/;
  const parts = text.split("/");
  return parts.length === 2 && parts.every((name) => part.test(name) && !/\.\.|--/.test(name));
}

/**
 * Returns the folder of a hub model, fetching what is not in the cache. The cache is that of Python's
 * huggingface_hub (`HF_HOME`, `HF_HUB_CACHE`), its files are shared with it, and a model that is there is used
 * without asking the network; a branch that has moved on since is not noticed (name the commit as `revision`).
 * Every file is checked against the size and checksum that the hub announces before it is used.
 *
 * @param id `organisation/name`
 * @returns absolute path of a folder with config.json, tokenizer.json, the graph (else model.safetensors, in one
 * file or several, with the vocabulary where there is no tokenizer.json), and the optional files there are
 * @throws ArgumentError for an id, revision or file name of a wrong form; ModelError that says what to do for a
 * repository or file that is missing or closed, no network, a broken or altered download, a full disk;
 * InterruptedError when the signal is aborted
 */
export async function downloadModel(id: string, options: DownloadOptions = {}): Promise<string> {
  const download = describe(id, options);
  throwIfAborted(options.signal);
  try {
    return (await fromCache(download)) ?? (await fromHub(download));
  } catch (error) {
    throw asModelError(download, error);
  }
}

interface Download extends DownloadSource {
  readonly repository: string;
  readonly options: DownloadOptions;
}

function describe(id: string, options: DownloadOptions): Download {
  const { revision = "main", graphFile = defaultGraph, settings = hubSettings() } = options;
  const { weights = options.graphFile === undefined ? "either" : "graph" } = options;
  if (!isHubId(id)) {
    throw new ArgumentError(
      `"${id}" is not a hub id: expected organisation/name, as in intfloat/e5-small-v2.`,
    );
  }
  const isPlain = (text: string): boolean =>
    text.split("/").every((part) => /^[\w.-]+$/.test(part) && !/^\.+$/.test(part));
  if (!isPlain(revision)) throw new ArgumentError(`"${revision}" is not a branch, tag or commit.`);
  if (!isPlain(graphFile) || !graphFile.endsWith(".onnx")) {
    throw new ArgumentError(`"${graphFile}" is not an ONNX file of a repository, such as ${defaultGraph}.`);
  }
  return {
    id,
    revision,
    graphFile,
    weights,
    repository: repositoryFolder(settings.cacheFolder, id),
    settings,
    options,
  };
}

// --- what a model needs ------------------------------------------------------------------------------------

/** Tokenizers, best first; all but the first only serve an import. */
const tokenizerFiles = [["tokenizer.json"], ["vocab.txt"], ["vocab.json", "merges.txt"]];

/**
 * Makes sure of all files that a model needs, each kind in the best form there is.
 * @param obtain makes one file be in the snapshot; false where the repository has none of this name
 * @param snapshot of the files obtained so far
 * @returns the best form of the first kind that is not available in any form; undefined when nothing is missing
 */
async function obtainModel(
  download: Download,
  obtain: (file: string) => Promise<boolean>,
  snapshot: () => string,
): Promise<string | undefined> {
  const first = async (alternatives: readonly (readonly string[])[]): Promise<string | undefined> => {
    for (const files of alternatives) {
      let whole = true;
      for (const file of files) whole &&= await obtain(file);
      if (whole) return files[0];
    }
    return undefined;
  };
  if (!(await obtain("config.json"))) return "config.json";
  const [[best]] = tokenizerFiles;
  const tokenizer = await first(download.weights === "graph" ? tokenizerFiles.slice(0, 1) : tokenizerFiles);
  if (tokenizer === undefined) return best;
  const alternatives = weightFiles(download, tokenizer === best);
  const weights = await first(alternatives);
  // Without safetensors a graph may be there, which another form of tokenizer is of no use to.
  if (weights === undefined)
    return tokenizer === best || download.weights === "safetensors" ? alternatives[0][0] : best;
  if (weights !== weightsIndex) return undefined;
  const index = await readFile(join(snapshot(), weightsIndex), "utf8");
  for (const shard of shardsOf(index, `${download.id}: ${weightsIndex}`))
    if (!(await obtain(shard))) return shard;
  return undefined;
}

/** The snapshot, where the cache has all required files; optional files that were never asked for are tried once. */
async function fromCache(download: Download): Promise<string | undefined> {
  const { repository, revision } = download;
  let commit: string | undefined;
  for (const candidate of await cachedCommits(repository, revision)) {
    const snapshot = snapshotFolder(repository, candidate);
    const isHere = (file: string): Promise<boolean> => exists(join(snapshot, file));
    const missing = await obtainModel(download, isHere, () => snapshot);
    if (missing === undefined) {
      commit = candidate;
      break;
    }
  }
  if (commit === undefined) return undefined;
  const snapshot = snapshotFolder(repository, commit);
  if (download.settings.offline) return snapshot;
  try {
    await fetchOptional(download, commit, 1);
  } catch (error) {
    // The model is whole without them, and may have been copied here to be used without a network.
    if (!(error instanceof HubConnectionError || error instanceof HubStatusError)) throw error;
  }
  return snapshot;
}

async function fromHub(download: Download): Promise<string> {
  const { repository, revision, settings } = download;
  if (settings.offline) throw new HubConnectionError("HF_HUB_OFFLINE is set", false);
  // The first file names the commit of the revision; the others come from that commit.
  let commit: string | undefined;
  const snapshot = (): string => snapshotFolder(repository, commit as string);
  const obtain = async (file: string): Promise<boolean> => {
    if (commit && (await exists(join(snapshot(), file)))) return true;
    // A server that names no commit may have the file tomorrow.
    const isLasting = commit !== undefined && commit !== commitlessName(revision);
    if (isLasting && (await isKnownAbsent(repository, commit as string, file))) return false;
    try {
      commit = await fetchFile(download, file, commit, attempts);
      return true;
    } catch (error) {
      const isAbsent = error instanceof HubStatusError && error.status === 404;
      // Without a commit it is the repository or the revision that may be missing.
      if (!isAbsent || commit === undefined) throw error;
      if (isLasting) await writeAbsence(repository, commit, file);
      return false;
    }
  };
  const missing = await obtainModel(download, obtain, snapshot);
  if (missing !== undefined)
    throw Object.assign(new HubStatusError(404, "EntryNotFound", undefined), { file: missing });
  await fetchOptional(download, commit as string, attempts);
  if (commit !== commitlessName(revision)) await writeReference(repository, revision, commit as string);
  return snapshot();
}

async function fetchOptional(download: Download, commit: string, tries: number): Promise<void> {
  const { graphFile } = download;
  const hasGraph = await exists(join(snapshotFolder(download.repository, commit), graphFile));
  for (const file of [...optionalFiles, ...(hasGraph ? [`${graphFile}_data`] : [])]) {
    if (await exists(join(snapshotFolder(download.repository, commit), file))) continue;
    if (await isKnownAbsent(download.repository, commit, file)) continue;
    try {
      await fetchFile(download, file, commit, tries);
    } catch (error) {
      if (!(error instanceof HubStatusError) || error.status !== 404) throw error;
      await writeAbsence(download.repository, commit, file);
    }
  }
}

/** Fetches one file into the snapshot of its commit and returns that commit. */
async function fetchFile(
  download: Download,
  file: string,
  commit: string | undefined,
  tries: number,
): Promise<string> {
  const { id, repository, revision, settings, options } = download;
  const isCommitless = commit === commitlessName(revision);
  const at = encodeURIComponent(commit === undefined || isCommitless ? revision : commit);
  const path = file.split("/").map(encodeURIComponent).join("/");
  try {
    const result = await transferFile({
      url: `${settings.endpoint}/${id}/resolve/${at}/${path}`,
      name: `${id}: ${file}`,
      blobs: join(repository, "blobs"),
      token: settings.token,
      signal: options.signal,
      attempts: tries,
      retryDelayMs: options.retryDelayMs ?? 500,
      onProgress: options.onProgress && ((done, total) => options.onProgress?.({ file, done, total })),
    });
    const owner = commit ?? result.commit ?? commitlessName(revision);
    await linkIntoSnapshot(result.blob, join(snapshotFolder(repository, owner), file));
    return owner;
  } catch (error) {
    if (error instanceof HubStatusError || error instanceof HubConnectionError) error.file = file;
    throw error;
  }
}
