/** Paraphrases by a text-to-text model, written into a file ahead of training, so that the loop stays synchronous. */
import { appendFile, readFile, rm } from "node:fs/promises";
import {
  ArgumentError,
  InterruptedError,
  MissingDataError,
  ModelError,
  messageOf,
  TableError,
} from "../../errors.js";
import { writeWholeFile } from "../../files/whole-file.js";
import { writeTabLines } from "../../table/tab-lines.js";
import { othersThan } from "./rule.js";

/** Several texts for each phrase, in the phrases' order. */
export type Generate = (phrases: readonly string[], count: number) => Promise<string[][]>;

export interface ParaphraseOptions {
  /** Texts that the model writes for a phrase. Default 3. */
  readonly count?: number;
  /** Phrases given to the model at a time. Default 8. */
  readonly batchSize?: number;
  readonly signal?: AbortSignal;
  /** Phrases finished and in all. */
  readonly onProgress?: (done: number, total: number) => void;
}

export interface ParaphraseReport {
  readonly path: string;
  readonly phrases: number;
  readonly pairs: number;
  /** Phrases that an interrupted run had finished. */
  readonly resumed: number;
}

/** What a paraphraser was trained on as its instruction; the T5 ones expect it. */
const prompt = "paraphrase: ";

/**
 * A model through @huggingface/transformers: a hub id or a folder of a text-to-text model in ONNX.
 * @throws MissingDataError where the package is not installed, ModelError where the model cannot be loaded
 */
export async function loadParaphraser(model: string): Promise<Generate> {
  const name = "@huggingface/transformers";
  const library = (await import(name).catch((error) => {
    throw new MissingDataError(
      `a text-to-text model needs the optional package ${name} (${messageOf(error).split("\n")[0]}). ` +
        `Install it with: npm install ${name}`,
      { cause: error },
    );
  })) as typeof import("@huggingface/transformers");
  let pipe: Awaited<ReturnType<typeof library.pipeline<"text2text-generation">>>;
  try {
    pipe = await library.pipeline("text2text-generation", model);
  } catch (error) {
    throw new ModelError(
      `${model} cannot be loaded as a text-to-text model (${messageOf(error)}). Give a hub id with ONNX files, ` +
        "such as Xenova/flan-t5-small, or a folder; without a network it must be in the cache.",
      { cause: error },
    );
  }
  return async (phrases, count) => {
    const settings = { num_return_sequences: count, do_sample: true, top_k: 50, max_new_tokens: 64 };
    const lists: string[][] = [];
    for (const phrase of phrases) {
      const outcomes = (await pipe(prompt + phrase, settings)) as { generated_text: string }[];
      lists.push(outcomes.map((outcome) => outcome.generated_text));
    }
    return lists;
  };
}

/**
 * Writes a paraphrase file (phrase, paraphrase) for `AugmentationSettings.paraphraseFiles`. What the model repeats is
 * left out. An interrupted run leaves `path.partial`, from which the next one with the same phrases goes on.
 * @throws InterruptedError, TableError where the file cannot be written
 */
export async function writeParaphrases(
  phrases: readonly string[],
  path: string,
  generate: Generate,
  options: ParaphraseOptions = {},
): Promise<ParaphraseReport> {
  const { count = 3, batchSize = 8, signal, onProgress } = options;
  if (!(Number.isInteger(count) && count >= 1))
    throw new ArgumentError(`count must be at least 1, not ${count}`);
  const wanted = [...new Set(phrases.map(oneLine).filter((phrase) => phrase !== ""))];
  const partial = `${path}.partial`;
  const done = await readPartial(partial);
  const open = wanted.filter((phrase) => !done.has(phrase));
  const resumed = wanted.length - open.length;
  for (let start = 0; start < open.length; start += batchSize) {
    if (signal?.aborted) {
      throw new InterruptedError(
        `interrupted; finished paraphrases are in ${partial}: run the same command again to continue`,
      );
    }
    const batch = open.slice(start, start + batchSize);
    const lists = await generate(batch, count);
    let lines = "";
    batch.forEach((phrase, index) => {
      const texts = othersThan(phrase, lists[index].map(oneLine));
      done.set(phrase, texts);
      lines += `${JSON.stringify([phrase, ...texts])}\n`;
    });
    await appendFile(partial, lines).catch((error) => {
      throw new TableError(`${partial} cannot be written (${messageOf(error)}).`, { cause: error });
    });
    onProgress?.(resumed + start + batch.length, wanted.length);
  }
  const pairs = wanted.flatMap((phrase) => (done.get(phrase) ?? []).map((text) => [phrase, text]));
  await writeTabLines(path, ["phrase", "paraphrase"], pairs);
  await rm(partial, { force: true });
  return { path, phrases: wanted.length, pairs: pairs.length, resumed };
}

/** Finished phrases, one JSON list a line; a last line that was cut off is dropped from the file. */
async function readPartial(path: string): Promise<Map<string, string[]>> {
  const done = new Map<string, string[]>();
  const text = await readFile(path, "utf8").catch(() => "");
  if (text === "") return done;
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  for (const line of whole.split("\n")) {
    if (line === "") continue;
    const [phrase, ...texts] = JSON.parse(line) as string[];
    done.set(phrase, texts);
  }
  if (whole.length < text.length) {
    await writeWholeFile(path, whole);
  }
  return done;
}

function oneLine(text: string): string {
  return text.trim().replace(/\s+/g, " ");
}
