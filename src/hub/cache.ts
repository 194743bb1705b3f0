/** The hub's cache on disk, in the layout of Python's huggingface_hub, so that both find each other's files. */
import { randomBytes } from "node:crypto";
import type { Dirent } from "node:fs";
import {
  copyFile,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { hostname } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { fingerprint } from "../files/fingerprint.js";
import { partialPath, writeWholeFile } from "../files/whole-file.js";
import { hasSafetensors } from "./convert/weight-files.js";

/*
 * models--org--name/
 *   blobs/<etag>                   contents, named by the hub's checksum
 *   snapshots/<commit>/<file>      symlinks into blobs
 *   refs/<revision>                text: the commit that a branch or tag stood at
 *   .no_exist/<commit>/<file>      empty: the hub said that this commit has no such file
 */

/** Folder of a model's repository within the cache. */
export function repositoryFolder(cacheFolder: string, id: string): string {
  return join(cacheFolder, `models--${id.replace("/", "--")}`);
}

/** Folder with the files of one commit. */
export function snapshotFolder(repository: string, commit: string): string {
  return join(repository, "snapshots", commit);
}

/** The commit folder's name for servers that name no commit: the revision itself. */
export function commitlessName(revision: string): string {
  return revision.replaceAll("/", "--");
}

/** The commits that may stand for a revision in this cache, the one it was last seen at first. */
export async function cachedCommits(repository: string, revision: string): Promise<string[]> {
  const reference = await readFile(join(repository, "refs", revision), "utf8").catch(() => "");
  const commits: string[] = [];
  for (const commit of new Set([reference.trim(), revision, commitlessName(revision)])) {
    if (/^[\w.-]+$/.test(commit) && (await exists(snapshotFolder(repository, commit)))) commits.push(commit);
  }
  return commits;
}

/** Records the commit that a revision stands at. */
export async function writeReference(repository: string, revision: string, commit: string): Promise<void> {
  await writeWholeFile(join(repository, "refs", revision), commit);
}

/** True where the hub has answered that this commit has no such file. */
export function isKnownAbsent(repository: string, commit: string, file: string): Promise<boolean> {
  return exists(join(repository, ".no_exist", commit, file));
}

/** Records that this commit has no such file, so that it is not requested again. */
export async function writeAbsence(repository: string, commit: string, file: string): Promise<void> {
  const path = join(repository, ".no_exist", commit, file);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, "");
}

/** True where the path exists; a broken symlink does not count. */
export async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** Puts a finished blob into a snapshot: a relative symlink, or a copy where the platform allows none. */
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

// A partial download is named after its owner, `<etag>.<owner>-<random>.incomplete`, so that two processes never
// write into one file. The next process takes over what a dead owner left, by an atomic rename.

const machine = fingerprint(hostname()).slice(0, 8);

/** A partial without a write for this long has no living owner: live downloads fail after 30 s without data. */
const abandonedAfterMs = 5 * 60_000;

function partialName(blobs: string, etag: string, owner: number): string {
  return join(blobs, `${etag}.${machine}_${owner}-${randomBytes(4).toString("hex")}.incomplete`);
}

/** Leaves a partial to the next download (owner 0), or removes it where it is empty. */
export async function releasePartial(blobs: string, etag: string, path: string): Promise<void> {
  const info = await stat(path).catch(() => undefined);
  if (info && info.size > 0) await rename(path, partialName(blobs, etag, 0)).catch(() => {});
  else await rm(path, { force: true });
}

/**
 * A file of this process's own to download a blob into: the largest one that a dead process left, else a new name.
 *
 * @returns its path and how many bytes it holds already
 */
