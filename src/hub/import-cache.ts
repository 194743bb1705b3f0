/** Models without a graph, imported once and kept: `<HF_HOME>/pearl/imported/<contents>/<name>`. */
import { readFile, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { moduleFiles } from "../architectures/sentence-modules.js";
import { ArgumentError, ModelError, messageOf } from "../errors.js";
import { fileFingerprint, fingerprint } from "../files/checksums/fingerprint.js";
import { exists } from "../files/whole-file.js";
import { companionFiles, importModel, importVersion, sourceOf } from "./convert/import-model.js";
import { hasSafetensors, weightFiles } from "./convert/weight-files.js";
import { hubSettings } from "./settings.js";

/**
 * The folder of a model's imported form, made on the first call. It is keyed by the contents of the weights,
 * config.json and the companions, so a folder that changes is imported again. Old ones may be deleted.
 * @param folder one with safetensors weights
 * @throws ModelError as importModel does, and where the cache cannot be written
 */
export async function importedFolder(folder: string): Promise<string> {
  const target = await placeOf(folder);
  if (await isComplete(target)) return target;
  try {
    await importModel(folder, target, sourceOf(folder));
  } catch (error) {
    // Another process may have been quicker.
    if (await isComplete(target)) return target;
    if (error instanceof ArgumentError || (error instanceof ModelError && error.message.startsWith(target)))
      throw new ModelError(
        `${folder}: its graph cannot be kept in ${target} (${messageOf(error)}). Make room, set HF_HOME to a ` +
          `folder that can be written, or run: pearl import ${folder} -o OUT`,
        { cause: error },
      );
    throw error;
  }
  return target;
}

export async function findImported(folder: string): Promise<string | undefined> {
  if (!(await hasSafetensors(folder))) return undefined;
  const target = await placeOf(folder).catch(() => undefined);
  return target !== undefined && (await isComplete(target)) ? target : undefined;
}

const isComplete = (target: string) => exists(join(target, "onnx", "model.onnx"));

async function placeOf(folder: string): Promise<string> {
  const name = (sourceOf(folder).origin ?? basename(resolve(folder))).replace(/^.*\//, "");
  return join(hubSettings().home, "pearl", "imported", await contentKey(folder), name || "model");
}

async function contentKey(folder: string): Promise<string> {
  const parts: (string | Uint8Array)[] = [`pearl import ${importVersion}\n`];
  for (const name of ["config.json", "tokenizer.json", "README.md", ...companionFiles]) {
    const content = await readFile(join(folder, name)).catch(() => undefined);
    if (content !== undefined) parts.push(`${name} ${content.length}\n`, content);
  }
  const { settings, weights } = await moduleFiles(folder);
  for (const file of settings.filter((name) => !companionFiles.some((known) => known === name)))
    parts.push(await readFile(join(folder, file)).catch(() => ""));
  const further = [];
  for (const file of weights) if (await exists(join(folder, file))) further.push(file);
  for (const file of [...(await weightFiles(folder)), ...further])
    parts.push(`${file} ${await contentSum(join(folder, file))}\n`);
  return fingerprint(...parts);
}

/** A checksum of a file's content. The hub's cache names its large files by it, so those need not be read. */
async function contentSum(path: string): Promise<string> {
  const real = await realpath(path);
  const isNamedBySum = basename(dirname(real)) === "blobs" && /^[0-9a-f]{64}$/.test(basename(real));
  return isNamedBySum ? basename(real) : fileFingerprint(real);
}
