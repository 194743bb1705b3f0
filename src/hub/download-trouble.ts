/** What to tell a user whose download has failed: the file, the reason, and the cure. */
import { InterruptedError, ModelError, messageOf, PearlError } from "../errors.js";
import { weightsFile, weightsIndex } from "./convert/weight-files.js";
import { HubConnectionError, HubStatusError } from "./request.js";
import type { HubSettings } from "./settings.js";

const modelsWithGraph =
  "intfloat/e5-small-v2, sentence-transformers/all-MiniLM-L6-v2 or Xenova/bge-small-en-v1.5";

/** What a download asks for, and from which server. */
export interface DownloadSource {
  readonly id: string;
  readonly revision: string;
  readonly graphFile: string;
  readonly weights: "graph" | "safetensors" | "either";
  readonly settings: HubSettings;
}

/** Files that hold the weights, best first, for a folder with or without tokenizer.json. */
export function weightFiles({ weights, graphFile }: DownloadSource, hasTokenizer: boolean): string[][] {
  const graph = weights !== "safetensors" && hasTokenizer ? [[graphFile]] : [];
  return weights === "graph" ? graph : [...graph, [weightsFile], [weightsIndex]];
}

/** The error for a failed download, with the file and the cure. */
export function asModelError(download: DownloadSource, error: unknown): Error {
  if (error instanceof PearlError) return error;
  if (error instanceof HubStatusError)
    return new ModelError(statusMessage(download, error), { cause: error });
  if (error instanceof HubConnectionError) {
    return new ModelError(connectionMessage(download, error), { cause: error });
  }
  if ((error as Error)?.name === "AbortError") return new InterruptedError("the download was interrupted");
  return new ModelError(
    `${download.id}: cannot be written into the cache ${download.settings.cacheFolder} (${messageOf(error)}). ` +
      "Make room or set HF_HOME to a folder that can be written.",
    { cause: error },
  );
}

function statusMessage(download: DownloadSource, error: HubStatusError): string {
  const { id, revision, settings } = download;
  const file = error.file ?? "config.json";
  const host = hostOf(settings.endpoint);
  if (error.status === 401 || error.status === 403) {
    const accept = `accept the model's terms at ${settings.endpoint}/${id}`;
    if (settings.token) {
      return (
        `${id}: ${host} refused ${file} (${error.status}) with the token from ${settings.tokenSource}. ` +
        `Check the spelling and the token's rights; for a gated model ${accept}.`
      );
    }
    return (
      `${id}: ${host} refused ${file} (${error.status}): the model is private or gated, or does not exist. ` +
      `Check the spelling, or set HF_TOKEN to a token that may read it; for a gated model ${accept}.`
    );
  }
  if (error.status === 404) {
    if (error.code === "RevisionNotFound") return `${id}: there is no revision "${revision}" at ${host}.`;
    if (error.code === "RepoNotFound" || (file === "config.json" && error.code === undefined)) {
      return `${id}: not found at ${host} (config.json: 404). Check the spelling of the id.`;
    }
    return `${id}: the repository has no ${missingFile(download, file)} Take one that has, such as ${modelsWithGraph}.`;
  }
  return (
    `${id}: ${host} answered ${file} with status ${error.status}, also when asked again. ` +
    "Try later, or set HF_ENDPOINT to a mirror."
  );
}

/** The first file that is missing, and what would have served in its place. */
function missingFile({ graphFile, weights }: DownloadSource, file: string): string {
  const isOnlyGraph = weights === "graph";
  if (file === graphFile) {
    if (isOnlyGraph) return `${file} (404). pearl runs models that are exported to ONNX.`;
    return `${file} (404), and no ${weightsFile} to make it from. pearl does not read pytorch_model.bin.`;
  }
  if (file === weightsFile) return `${file} (404). An import reads weights in that format only.`;
  if (file !== "tokenizer.json" || isOnlyGraph) return `${file} (404).`;
  return (
    `${file} (404), and neither vocab.txt nor vocab.json with merges.txt, from which pearl builds a tokenizer, is beside ` +
    `${weightsFile}.`
  );
}

function connectionMessage(download: DownloadSource, error: HubConnectionError): string {
  const { id, settings, revision } = download;
  const weights = weightFiles(download, true).slice(0, 2).join(" or ");
  const otherwise =
    `or copy the model's folder (config.json, tokenizer.json, ${weights}) to this machine and give its path, ` +
    "or leave the model out to use the embedded one";
  if (settings.offline) {
    return (
      `${id}: not in the cache ${settings.cacheFolder} with ${weights} at revision "${revision}", and ` +
      `HF_HUB_OFFLINE forbids the network. Unset it, ${otherwise}.`
    );
  }
  const host = hostOf(settings.endpoint);
  if (error.isWorthRetrying) {
    return (
      `${id}: the connection to ${host} broke while ${error.file} came (${error.message}), also when tried ` +
      `again. Run it again to continue where it stopped, ${otherwise}.`
    );
  }
  const isProxySet = Boolean(process.env.HTTPS_PROXY ?? process.env.https_proxy);
  const proxy = isProxySet ? " (HTTPS_PROXY needs Node 24 with NODE_USE_ENV_PROXY=1)" : "";
  return (
    `${id}: ${host} cannot be reached (${error.message}). Check the network${proxy}, set HF_ENDPOINT to a mirror, ` +
    `${otherwise}.`
  );
}

function hostOf(endpoint: string): string {
  return endpoint.replace(/^https?:\/\//, "");
}
