/** Which files of a folder hold its weights: safetensors, one file or several with a table of contents. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { minLength, object, pipe, record, regex, string, transform } from "valibot";
import { ModelError } from "../../errors.js";
import { parseJson } from "../../files/json.js";
import { exists } from "../../files/whole-file.js";

/** Weights in one file, and the table of contents of weights in several. */
export const weightsFile = "model.safetensors";
export const weightsIndex = "model.safetensors.index.json";

export async function hasSafetensors(folder: string): Promise<boolean> {
  return (await exists(join(folder, weightsFile))) || exists(join(folder, weightsIndex));
}

/** A folder's files of weights: one, or those that the index names. @throws ModelError where one is missing */
export async function weightFiles(folder: string): Promise<string[]> {
  if (await exists(join(folder, weightsFile))) return [weightsFile];
  const path = join(folder, weightsIndex);
  const text = await readFile(path, "utf8").catch(() => undefined);
  if (text === undefined)
    throw new ModelError(
      `${folder}: there is no ${weightsFile} to import. From pytorch_model.bin alone, transformers' ` +
        "save_pretrained(folder, safe_serialization=True) makes one.",
    );
  const files = shardsOf(text, path);
  for (const file of files)
    if (!(await exists(join(folder, file))))
      throw new ModelError(`${folder}: ${file}, which ${weightsIndex} names, is missing. Download it too.`);
  return files;
}

const problem = "it names no safetensors files of this folder";
const fileName = pipe(string(problem), regex(/^[\w-][\w.-]*\.safetensors$/, problem));
const distinctFiles = transform((files: Record<string, string>) => [...new Set(Object.values(files))]);
const indexSchema = object({
  weight_map: pipe(record(string(), fileName, problem), distinctFiles, minLength(1, problem)),
});

/** The files that an index of sharded weights names, each once. @throws ModelError for another kind of text */
export function shardsOf(text: string, label: string): string[] {
  return parseJson(text, label, indexSchema, { error: ModelError, cure: "Download it again." }).weight_map;
}
