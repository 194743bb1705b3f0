/** Counts the phrases of texts in several workers, one file of counts per block. */
import { join } from "node:path";
import { InterruptedError } from "../../errors.js";
import { WorkerPool } from "../../runtime/worker-pool.js";
import type { ChunkRequest } from "./chunk-worker.js";
import { writeRun } from "./phrase-runs.js";
import { createTagger } from "./tagger.js";
import { countPhrases, type ReadWords } from "./text-phrases.js";
import { type TextBlock, textBlocks } from "./text-sources.js";

/** A text of fewer characters is counted in this thread. */
const smallText = 100_000;

export interface CountingOptions {
  /** Existing folder for the files of counts. */
  readonly folder: string;
  readonly threads: number;
  /** Characters of a block. */
  readonly blockLength: number;
  readonly signal?: AbortSignal;
  /** Called with the number of characters counted so far. */
  readonly onProgress?: (characters: number) => void;
}

/** What was counted. */
export interface CountedTexts extends ReadWords {
  /** Sorted counts, one file per block, in the order of the text. */
  readonly runs: string[];
  readonly characters: number;
  /** Fingerprints of the blocks. */
  readonly hashes: string[];
}

/** Counts every phrase of `texts`. The result depends on the texts alone, not on the number of threads. */
export async function countTexts(
  texts: AsyncIterable<string>,
  options: CountingOptions,
): Promise<CountedTexts> {
  const read: ReadWords[] = [];
  const hashes: string[] = [];
  const runs: string[] = [];
  let characters = 0;
  /** Blocks to count in workers, with the number of characters up to their end; a small text is counted here. */
  async function* blocksToCount(): AsyncGenerator<{ block: TextBlock; path: string; counted: number }> {
    for await (const block of textBlocks(texts, options.blockLength)) {
      refuseInterruption(options.signal);
      const path = join(options.folder, `block-${block.index}.tsv`);
      hashes.push(block.hash);
      runs.push(path);
      characters += block.characters;
      if (block.index === 0 && block.isLast && block.characters < smallText)
        read[0] = await countHere(block, path);
      else yield { block, path, counted: characters };
    }
  }
  const pool = new WorkerPool({ script: "./chunk-worker.js", base: import.meta.url, limit: options.threads });
  try {
    await pool.each(blocksToCount(), async (worker, { block, path, counted }) => {
      read[block.index] = await worker.call<ReadWords>("count", {
        texts: block.texts,
        path,
      } satisfies ChunkRequest);
      options.onProgress?.(counted);
    });
    refuseInterruption(options.signal);
  } finally {
    await pool.close();
  }
  const sum = (key: keyof ReadWords): number => read.reduce((total, words) => total + words[key], 0);
  return { runs, characters, hashes, words: sum("words"), foreign: sum("foreign") };
}

/** Counts a little text without starting a worker. */
async function countHere(block: TextBlock, path: string): Promise<ReadWords> {
  const { counts, read } = countPhrases(createTagger(), block.texts);
  await writeRun(path, counts);
  return read;
}

function refuseInterruption(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw new InterruptedError("interrupted; nothing was written");
}
