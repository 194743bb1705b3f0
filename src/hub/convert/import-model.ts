/** From published weights to a model folder, once for a model without a graph: the graph is written here, without Python. */
import { copyFile, mkdir, readFile, realpath, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { type Converted, exportInstead } from "../../architectures/conversion.js";
import { readJson } from "../../architectures/folder-json.js";
import { conversions } from "../../architectures/registry.js";
import { moduleFiles } from "../../architectures/sentence-modules.js";
import { ArgumentError, ModelError, messageOf } from "../../errors.js";
import { fileFingerprint, fingerprint } from "../../files/checksums/fingerprint.js";
import { writeModelFolder } from "../../files/sealed-folder.js";
import { exists, writeWholeJson } from "../../files/whole-file.js";
import { checkIsFree, copyPresent } from "../../files/whole-folder.js";
import { writeModel } from "../../onnx/io/file.js";
import { readSafetensors } from "../../onnx/io/safetensors.js";
import { elementCount, type Tensor } from "../../onnx/tensor.js";
import { readTokenizerFile, tokenizerSettings } from "../../text/tokenizer-file.js";
import { checkModel } from "../check-model.js";
import { derivedCard, readModelCard } from "../model-card.js";
import { hubSettings } from "../settings.js";
import { hasSafetensors, weightFiles } from "./weight-files.js";

/** Increased whenever the same weights would give another folder: it is part of the cache's keys. */
const importVersion = 1;

/** Copied where the source has them; config.json and the tokenizer come first. */
export const companionFiles = [
  ...["tokenizer_config.json", "special_tokens_map.json", "added_tokens.json", "vocab.txt", "vocab.json"],
  ...["merges.txt", "modules.json", "1_Pooling/config.json", "sentence_bert_config.json"],
  ...["config_sentence_transformers.json", "LICENSE", "LICENSE.txt", "LICENSE.md", "NOTICE"],
] as const;

/** Options of {@link importModel}: facts for the model card. */
export interface ImportOptions {
  /** The source's name for the card: a hub id. Default: the source folder's name. */
  readonly origin?: string;
  /** The hub's commit, for the card. */
  readonly commit?: string;
}

/** What {@link importModel} read and wrote. */
export interface ImportReport extends Omit<Converted, "maximumLength"> {
  /** The folder that was written. */
  readonly path: string;
  /** Numbers in all weights of the graph. */
  readonly parameters: number;
  /** Types of the source's weights; all become float32. */
  readonly types: readonly string[];
  /** As the source's card names it. */
  readonly licence: string | undefined;
}

/**
 * Writes a model folder with onnx/model.onnx from a folder with config.json and model.safetensors: encoders of the families in
 * docs/models.md, with Dense modules, weights in float32, float16 or bfloat16, in one file or several.
 * @param source the folder as the hub lays it out
 * @param target the new folder; it appears when it is complete
 * @throws ModelError that names file and tensor; ArgumentError where the target is not free
 */
export async function importModel(
  source: string,
  target: string,
  options: ImportOptions = {},
): Promise<ImportReport> {
  await checkIsFree(target);
  await checkModel(source);
  const { model, maximumLength, ...facts } = await convertedGraph(source);
  const tokenizer = await readTokenizerFile(source);
  if (tokenizer === undefined)
    throw new ModelError(
      `${source}: there is no tokenizer.json, nor vocab.txt, nor vocab.json with merges.txt to build it from. ` +
        "Save the tokenizer with transformers' fast tokenizers, which write tokenizer.json.",
    );
  const { licence } = await readModelCard(source);
  const origin = options.origin ?? basename(source);
  await writeModelFolder(target, async (folder) => {
    await copyFile(join(source, "config.json"), join(folder, "config.json"));
    await writeTokenizer(source, folder, tokenizer, maximumLength);
    await writeFile(join(folder, "README.md"), await card(source, { ...options, origin }, facts.types));
    await mkdir(join(folder, "onnx"));
    writeModel(model, join(folder, "onnx", "model.onnx"));
  });
  const parameters = [...model.graph.initializers.values()]
    .filter(({ type, dims }) => type === "float32" && dims.length > 0)
    .reduce((sum, { dims }) => sum + elementCount(dims), 0);
  return { path: target, ...facts, parameters, licence };
}

/** The graph of a folder's weights, as the architecture of its family writes it. @throws ModelError */
export async function convertedGraph(folder: string) {
  const label = `${folder}/config.json`;
  const config = await readJson(join(folder, "config.json"));
  if (config === undefined)
    throw new ModelError(`${label} is missing: it gives the shape of the model. Download it too.`);
  const family = String(config.model_type ?? "none");
  const all = conversions();
  const convert = all.find(({ families }) => families.includes(family));
  if (convert) return convert.graphOf({ folder, config, tensors: () => readWeights(folder) });
  const known = all.flatMap(({ families }) => families).join(", ");
  throw new ModelError(
    `${label}: model_type is ${family}; from weights pearl builds ${known}. ${exportInstead}`,
  );
}

async function readWeights(folder: string) {
  const found = new Map<string, { tensor: Tensor; file: string }>();
  for (const file of await weightFiles(folder))
    for (const [name, tensor] of readSafetensors(join(folder, file))) found.set(name, { tensor, file });
  return found;
}

/** Hub id and commit of a snapshot folder of the hub's cache; nothing for other folders. */
export function sourceOf(folder: string): ImportOptions {
  const match = /models--([^/\\]+?)--([^/\\]+)[/\\]snapshots[/\\]([^/\\]+)[/\\]?$/.exec(resolve(folder));
  if (!match) return {};
  return { origin: `${match[1]}/${match[2]}`, commit: match[3] };
}

function card(
  source: string,
  { origin, commit }: ImportOptions & { origin: string },
  types: readonly string[],
): Promise<string> {
  const isHubId = origin.includes("/");
  const from = isHubId ? `[${origin}](https://huggingface.co/${origin})` : origin;
  const wide = types.filter((type) => type !== "float32");
  return derivedCard(source, {
    title: `${origin} as ONNX`,
    origin:
      "`onnx/model.onnx` was written by `pearl import` from `config.json` and `model.safetensors` of " +
      `${from}${commit ? `, commit ${commit}` : ""}. Nothing was trained: the weights are those of the source` +
      `${wide.length > 0 ? `, widened from ${wide.join(" and ")} to float32` : ""}.`,
    metadata: isHubId ? { base_model: origin } : {},
  });
}

/** Writes tokenizer.json and its settings, and copies the companions, where the source has them. */
export async function writeTokenizer(
  source: string,
  folder: string,
  text: string,
  maximumLength: number,
): Promise<void> {
  await writeFile(join(folder, "tokenizer.json"), text);
  await writeWholeJson(join(folder, "tokenizer_config.json"), tokenizerSettings(text, maximumLength));
  const { settings } = await moduleFiles(source);
  await copyPresent([...companionFiles, ...settings], source, folder);
}

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