export async function claimPartial(blobs: string, etag: string): Promise<{ path: string; bytes: number }> {
  const own = partialName(blobs, etag, process.pid);
  const names = await readdir(blobs).catch((): string[] => []);
  const candidates: { path: string; bytes: number }[] = [];
  for (const name of names) {
    if (!name.startsWith(`${etag}.`) || !name.endsWith(".incomplete")) continue;
    const path = join(blobs, name);
    const info = await stat(path).catch(() => undefined);
    if (info && isAbandoned(name, info.mtimeMs)) candidates.push({ path, bytes: info.size });
  }
  candidates.sort((a, b) => b.bytes - a.bytes);
  let claimed: { path: string; bytes: number } | undefined;
  for (const candidate of candidates) {
    if (claimed) {
      await rm(candidate.path, { force: true }); // shorter leftovers of the same blob are of no use
      continue;
    }
    // Whoever renames first owns it; the loser sees ENOENT and looks further.
    const taken = await rename(candidate.path, own).then(
      () => true,
      () => false,
    );
    if (!taken) continue;
    await utimes(own, new Date(), new Date());
    claimed = { path: own, bytes: candidate.bytes };
  }
  return claimed ?? { path: own, bytes: 0 };
}

function isAbandoned(name: string, modifiedMs: number): boolean {
  if (Date.now() - modifiedMs > abandonedAfterMs) return true;
  const owner = /\.([0-9a-f]{8})_(\d+)-[0-9a-f]+\.incomplete$/.exec(name);
  if (!owner || owner[1] !== machine) return false;
  const pid = Number(owner[2]);
  if (pid === 0) return true;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

/** A model of the cache that has at least one ONNX graph, or weights that one can be made from. */
export interface CachedModel {
  /** The hub id, `org/name`. */
  readonly id: string;
  readonly commit: string;
  /** Branches and tags that stand at this commit, e.g. `["main"]`. */
  readonly revisions: readonly string[];
  /** The snapshot folder: a model folder. */
  readonly path: string;
  /** ONNX files, relative to the folder; none where there are only weights. */
  readonly graphs: readonly string[];
}

/** Lists the models of the cache that hold an ONNX graph or safetensors, sorted by id; empty where there is no cache. */
export async function listCachedModels(cacheFolder: string): Promise<CachedModel[]> {
  const models: CachedModel[] = [];
  for (const entry of await entriesOf(cacheFolder)) {
    const match = /^models--([^-].*?)--(.+)$/.exec(entry.name);
    if (!match) continue;
    const repository = join(cacheFolder, entry.name);
    const references = await readReferences(join(repository, "refs"));
    for (const snapshot of await entriesOf(join(repository, "snapshots"))) {
      const path = join(repository, "snapshots", snapshot.name);
      const graphs = await graphsOf(path);
      if (graphs.length === 0 && !(await hasSafetensors(path))) continue;
      const revisions = [...references]
        .filter(([, commit]) => commit === snapshot.name)
        .map(([name]) => name);
      models.push({ id: `${match[1]}/${match[2]}`, commit: snapshot.name, revisions, path, graphs });
    }
  }
  return models.sort((a, b) => a.id.localeCompare(b.id, "en") || a.commit.localeCompare(b.commit, "en"));
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch((): Dirent[] => []);
}

async function readReferences(folder: string): Promise<Map<string, string>> {
  const references = new Map<string, string>();
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch((): Dirent[] => []);
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath ?? entry.path, entry.name);
    const commit = await readFile(path, "utf8").catch(() => "");
    references.set(relative(folder, path).replaceAll("\\", "/"), commit.trim());
  }
  return references;
}

/** ONNX files of a model folder, in its root and in `onnx/`, relative to it and sorted; broken links are left out. */
export async function graphsOf(folder: string): Promise<string[]> {
  const graphs: string[] = [];
  for (const place of ["", "onnx"]) {
    for (const entry of await entriesOf(join(folder, place))) {
      const path = join(folder, place, entry.name);
      if (entry.name.endsWith(".onnx") && (await exists(path))) {
        graphs.push(place ? `${place}/${basename(path)}` : basename(path));
      }
    }
  }
  return graphs.sort();
}
