/** The hub's cache on disk, in the layout of Python's huggingface_hub, so that both find each other's files. */
import { copyFile, mkdir, readdir, readFile, rename, stat, symlink } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { exists, partialPath, writeWholeFile } from "../files/whole-file.js";
import { hasSafetensors } from "./convert/weight-files.js";

/*
 * models--org--name/
 *   blobs/<etag>                   contents, named by the hub's checksum
 *   blobs/<etag>.pearl.incomplete  folder of a download that is not complete
 *   snapshots/<commit>/<file>      symlinks into blobs
 *   refs/<revision>                text: the commit of a branch or tag when it was last seen
 *   .no_exist/<commit>/<file>      empty: the hub said that this commit has no such file
 *   .pearl.absent/<name>/<file>    empty: a server that names no commit said so, when this was written
 */

export const repositoryFolder = (cacheFolder: string, id: string): string =>
  join(cacheFolder, `models--${id.replace("/", "--")}`);

export const snapshotFolder = (repository: string, commit: string): string =>
  join(repository, "snapshots", commit);

/** The commit folder's name for servers that name no commit: the revision itself. */
export const commitlessName = (revision: string): string => revision.replaceAll("/", "--");

export const referenceFile = (repository: string, revision: string): string =>
  join(repository, "refs", revision);

/** A server that names no commit may get a file that it lacks: after this time it is asked again. */
const absenceMs = 3_600_000;

/** What is known of a file that a commit lacks, so that it is not requested again. */
export function absenceOf(repository: string, commit: string, revision: string, file: string) {
  const isLasting = commit !== commitlessName(revision) || /^[0-9a-f]{40}$/.test(commit);
  // Python's huggingface_hub takes all in .no_exist for lasting.
  const mark = join(repository, isLasting ? ".no_exist" : ".pearl.absent", commit, file);
  return {
    isLasting,
    async isKnown(): Promise<boolean> {
      const found = await stat(mark).catch(() => undefined);
      return found !== undefined && (isLasting || Math.abs(Date.now() - found.mtimeMs) < absenceMs);
    },
    /** Where nothing can be written, the file is requested again next time. */
    record: (): Promise<void> => writeWholeFile(mark, "").catch(() => {}),
  };
}

/** The cached commits that a revision may be, first the one that it was last seen at. */
export async function cachedCommits(repository: string, revision: string): Promise<string[]> {
  const reference = await readFile(referenceFile(repository, revision), "utf8").catch(() => "");
  const commits: string[] = [];
  for (const commit of new Set([reference.trim(), revision, commitlessName(revision)])) {
    if (/^[\w.-]+$/.test(commit) && (await exists(snapshotFolder(repository, commit)))) commits.push(commit);
  }
  return commits;
}

/** Puts a complete blob into a snapshot: a relative symlink, or a copy where the platform allows none. */
export async function linkIntoSnapshot(blob: string, target: string): Promise<void> {
  await mkdir(dirname(target), { recursive: true });
  const temporary = partialPath(target);
  try {
    await symlink(relative(dirname(target), blob), temporary);
  } catch {
    await copyFile(blob, temporary);
  }
  await rename(temporary, target);
}

/** A model of the cache with an ONNX graph, or with weights that one can be made from. */
export interface CachedModel {
  readonly id: string;
  readonly commit: string;
  /** Branches and tags at this commit, e.g. `["main"]`. */
  readonly revisions: readonly string[];
  readonly path: string;
  /** ONNX files, relative to the folder; none where there are only weights. */
  readonly graphs: readonly string[];
}

/** Models of the cache with an ONNX graph or safetensors, sorted by id; empty where there is no cache. */
export async function listCachedModels(cacheFolder: string): Promise<CachedModel[]> {
  const models: CachedModel[] = [];
  for (const name of await namesIn(cacheFolder)) {
    const match = /^models--([^-].*?)--(.+)$/.exec(name);
    if (!match) continue;
    const repository = join(cacheFolder, name);
    const references = await readReferences(join(repository, "refs"));
    for (const commit of await namesIn(join(repository, "snapshots"))) {
      const path = snapshotFolder(repository, commit);
      const graphs = await graphsOf(path);
      if (graphs.length === 0 && !(await hasSafetensors(path))) continue;
      const revisions = [...references.keys()].filter((revision) => references.get(revision) === commit);
      models.push({ id: `${match[1]}/${match[2]}`, commit, revisions, path, graphs });
    }
  }
  return models.sort((a, b) => a.id.localeCompare(b.id, "en") || a.commit.localeCompare(b.commit, "en"));
}

const namesIn = (folder: string): Promise<string[]> => readdir(folder).catch(() => []);

/** The commits of branches and tags by name; a name may contain slashes. */
async function readReferences(folder: string): Promise<Map<string, string>> {
  const references = new Map<string, string>();
  for (const name of await readdir(folder, { recursive: true }).catch(() => [])) {
    const commit = await readFile(join(folder, name), "utf8").catch(() => undefined); // a folder is left out
    if (commit !== undefined) references.set(name.replaceAll("\\", "/"), commit.trim());
  }
  return references;
}

/** ONNX files of a model folder, in its root and in `onnx/`, relative to it and sorted; broken links are left out. */
export async function graphsOf(folder: string): Promise<string[]> {
  const graphs: string[] = [];
  for (const place of ["", "onnx"]) {
    for (const name of await namesIn(join(folder, place))) {
      const isGraph = name.endsWith(".onnx") && (await exists(join(folder, place, name)));
      if (isGraph) graphs.push(place ? `${place}/${name}` : name);
    }
  }
  return graphs.sort();
}
