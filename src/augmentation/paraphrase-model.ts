/** Paraphrases by a text-to-text model, written to a file before training, so that augmentation stays synchronous. */
import { appendFile, readdir, readFile, rm, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import type * as Transformers from "@huggingface/transformers";
import { array, number, object, string, union } from "valibot";
import { ModelError, messageOf, TableError } from "../errors.js";
import { fileFingerprint, fingerprint } from "../files/checksums/fingerprint.js";
import { parseJson } from "../files/json.js";
import { loadOptional } from "../files/package.js";
import { exists, writeWholeFile } from "../files/whole-file.js";
import { writeTabLines } from "../table/tab-lines.js";
import { oneLine } from "../text/visible.js";
import { othersThan } from "./rule.js";

export type Generate = (phrase: string, count: number) => Promise<string[]>;

interface ParaphraseOptions {
  readonly count?: number;
  /** Identifies the model: what another one has made is not continued. */
  readonly model?: string;
  readonly signal?: AbortSignal;
  readonly onNote?: (note: string) => void;
  readonly onProgress?: (done: number, total: number) => void;
}

/** The instruction that paraphrasers are trained with; T5 models expect it. */
const prompt = "paraphrase: ";

/**
 * A model through @huggingface/transformers: a hub id or a folder of a text-to-text model in ONNX.
 * @throws MissingDataError where the package is not installed, ModelError where the model cannot be loaded
 */
export async function loadParaphraser(model: string): Promise<Generate> {
  const library = loadOptional<typeof Transformers>("@huggingface/transformers", "a text-to-text model");
  // the package takes a relative path of one or two names for a hub id
  const source = (await exists(model)) ? resolve(model) : model;
  const pipe = await library.pipeline("text2text-generation", source).catch((error) => {
    throw new ModelError(
      `${model} cannot be loaded as a text-to-text model (${messageOf(error)}). Give a hub id with ONNX files, ` +
        "such as Xenova/flan-t5-small, or a folder; without a network it must be in the cache.",
      { cause: error },
    );
  });
  return async (phrase, count) => {
    const settings = { do_sample: true, top_k: 50, max_new_tokens: 64 };
    // as a batch: the package does not read num_return_sequences
    const prompts = Array.from({ length: count }, () => prompt + phrase);
    const outcomes = (await pipe(prompts, settings)) as { generated_text: string }[];
    return outcomes.map((outcome) => outcome.generated_text);
  };
}

/** What identifies a paraphraser: a hub id, or the contents of a folder. */
export async function paraphraserFingerprint(model: string): Promise<string> {
  if (!(await exists(model))) return model;
  const parts: string[] = [];
  for (const name of (await readdir(model, { recursive: true })).sort()) {
    const path = join(model, name);
    if ((await stat(path)).isFile()) parts.push(`${name} ${await fileFingerprint(path)}\n`);
  }
  return fingerprint(...parts);
}

/**
 * Writes a paraphrase file (phrase, paraphrase) for `AugmentationSettings.paraphraseFiles`, without repetitions. An
 * interrupted run leaves `path.partial`, from which the next one with the same model and count continues.
 * @returns counts of phrases, of paraphrases, and of phrases that an interrupted run had finished
 * @throws TableError where a file cannot be written
 */
export async function writeParaphrases(
  phrases: readonly string[],
  path: string,
  generate: Generate,
  { count = 3, model = "", signal, onNote, onProgress }: ParaphraseOptions = {},
): Promise<{ phrases: number; pairs: number; resumed: number }> {
  const wanted = [...new Set(phrases.map(oneLine).filter((phrase) => phrase !== ""))];
  const partial = `${path}.partial`;
  const unwritable = (error: unknown): never => {
    throw new TableError(`${partial} cannot be written (${messageOf(error)}).`, { cause: error });
  };
  const heading = { model, count };
  const { done, isOther } = await readPartial(partial, heading);
  if (isOther) onNote?.(`${partial} is of another model or count: starting over`);
  const lines = [heading, ...Array.from(done, ([phrase, texts]) => [phrase, ...texts])];
  await writeWholeFile(partial, lines.map(asLine).join("")).catch(unwritable);
  const open = wanted.filter((phrase) => !done.has(phrase));
  const resumed = wanted.length - open.length;
  for (const [index, phrase] of open.entries()) {
    signal?.throwIfAborted();
    const texts = othersThan(phrase, (await generate(phrase, count)).map(oneLine));
    done.set(phrase, texts);
    await appendFile(partial, asLine([phrase, ...texts])).catch(unwritable);
    onProgress?.(resumed + index + 1, wanted.length);
  }
  const pairs = wanted.flatMap((phrase) => done.get(phrase)!.map((text) => [phrase, text]));
  await writeTabLines(path, ["phrase", "paraphrase"], pairs);
  await rm(partial, { force: true });
  return { phrases: wanted.length, pairs: pairs.length, resumed };
}

const asLine = (value: object): string => `${JSON.stringify(value)}\n`;

/** What finished phrases were made with. */
const Heading = object({ model: string(), count: number() });
const Line = union([Heading, array(string())]);

/**
 * Finished phrases with their texts: a heading, then one JSON list a line; a last line that was cut off is left out.
 * @returns none of them, and `isOther`, where the heading is another one
 */
async function readPartial(path: string, heading: object) {
  const text = await readFile(path, "utf8").catch(() => "");
  const trouble = { error: TableError, cure: "Delete the file to start again." };
  const [first, ...lines] = text
    .split("\n")
    .slice(0, -1)
    .map((line, index) => parseJson(line, `${path}, line ${index + 1}`, Line, trouble));
  const isOther = first !== undefined && JSON.stringify(first) !== JSON.stringify(heading);
  const lists = isOther ? [] : lines.filter((line) => Array.isArray(line));
  return { done: new Map(lists.map(([phrase, ...texts]) => [phrase, texts])), isOther };
}
