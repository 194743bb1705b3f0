/** Folders: written whole, copied from; those of models with the checksums of their files, in `checksums.json`. */
import { copyFile, readdir, readFile, rename, rm, rmdir } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { number, object, record, string, tuple } from "valibot";
import { ArgumentError, ModelError, messageOf, type PearlError } from "../errors.js";
import { checksum, differenceFrom, type FileSum, fileSum } from "./checksums/checksum.js";
import { filesIn } from "./disk.js";
import { readJson } from "./json.js";
import { isObjectAddress, refuseUnknownAddress } from "./place.js";
import { exists, isSystemError, makeFolder, partialPath, writeCheckedJson } from "./whole-file.js";

/** Refuses a path that exists, before any work; an empty folder is accepted. @throws ArgumentError, ObjectStorageError */
export async function checkIsFree(target: string): Promise<void> {
  refuseUnknownAddress(target);
  if (isObjectAddress(target)) {
    const { checkIsFreeFolder } = await import("./object-storage/folder.js");
    return checkIsFreeFolder(target);
  }
  const inside = await readdir(target).catch(async ({ code }: NodeJS.ErrnoException) => {
    if (code === "ENOENT") return [];
    if (code !== "ENOTDIR") return ["something"];
    const file = (await exists(target)) ? target : dirname(target);
    throw new ArgumentError(`${file} is a file: name a new folder for the output.`);
  });
  if (inside.length > 0)
    throw new ArgumentError(`${target} is not empty: remove it, or name another folder for the output.`);
}

/**
 * Lets `fill` write into a temporary folder beside `target`, which then gets the target's name. Of a folder in object storage
 * (s3://...) it is uploaded.
 * @returns what `fill` returns
 * @throws ArgumentError where `target` exists and is not empty; ModelError where it cannot be written
 */
export async function writeWholeFolder<Result>(
  target: string,
  fill: (temporary: string) => Promise<Result>,
): Promise<Result> {
  if (isObjectAddress(target)) {
    const { uploadWholeFolder } = await import("./object-storage/folder.js");
    return uploadWholeFolder(target, fill);
  }
  await checkIsFree(target);
  const path = resolve(target);
  const temporary = partialPath(path);
  try {
    await makeFolder(temporary);
    const result = await fill(temporary);
    await makeFolder(dirname(path));
    await rmdir(path).catch(() => {}); // an empty folder: not every system renames over it
    await rename(temporary, path);
    return result;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    throw new ModelError(`${target} cannot be written: ${messageOf(error)}`, { cause: error });
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

export async function copyPresent(names: Iterable<string>, source: string, target: string): Promise<void> {
  for (const name of names) {
    if (!(await exists(join(source, name)))) continue;
    await makeFolder(dirname(join(target, name)));
    await copyFile(join(source, name), join(target, name));
  }
}

/** Removes the temporary folders of {@link writeWholeFolder} that killed processes left beside `target`. */
export async function removePartialFolders(target: string): Promise<void> {
  const path = resolve(target);
  const name = basename(path);
  for (const entry of await readdir(dirname(path)).catch(() => []))
    if (entry.startsWith(`${name}.`) && /^\.[0-9a-f]{12}\.partial$/.test(entry.slice(name.length)))
      await rm(join(dirname(path), entry), { recursive: true, force: true });
}

const sealName = "checksums.json";
const sealSchema = object({ files: record(string(), tuple([number(), string()])) });

/** Files that no vector depends on: a user may edit them. */
const isFree = (name: string): boolean =>
  /(^|\/)(README|LICENSE|NOTICE)[^/]*$|\.(md|ya?ml|svg|html|jsonl|csv|tsv|log)$/.test(name) ||
  ["training.json", "build.json", sealName].includes(name);

/** As {@link writeWholeFolder}, for a model: with checksums of its files. */
export function writeModelFolder(
  target: string,
  fill: (temporary: string) => Promise<unknown>,
): Promise<void> {
  return writeWholeFolder(target, async (temporary) => {
    await fill(temporary);
    await sealFolder(temporary);
  });
}

/** Records the checksums of a folder's files as they are now. */
export async function sealFolder(folder: string): Promise<void> {
  const files: Record<string, FileSum> = {};
  for (const name of (await filesIn(folder)).sort()) {
    const path = join(folder, name);
    if (!isFree(name)) files[name] = name === "config.json" ? await configSum(path) : await fileSum(path);
  }
  await writeCheckedJson(join(folder, sealName), { files });
}

/** The checksum of config.json without the keys that name the model. */
async function configSum(path: string): Promise<FileSum> {
  const { name, license, _name_or_path, ...content } = JSON.parse(await readFile(path, "utf8"));
  const text = JSON.stringify(content);
  return [Buffer.byteLength(text), checksum(text)];
}

/**
 * Compares a folder's files with their checksums.
 * @returns how many files have one; 0 where the folder was written without
 * @throws `Trouble` that names the file
 */
export async function checkFolder(
  folder: string,
  Trouble: new (message: string, options?: ErrorOptions) => PearlError,
  cure: string,
): Promise<number> {
  const seal = await readJson(join(folder, sealName), sealSchema, { error: Trouble, cure });
  const files = Object.entries(seal?.files ?? {});
  for (const [name, sum] of files) {
    const path = join(folder, name);
    const difference = await differenceOf(name, path, sum).catch((cause: NodeJS.ErrnoException) => {
      throw new Trouble(
        `${path} ${cause.code === "ENOENT" ? "is missing" : `cannot be read (${cause.message})`}. ${cure}`,
        { cause },
      );
    });
    if (difference !== undefined) throw new Trouble(`${path} is damaged: ${difference}. ${cure}`);
  }
  return files.length;
}

async function differenceOf(name: string, path: string, sum: FileSum): Promise<string | undefined> {
  if (name !== "config.json") return differenceFrom(sum, path);
  const found = await configSum(path).catch((error: unknown) => {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  });
  return String(found) === String(sum) ? undefined : "its content differs";
}
