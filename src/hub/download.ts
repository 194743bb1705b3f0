/** Models by hub id: `downloadModel("intfloat/e5-small-v2")` gives a model folder in the hub's own cache. */
import { access, constants, readFile } from "node:fs/promises";
import { join, posix } from "node:path";
import { filesOf } from "../architectures/registry.js";
import { moduleFiles } from "../architectures/sentence-modules.js";
import { ArgumentError, ModelError, messageOf, PearlError } from "../errors.js";
import { proxyFor } from "../files/proxy.js";
import { exists, writeWholeFile } from "../files/whole-file.js";
import { externalFiles } from "../onnx/io/external-files.js";
import * as cache from "./cache.js";
import { shardsOf, weightsFile, weightsIndex } from "./convert/weight-files.js";
import { HubError } from "./request.js";
import { type HubSettings, hubSettings } from "./settings.js";
import { transferFile } from "./transfer.js";

/** Bytes received of one file and, where the server announces them, in all. */
export interface DownloadProgress {
  /** The file within the repository, e.g. `onnx/model.onnx`. */
  readonly file: string;
  readonly done: number;
  readonly total?: number;
}

export interface DownloadOptions {
  /** Branch, tag or commit. Default `main`. */
  readonly revision?: string;
  /** The ONNX graph to fetch, e.g. `onnx/model_quantized.onnx`. Default `onnx/model.onnx`. */
  readonly graphFile?: string;
  /**
   * What holds the weights: the ONNX graph; safetensors, from which importModel makes a graph; or either, with
   * preference for the graph. Default "either"; "graph" where `graphFile` is given.
   */
  readonly weights?: "graph" | "safetensors" | "either";
  /** Ends the download. The next one continues from what was received. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: DownloadProgress) => void;
  /** Address, cache and token. Default: the environment's `HF_*` variables. */
  readonly settings?: HubSettings;
  /** Pause before the second attempt of a request in milliseconds; doubles with each further one. Default 500. */
  readonly retryDelayMs?: number;
}

const defaultGraph = "onnx/model.onnx";
const attempts = 4;

/** Fetched where present: a repository may lack any of them. */
const optionalFiles = [
  ...filesOf(),
  ...["tokenizer_config.json", "special_tokens_map.json", "modules.json", "1_Pooling/config.json"],
  ...["sentence_bert_config.json", "config_sentence_transformers.json", "README.md"],
];

/** True where the text has the form of a hub id, `organisation/name`, which a relative path may also have. */
export function isHubId(text: string): boolean {
  const part = /^[A-Za-z0-9_](?:[\w.-]{0,94}[A-Za-z0-9_])?$/;
  const parts = text.split("/");
  return parts.length === 2 && parts.every((name) => part.test(name) && !/\.\.|--/.test(name));
}

/**
 * Returns the folder of a hub model, fetching what is not in the cache. The cache is that of Python's
 * huggingface_hub (`HF_HOME`, `HF_HUB_CACHE`). A cached model is used without any request, but for optional files that a
 * writable cache lacks and that were never requested, or not within an hour from a mirror which names no commit:
 * `HF_HUB_OFFLINE` leaves them out, too. A branch that has moved since is not noticed (name the commit as `revision`).
 * Every file is checked against the size and checksum that the hub announces before it is used.
 *
 * @param id `organisation/name`
 * @returns absolute path of a folder with config.json, tokenizer.json, the graph with the files that hold its weights
 * (or else model.safetensors, in one file or several, with the vocabulary where there is no tokenizer.json), and the
 * optional files of the repository
 * @throws ArgumentError for an id, revision or file name of a wrong form; ModelError that says what to do where a
 * repository or file is missing or closed, for no network, a broken or altered download, a full disk
 */
export async function downloadModel(id: string, options: DownloadOptions = {}): Promise<string> {
  const download = describe(id, options);
  options.signal?.throwIfAborted();
  try {
    return (await fromCache(download)) ?? (await fromHub(download));
  } catch (error) {
    options.signal?.throwIfAborted();
    throw asModelError(download, error);
  }
}

type Download = DownloadSource & { readonly repository: string; readonly options: DownloadOptions };

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
  const repository = cache.repositoryFolder(settings.cacheFolder, id);
  return { id, revision, graphFile, weights, repository, settings, options };
}

/** Tokenizers, best first; all but the first only serve an import. */
const tokenizerFiles = [["tokenizer.json"], ["vocab.txt"], ["vocab.json", "merges.txt"]];

/**
 * Obtains all files that a model needs, each kind in the best form there is.
 * @param obtain puts one file into the snapshot; false where the repository has none of this name
 * @param snapshot the folder of the files obtained so far
 * @returns the best form of the first kind that is not available in any form; undefined when nothing is missing
 */
