/** Messages for a failed download: the file, the reason, and the cure. */
import { ModelError, messageOf, PearlError } from "../errors.js";
import { proxyFor } from "../files/proxy.js";
import { weightsFile, weightsIndex } from "./convert/weight-files.js";
import { HubError } from "./request.js";
import type { HubSettings } from "./settings.js";

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
export function weightAlternatives(
  { weights, graphFile }: DownloadSource,
  hasTokenizer: boolean,
): string[][] {
  const graph = weights !== "safetensors" && hasTokenizer ? [[graphFile]] : [];
  return weights === "graph" ? graph : [...graph, [weightsFile], [weightsIndex]];
}

export function asModelError(download: DownloadSource, error: unknown): Error {
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

export function notInRepository(file: string): HubError {
  return Object.assign(new HubError("not found", { status: 404, code: "EntryNotFound" }), { file });
}

function statusMessage(download: DownloadSource, { file = "config.json", facts }: HubError): string {
  const { id, revision, settings } = download;
  const { status, code } = facts;
  const host = hostOf(settings.endpoint);
  if (status === 401 || status === 403) {
    const accept = `accept the model's terms at ${settings.endpoint}/${id}`;
    const [reason, cure] = settings.token
      ? [` with the token from ${settings.tokenSource}`, " and the token's rights"]
      : [
          ": the model is private or gated, or does not exist",
          ", or set HF_TOKEN to a token that may read it",
        ];
    return `${id}: ${host} refused ${file} (${status})${reason}. Check the spelling${cure}; for a gated model ${accept}.`;
  }
  if (status === 404) {
    if (code === "RevisionNotFound") return `${id}: there is no revision "${revision}" at ${host}.`;
    if (code === "RepoNotFound" || (file === "config.json" && code === undefined)) {
      return `${id}: not found at ${host} (config.json: 404). Check the spelling of the id.`;
    }
    return `${id}: the repository has no ${missingFile(download, file)} Take one that has, such as ${modelsWithGraph}.`;
  }
  return (
    `${id}: ${host} answered ${file} with status ${status}, also after retries. ` +
    "Try later, or set HF_ENDPOINT to a mirror."
  );
}

/** The first missing file, and what could have replaced it. */
function missingFile({ graphFile, weights }: DownloadSource, file: string): string {
  if (file === graphFile) {
    if (weights === "graph") return `${file} (404). pearl runs models that are exported to ONNX.`;
    return `${file} (404), and no ${weightsFile} to make it from. pearl does not read pytorch_model.bin.`;
  }
  if (file === weightsFile) return `${file} (404). An import reads weights in that format only.`;
  if (file !== "tokenizer.json" || weights === "graph") return `${file} (404).`;
  return (
    `${file} (404), nor vocab.txt, nor vocab.json with merges.txt, ` +
    "from which pearl could build the tokenizer."
  );
}

function connectionMessage(download: DownloadSource, error: HubError): string {
  const { id, settings, revision } = download;
  const weights = weightAlternatives(download, true).slice(0, 2).join(" or ");
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
  if (error.facts.isWorthRetrying) {
    return (
      `${id}: the connection to ${host} broke during ${error.file} (${error.message}), also after retries. ` +
      `Run it again to continue where it stopped, ${otherwise}.`
    );
  }
  const proxy = proxyFor(new URL(settings.endpoint)) ? " and the proxy (HTTPS_PROXY, NO_PROXY)" : "";
  return (
    `${id}: ${host} cannot be reached (${error.message}). Check the network${proxy}, set HF_ENDPOINT to a mirror, ` +
    `${otherwise}.`
  );
}

const hostOf = (endpoint: string): string => endpoint.replace(/^https?:\/\//, "");
