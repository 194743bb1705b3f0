/** A model folder with the checksums of its files, in `checksums.json`. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { object, record, string, tuple, number as wholeNumber } from "valibot";
import type { PearlError } from "../errors.js";
import { checksum, differenceFrom, type FileSum, fileSum } from "./checksum.js";
import { readJson } from "./json.js";
import { writeCheckedJson } from "./whole-file.js";
import { writeWholeFolder } from "./whole-folder.js";

const sealName = "checksums.json";
const sealSchema = object({ files: record(string(), tuple([wholeNumber(), string()])) });

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

/** Records the checksums of a folder's files as they are now. @returns how many */
export async function sealFolder(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const files: Record<string, FileSum> = {};
  for (const entry of entries.filter((one) => one.isFile())) {
    const path = join(entry.parentPath ?? entry.path, entry.name);
    const name = path.slice(join(folder, "/").length).replaceAll("\\", "/");
    if (!isFree(name)) files[name] = name === "config.json" ? await configSum(path) : await fileSum(path);
  }
  const sorted = Object.fromEntries(Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1)));
  await writeCheckedJson(join(folder, sealName), { files: sorted });
  return entries.length;
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