async function obtainModel(
  download: Download,
  obtain: (file: string) => Promise<boolean>,
  snapshot: () => string,
): Promise<string | undefined> {
  const first = async (alternatives: readonly (readonly string[])[]): Promise<string | undefined> => {
    for (const files of alternatives) {
      let isComplete = true;
      for (const file of files) isComplete &&= await obtain(file);
      if (isComplete) return files[0];
    }
    return undefined;
  };
  if (!(await obtain("config.json"))) return "config.json";
  const [[best]] = tokenizerFiles;
  const tokenizer = await first(download.weights === "graph" ? [[best]] : tokenizerFiles);
  if (tokenizer === undefined) return best;
  const alternatives = weightAlternatives(download, tokenizer === best);
  const weights = await first(alternatives);
  // Without safetensors there may be a graph, which only tokenizer.json goes with.
  if (weights === undefined)
    return tokenizer === best || download.weights === "safetensors" ? alternatives[0][0] : best;
  for (const file of await furtherWeights(download, weights, snapshot()))
    if (!(await obtain(file))) return file;
  return undefined;
}

/** The files of a repository that its graph, or the index of its weights, names. */
async function furtherWeights({ id, graphFile }: Download, weights: string, snapshot: string) {
  const path = join(snapshot, weights);
  if (weights === weightsIndex) return shardsOf(await readFile(path, "utf8"), `${id}: ${weightsIndex}`);
  if (weights !== graphFile) return [];
  return externalFiles(path).map((file) => posix.join(posix.dirname(graphFile), file));
}

/** The snapshot, where the cache has all required files; optional files never requested before are tried once. */
async function fromCache(download: Download): Promise<string | undefined> {
  const { repository, revision, settings } = download;
  for (const commit of await cache.cachedCommits(repository, revision)) {
    const snapshot = cache.snapshotFolder(repository, commit);
    const isCached = (file: string): Promise<boolean> => exists(join(snapshot, file));
    if ((await obtainModel(download, isCached, () => snapshot)) !== undefined) continue;
    // The model is complete without them, and may have been copied here to be used without a network or a writable disk.
    if (!settings.offline && (await isWritable(snapshot)))
      await fetchOptional(download, commit, 1).catch(() => download.options.signal?.throwIfAborted());
    return snapshot;
  }
  return undefined;
}

const isWritable = (folder: string): Promise<boolean> =>
  access(folder, constants.W_OK).then(
    () => true,
    () => false,
  );

async function fromHub(download: Download): Promise<string> {
  const { repository, revision, settings } = download;
  if (settings.offline) throw new HubError("HF_HUB_OFFLINE is set");
  if (!/^https?:\/\/./i.test(settings.endpoint))
    throw new ArgumentError(
      `HF_ENDPOINT "${settings.endpoint}" is not a web address. Write it with https:// in front.`,
    );
  // The first file names the commit of the revision; the others come from that commit.
  let commit: string | undefined;
  const snapshot = (): string => cache.snapshotFolder(repository, commit as string);
  const missing = await obtainModel(
    download,
    async (file) => {
      const owner = await obtainFile(download, file, commit, attempts);
      commit ??= owner;
      return owner !== undefined;
    },
    snapshot,
  );
  if (missing !== undefined) throw notInRepository(missing);
  await fetchOptional(download, commit as string, attempts);
  if (commit !== cache.commitlessName(revision))
    await writeWholeFile(cache.referenceFile(repository, revision), commit as string);
  return snapshot();
}

async function fetchOptional(download: Download, commit: string, tries: number): Promise<void> {
  for (const file of optionalFiles) await obtainFile(download, file, commit, tries, "optional");
  const { settings, weights } = await moduleFiles(cache.snapshotFolder(download.repository, commit));
  for (const file of [...settings, ...weights]) await obtainFile(download, file, commit, tries, "optional");
}

/**
 * Puts one file into the snapshot of a commit, unless it is there.
 * @param commit undefined for the first file, which determines it
 * @param need whoever adds a required file to a mirror without commits need not wait to have it found
 * @returns the commit, or undefined where it has no such file
 */
async function obtainFile(
  download: Download,
  file: string,
  commit: string | undefined,
  tries: number,
  need: "required" | "optional" = "required",
): Promise<string | undefined> {
  const { repository, revision } = download;
  if (commit === undefined) return fetchFile(download, file, commit, tries);
  if (await exists(join(cache.snapshotFolder(repository, commit), file))) return commit;
  const absence = cache.absenceOf(repository, commit, revision, file);
  const isNoted = absence.isLasting || need === "optional";
  if (isNoted && (await absence.isKnown())) return undefined;
  try {
    return await fetchFile(download, file, commit, tries);
  } catch (error) {
    if (!(error instanceof HubError && error.facts.status === 404)) throw error;
    if (isNoted) await absence.record();
    return undefined;
  }
}

/** Vocabularies reach tens of megabytes, cards and settings one. Weights may have any other name. */
function limitOf(file: string): number | undefined {
  if (!/\.(json|txt|md)$/.test(file)) return undefined;
  return /tokenizer\.json|vocab|merges|index\.json/.test(file) ? 2 ** 28 : 2 ** 24;
}

