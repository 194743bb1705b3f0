/** Which files of a folder hold its weights: safetensors, one file or several with a table of contents. */
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { ModelError, messageOf } from "../../errors.js";

/** Weights in one file, and the table of contents of weights in several. */
export const weightsFile = "model.safetensors";
export const weightsIndex = "model.safetensors.index.json";

/** True where the folder has weights in safetensors. */
export async function hasSafetensors(folder: string): Promise<boolean> {
  for (const name of [weightsFile, weightsIndex])
    if (await stat(join(folder, name)).catch(() => undefined)) return true;
  return false;
}

/**
 * The files that hold a folder's weights: one, or those that the index names.
 * @throws ModelError where there are none, or one of several is missing
 */
export async function weightFiles(folder: string): Promise<string[]> {
  if (await stat(join(folder, weightsFile)).catch(() => undefined)) return [weightsFile];
  const path = join(folder, weightsIndex);
  const text = await readFile(path, "utf8").catch(() => undefined);
  if (text === undefined)
    throw new ModelError(
      `${folder}: there is no ${weightsFile} to import. A folder with pytorch_model.bin alone becomes one by ` +
        "transformers' save_pretrained(folder, safe_serialization=True).",
    );
  const files = shardsOf(text, path);
  for (const file of files)
    if (!(await stat(join(folder, file)).catch(() => undefined)))
      throw new ModelError(`${folder}: ${file}, which ${weightsIndex} names, is missing. Download it too.`);
  return files;
}

/** The files that an index of sharded weights names, each once. @throws ModelError for another kind of text */
export function shardsOf(text: string, label: string): string[] {
  try {
    const { weight_map: map } = JSON.parse(text) as { weight_map: Record<string, string> };
    const files = [...new Set(Object.values(map))];
    const isPlain = (name: unknown) => typeof name === "string" && /^[\w-][\w.-]*\.safetensors$/.test(name);
    if (files.length > 0 && files.every(isPlain)) return files;
  } catch (error) {
    throw new ModelError(`${label}: not a table of weights (${messageOf(error)}). Download it again.`, {
      cause: error,
    });
  }
  throw new ModelError(
    `${label}: its weight_map names no safetensors files of this folder. Download it again.`,
  );
}
