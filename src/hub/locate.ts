/** Finds the folder of a model by embedded name, path, address in object storage or hub id; the default where none is named. */
import { readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { closest } from "fastest-levenshtein";
import { hasGraph } from "../architectures/model-folder.js";
import { DEFAULT_MODEL } from "../architectures/registry.js";
import { ModelError } from "../errors.js";
import { isObjectAddress, refuseUnknownAddress } from "../files/place.js";
import { exists } from "../files/whole-file.js";
import { checkModel, EMBEDDED_MODELS } from "./check-model.js";
import { hasSafetensors } from "./convert/weight-files.js";
import type { DownloadOptions, DownloadProgress } from "./download.js";

export interface LocateOptions extends Pick<DownloadOptions, "revision" | "signal"> {
  /** Called several times a second during a download. */
  readonly onDownload?: (progress: DownloadProgress) => void;
}

export async function embeddedModels(): Promise<string[]> {
  const names = await readdir(EMBEDDED_MODELS).catch(() => []);
  // A recipe alone is not a model yet.
  const ready = await Promise.all(names.map((name) => hasGraph(join(EMBEDDED_MODELS, name))));
  return names.filter((_, i) => ready[i]);
}

/**
 * The folder of a model that can be run. A model of the hub or in object storage is downloaded when it is not cached, and a model with
 * safetensors but without a graph is imported into a cache (import-cache.ts).
 * @throws ModelError when there is no such model, it is damaged, or it cannot be imported
 */
export async function locateModel(model: string | undefined, options: LocateOptions = {}): Promise<string> {
  const folder = await locateFiles(model, { ...options, weights: "either" });
  const canRun = (await hasGraph(folder)) && (await exists(join(folder, "tokenizer.json")));
  if (canRun || !(await hasSafetensors(folder))) {
    await checkModel(folder);
    return folder;
  }
  // Loaded late, since running a graph needs nothing that makes one.
  const { importedFolder } = await import("./convert/import-model.js");
  const imported = await importedFolder(folder);
  await checkModel(imported);
  return imported;
}

/**
 * The folder of a model as it was published.
 * @param options.weights for a hub model: what to download, as in DownloadOptions
 * @throws ModelError when there is no such model
 */
export async function locateFiles(
  model: string | undefined,
  options: LocateOptions & Pick<DownloadOptions, "weights"> = {},
): Promise<string> {
  if (model === undefined || model === DEFAULT_MODEL) return join(EMBEDDED_MODELS, DEFAULT_MODEL);
  refuseUnknownAddress(model);
  if (isObjectAddress(model)) {
    const { fetchFolder } = await import("../files/object-storage/folder.js");
    return fetchFolder(model, options.onDownload);
  }
  const found = await stat(model).catch(() => undefined);
  if (found?.isFile()) {
    throw new ModelError(`${model}: a model is a folder (config.json, onnx/model.onnx), not a file`);
  }
  if (found !== undefined) return model;
  const embedded = await embeddedModels();
  if (embedded.includes(model)) return join(EMBEDDED_MODELS, model);
  const { downloadModel, isHubId } = await import("./download.js");
  if (isHubId(model)) {
    const { revision, signal, weights, onDownload } = options;
    return downloadModel(model, { revision, signal, weights, onProgress: onDownload });
  }
  const near = embedded.length > 0 ? closest(basename(model), embedded) : DEFAULT_MODEL;
  throw new ModelError(
    `${model}: no such folder, embedded model (did you mean ${near}?) or hub id such as intfloat/e5-small-v2`,
  );
}