/** Fetches one file into the snapshot of its commit and returns that commit. */
async function fetchFile(download: Download, file: string, commit: string | undefined, tries: number) {
  const { id, repository, revision, settings, options } = download;
  const isCommitless = commit === cache.commitlessName(revision);
  const at = encodeURIComponent(commit === undefined || isCommitless ? revision : commit);
  const path = file.split("/").map(encodeURIComponent).join("/");
  try {
    const result = await transferFile({
      url: `${settings.endpoint}/${id}/resolve/${at}/${path}`,
      name: `${id}: ${file}`,
      blobs: join(repository, "blobs"),
      token: settings.token,
      limit: limitOf(file),
      signal: options.signal,
      attempts: tries,
      retryDelayMs: options.retryDelayMs ?? 500,
      onProgress: options.onProgress && ((done, total) => options.onProgress?.({ file, done, total })),
    });
    const owner = commit ?? result.commit ?? cache.commitlessName(revision);
    await cache.linkIntoSnapshot(result.blob, join(cache.snapshotFolder(repository, owner), file));
    return owner;
  } catch (error) {
    if (error instanceof HubError) error.file = file;
    throw error;
  }
}

/** Their repositories say how to pool, too. */
const modelsWithGraph = "intfloat/e5-small-v2 or sentence-transformers/all-MiniLM-L6-v2";

export interface DownloadSource {
  readonly id: string;
  readonly revision: string;
  readonly graphFile: string;
  readonly weights: "graph" | "safetensors" | "either";
  readonly settings: HubSettings;
}

/** Files that hold the weights, best first, for a folder with or without tokenizer.json. */
function weightAlternatives({ weights, graphFile }: DownloadSource, hasTokenizer: boolean): string[][] {
  const graph = weights !== "safetensors" && hasTokenizer ? [[graphFile]] : [];
  return weights === "graph" ? graph : [...graph, [weightsFile], [weightsIndex]];
}

function asModelError(download: DownloadSource, error: unknown): Error {
  if (error instanceof PearlError) return error;
  if (error instanceof HubError) {
    const message = error.facts.status === undefined ? connectionMessage : statusMessage;
    return new ModelError(message(download, error), { cause: error });
  }
  return new ModelError(
    `${download.id}: cannot be written into the cache ${download.settings.cacheFolder} (${messageOf(error)}). ` +
      "Make room or set HF_HOME to a folder that can be written.",
    { cause: error },
  );
}

function notInRepository(file: string): HubError {
  return Object.assign(new HubError("not found", { status: 404, code: "EntryNotFound" }), { file });
}

function statusMessage(download: DownloadSource, { file = "config.json", facts }: HubError): string {
  const { id, revision, settings } = download;
  const { status, code } = facts;
  const host = hostOf(settings.endpoint);
  if (status === 401 || status === 403) {
    const [reason, cure] = settings.token
      ? [` with the token from ${settings.tokenSource}`, " and the token's rights"]
      : [
          ": the model is private or gated, or does not exist",
          ", or set HF_TOKEN to a token that may read it",
        ];
    return `${id}: ${host} refused ${file} (${status})${reason}. Check the spelling${cure}; for a gated model accept the model's terms at ${settings.endpoint}/${id}.`;
  }
  if (status !== 404)
    return `${id}: ${host} answered ${file} with status ${status}, also after retries. Try later, or set HF_ENDPOINT to a mirror.`;
  if (code === "RevisionNotFound") return `${id}: there is no revision "${revision}" at ${host}.`;
  if (code === "RepoNotFound" || (file === "config.json" && code === undefined))
    return `${id}: not found at ${host} (config.json: 404). Check the spelling of the id.`;
  return `${id}: the repository has no ${file} (404)${insteadOf(download, file)}. Take one that has, such as ${modelsWithGraph}.`;
}

/** What could have replaced a missing file. */
function insteadOf({ graphFile, weights }: DownloadSource, file: string): string {
  if (weights === "graph") return file === graphFile ? ". pearl runs models that are exported to ONNX" : "";
  if (file === graphFile)
    return `, and no ${weightsFile} to make it from. pearl does not read pytorch_model.bin`;
  if (file === weightsFile) return ". An import reads weights in that format only";
  return file === "tokenizer.json" ? ", nor vocab.txt, nor vocab.json with merges.txt to build it from" : "";
}

function connectionMessage(download: DownloadSource, error: HubError): string {
  const { id, settings, revision } = download;
  const weights = weightAlternatives(download, true).slice(0, 2).join(" or ");
  const host = hostOf(settings.endpoint);
  const proxy = proxyFor(new URL(settings.endpoint)) ? " and the proxy (HTTPS_PROXY, NO_PROXY)" : "";
  const trouble = settings.offline
    ? `not in the cache ${settings.cacheFolder} with ${weights} at revision "${revision}", and HF_HUB_OFFLINE forbids the network. Unset it`
    : error.facts.isWorthRetrying
      ? `the connection to ${host} broke during ${error.file} (${error.message}), also after retries. Run it again to continue where it stopped`
      : `${host} cannot be reached (${error.message}). Check the network${proxy}, set HF_ENDPOINT to a mirror`;
  return (
    `${id}: ${trouble}, or copy the model's folder (config.json, tokenizer.json, ${weights}) to this machine and give ` +
    "its path, or leave the model out to use the embedded one."
  );
}

const hostOf = (endpoint: string): string => endpoint.replace(/^https?:\/\//, "");
