/** The models of this machine: the embedded ones, those of the hub's cache, and named folders. */
import { basename, join } from "node:path";
import type { Feature } from "../architectures/architecture.js";
import { type ModelFolder, readModelFolder } from "../architectures/model-folder.js";
import { DEFAULT_MODEL } from "../architectures/registry.js";
import { messageOf } from "../errors.js";
import { folderSize } from "../files/disk.js";
import { type CachedModel, graphsOf, listCachedModels } from "./cache.js";
import { EMBEDDED_MODELS } from "./check-model.js";
import { findImported } from "./convert/import-model.js";
import { hasSafetensors } from "./convert/weight-files.js";
import { embeddedModels, locateModel } from "./locate.js";
import { type ModelCard, readModelCard } from "./model-card.js";
import { hubSettings } from "./settings.js";

/** What the files of a model say about it, where they can be read. */
type ModelFacts = Pick<ModelFolder, "architecture" | "dimension" | "pooling"> &
  Pick<Feature, "maximumLength"> & {
    /** All files of the folder together, in bytes. */
    readonly sizeBytes: number;
  };

export interface ModelSummary
  extends Partial<ModelFacts>,
    ModelCard,
    Partial<Pick<CachedModel, "commit" | "revisions">> {
  /** What to give to `--model`: embedded name, hub id, or path. */
  readonly model: string;
  readonly where: "embedded" | "cache" | "folder";
  readonly path: string;
  /** True for the model that is used when none is named. */
  readonly isDefault: boolean;
  readonly graphs: readonly string[];
  /** Why the model cannot be used, where it cannot. */
  readonly problem?: string;
}

/** Lists embedded models (the default first), then the named folders, then the hub's cache by id. */
export async function listModels(folders: readonly string[] = []): Promise<ModelSummary[]> {
  const rank = (name: string) => (name === DEFAULT_MODEL ? 0 : 1);
  const names = (await embeddedModels()).sort((a, b) => rank(a) - rank(b) || a.localeCompare(b, "en"));
  const embedded = names.map((name) => describe(name, "embedded", join(EMBEDDED_MODELS, name)));
  const given = folders.map((folder) => describe(folder, "folder", folder));
  const cached = (await listCachedModels(hubSettings().cacheFolder)).map((model) => describeCached(model));
  const all = await Promise.all([...embedded, ...given, ...cached]);
  return all.filter((summary) => summary !== undefined);
}

/** A model without a graph is listed once it has been imported: the cache may hold it for other programs. */
async function describeCached(cached: CachedModel): Promise<ModelSummary | undefined> {
  const { id, commit, revisions, graphs } = cached;
  const path = graphs.length > 0 ? cached.path : await findImported(cached.path);
  if (path === undefined) return undefined;
  return { ...(await describe(id, "cache", path)), commit, revisions };
}

async function describe(model: string, where: ModelSummary["where"], path: string): Promise<ModelSummary> {
  const isDefault = where === "embedded" && basename(path) === DEFAULT_MODEL;
  const base = { model, where, isDefault };
  try {
    // A named folder without a graph is imported, as when it is used.
    const hasWeights = where === "folder" && (await hasSafetensors(path));
    const folder = await readModelFolder(hasWeights ? await locateModel(path) : path);
    const { architecture, dimension, pooling } = folder;
    const { maximumLength } = folder.features.find((feature) => feature.maximumLength !== undefined) ?? {};
    const sizeBytes = await folderSize(folder.path);
    const facts = { architecture, dimension, pooling, maximumLength, sizeBytes };
    const files = { path: folder.path, graphs: await graphsOf(folder.path) };
    return { ...base, ...files, ...facts, ...(await readModelCard(path)) };
  } catch (error) {
    return { ...base, path, graphs: await graphsOf(path), scores: [], problem: messageOf(error) };
  }
}
