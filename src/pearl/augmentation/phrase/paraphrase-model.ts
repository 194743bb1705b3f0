/** Paraphrases by a text-to-text model, written to a file before training, so that augmentation stays synchronous. */
import { appendFile, readFile, rm } from "node:fs/promises";
import { resolve } from "node:path";
import type * as Transformers from "@huggingface/transformers";
import { array, string } from "valibot";
import { ModelError, messageOf, TableError } from "../../../errors.js";
import { parseJson } from "../../../files/json.js";
import { loadOptional } from "../../../files/package.js";
import { exists, writeWholeFile } from "../../../files/whole-file.js";
import { writeTabLines } from "../../../table/tab-lines.js";
import { othersThan } from "../rule.js";
import { oneLine } from "./pair-table.js";

export type Generate = (phrase: string, count: number) => Promise<string[]>;

interface ParaphraseOptions {
  readonly count?: number;
  readonly signal?: AbortSignal;
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

/**
 * Writes a paraphrase file (phrase, paraphrase) for `AugmentationSettings.paraphraseFiles`, without repetitions. An
 * interrupted run leaves `path.partial`, from which the next one with the same phrases continues.
 * @returns counts of phrases, of paraphrases, and of phrases that an interrupted run had finished
 * @throws TableError where a file cannot be written
 */
export async function writeParaphrases(
  phrases: readonly string[],
  path: string,
  generate: Generate,
  { count = 3, signal, onProgress }: ParaphraseOptions = {},
): Promise<{ phrases: number; pairs: number; resumed: number }> {
  const wanted = [...new Set(phrases.map(oneLine).filter((phrase) => phrase !== ""))];
  const partial = `${path}.partial`;
  const done = await readPartial(partial);
  const open = wanted.filter((phrase) => !done.has(phrase));
  const resumed = wanted.length - open.length;
  for (const [index, phrase] of open.entries()) {
    signal?.throwIfAborted();
    const texts = othersThan(phrase, (await generate(phrase, count)).map(oneLine));
    done.set(phrase, texts);
    await appendFile(partial, `${JSON.stringify([phrase, ...texts])}\n`).catch((error) => {
      throw new TableError(`${partial} cannot be written (${messageOf(error)}).`, { cause: error });
    });
    onProgress?.(resumed + index + 1, wanted.length);
  }
  const pairs = wanted.flatMap((phrase) => done.get(phrase)!.map((text) => [phrase, text]));
  await writeTabLines(path, ["phrase", "paraphrase"], pairs);
  await rm(partial, { force: true });
  return { phrases: wanted.length, pairs: pairs.length, resumed };
}

/** Finished phrases with their texts, one JSON list a line; removes a last line that was cut off from the file. */
async function readPartial(path: string): Promise<Map<string, string[]>> {
  const text = await readFile(path, "utf8").catch(() => "");
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  if (whole.length < text.length) await writeWholeFile(path, whole);
  const trouble = { error: TableError, cure: "Delete the file to start again." };
  return new Map(
    whole
      .split("\n")
      .slice(0, -1)
      .map((line, index) => {
        const place = `${path}, line ${index + 1}`;
        const [phrase, ...texts] = parseJson(line, place, array(string()), trouble);
        return [phrase, texts];
      }),
  );
}
