/** A model folder with the checksums of its files, in `checksums.json`. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { number, object, record, string, tuple } from "valibot";
import type { PearlError } from "../errors.js";
import { checksum, differenceFrom, type FileSum, fileSum } from "./checksums/checksum.js";
import { filesIn } from "./disk.js";
import { readJson } from "./json.js";
import { writeCheckedJson } from "./whole-file.js";
import { writeWholeFolder } from "./whole-folder.js";

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
