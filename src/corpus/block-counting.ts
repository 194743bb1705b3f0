/** Counts the phrases of texts over several worker threads, one file of counts a block, so that it can be resumed. */
import { mkdir, readdir, readFile, rename, rm, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { InterruptedError, TableError } from "../errors.js";
import { startWorker, type WorkerClient } from "../runtime/worker-client.js";
import type { ChunkRequest } from "./chunk-worker.js";
import { writeRun } from "./phrase-runs.js";
import { createTagger } from "./tagger.js";
import { countPhrases, type ReadWords } from "./text-phrases.js";
import { type TextBlock, textBlocks } from "./text-sources.js";

/** Rules and tagger: counts of another version do not mix with ours. Raise it whenever phrases change. */
const rulesVersion = 1;

const smallText = 100_000;

/** How texts are counted. */
export interface CountingOptions {
  /** Folder of the unfinished work. */
  readonly folder: string;
  readonly threads: number;
  /** Characters of a block. */
  readonly blockLength: number;
  /** Whether blocks that an earlier run has counted are taken over. */
  readonly resume: "continue" | "start-over";
  readonly signal?: AbortSignal;
  readonly onNote?: (note: string) => void;
  /** Characters of text read so far, those counted by an earlier run included. */
  readonly onProgress?: (characters: number) => void;
}

/** What was counted. */
export interface CountedTexts extends ReadWords {
  /** Sorted counts, one file a block, in the order of the text. */
  readonly runs: string[];
  readonly characters: number;
  /** Blocks taken over from an earlier run. */
  readonly resumedBlocks: number;
  /** Hashes of the blocks: what tells one text from another. */
  readonly hashes: string[];
}

/** Counts every phrase of `texts`. The result depends on the texts alone, not on the number of threads. */
export async function countTexts(
  texts: AsyncIterable<string>,
  options: CountingOptions,
): Promise<CountedTexts> {
  const earlier = await prepareFolder(options);
  const workers: WorkerClient[] = [];
  const idle: WorkerClient[] = [];
  const running = new Set<Promise<void>>();
  const read: ReadWords[] = [];
  const hashes: string[] = [];
  const runs: string[] = [];
  let characters = 0;
  let done = 0;
  let resumedBlocks = 0;
  let failure: unknown;
  try {
    for await (const block of textBlocks(texts, options.blockLength)) {
      refuseInterruption(options.signal, done);
      const path = join(options.folder, nameOf(block));
      hashes.push(block.hash);
      runs.push(path);
      characters += block.characters;
      const known = earlier.get(nameOf(block));
      if (known !== undefined) {
        read[block.index] = known;
        resumedBlocks++;
        options.onProgress?.(characters);
        continue;
      }
      if (block.index === 0 && block.isLast && block.characters < smallText) {
        read[0] = await countHere(block, path);
        continue;
      }
      if (idle.length === 0 && workers.length < options.threads) {
        const worker = startWorker("./chunk-worker.js", import.meta.url);
        workers.push(worker);
        idle.push(worker);
      }
      while (idle.length === 0) await Promise.race(running);
      if (failure !== undefined) throw failure;
      const worker = idle.pop() as WorkerClient;
      const counted = characters;
      const job = countBlock(worker, block, path)
        .then((words) => {
          read[block.index] = words;
          done++;
          options.onProgress?.(counted);
        })
        .catch((error) => {
          failure ??= error;
        })
        .finally(() => {
          idle.push(worker);
          running.delete(job);
        });
      running.add(job);
    }
    await Promise.all(running);
    refuseInterruption(options.signal, done);
    if (failure !== undefined) throw failure;
  } finally {
    await Promise.allSettled(running);
    await Promise.all(workers.map((worker) => worker.terminate()));
    // Nothing was counted: nothing is left behind.
    await rmdir(options.folder).catch(() => {});
  }
  const sum = (key: keyof ReadWords): number => read.reduce((total, words) => total + words[key], 0);
  return { runs, characters, resumedBlocks, hashes, words: sum("words"), foreign: sum("foreign") };
}

/** For a little text no thread is started. */
async function countHere(block: TextBlock, path: string): Promise<ReadWords> {
  const { counts, read } = countPhrases(createTagger(), block.texts);
  await writeRun(path, counts);
  return read;
}

async function countBlock(worker: WorkerClient, block: TextBlock, path: string): Promise<ReadWords> {
  const request: ChunkRequest = { texts: block.texts, path };
  const words = await worker.call<ReadWords>("count", request);
  // Written last: a block with this file is whole.
  await writeFile(`${path}.json.new`, JSON.stringify(words));
  await rename(`${path}.json.new`, `${path}.json`);
  return words;
}

/** A block's file holds its content's hash in its name: where the text has changed, the block is counted anew. */
function nameOf({ index, hash }: TextBlock): string {
  return `block-${String(index).padStart(6, "0")}-${hash}.v${rulesVersion}.tsv`;
}

async function prepareFolder({
  folder,
  resume,
  onNote,
}: CountingOptions): Promise<ReadonlyMap<string, ReadWords>> {
  const known = new Map<string, ReadWords>();
  if (resume === "start-over") {
    const earlier = await readdir(folder).catch(() => []);
    if (earlier.length > 0)
      onNote?.(`${folder} of an unfinished run was replaced (--resume would have gone on with it)`);
    await rm(folder, { recursive: true, force: true });
  }
  try {
    await mkdir(folder, { recursive: true });
  } catch (error) {
    throw new TableError(`${folder} cannot be made. Choose another output folder.`, { cause: error });
  }
  for (const name of await readdir(folder)) {
    if (!name.endsWith(".tsv.json")) continue;
    known.set(name.slice(0, -5), JSON.parse(await readFile(join(folder, name), "utf8")) as ReadWords);
  }
  return known;
}

function refuseInterruption(signal: AbortSignal | undefined, done: number): void {
  if (signal?.aborted !== true) return;
  throw new InterruptedError(
    `interrupted; ${done} block${done === 1 ? "" : "s"} of text counted in this run are kept: go on with --resume`,
  );
}
