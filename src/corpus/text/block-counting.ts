/** Counts the phrases of texts in several workers, one file of counts per block. */
import { join } from "node:path";
import { InterruptedError } from "../../errors.js";
import { fingerprint } from "../../files/fingerprint.js";
import { WorkerPool } from "../../runtime/worker-pool.js";
import type { CountRequest } from "../corpus-worker.js";
import type { ReadWords } from "./text-phrases.js";

interface CountingOptions {
  /** Existing folder for the files of counts. */
  readonly folder: string;
  readonly threads: number;
  /** Characters of a block, which one worker counts at a time. Default 4,000,000. */
  readonly blockLength?: number;
  readonly signal?: AbortSignal;
  /** Called with the number of characters counted so far. */
  readonly onProgress?: (characters: number) => void;
}

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
  { folder, threads, blockLength = 4_000_000, signal, onProgress }: CountingOptions,
): Promise<CountedTexts> {
  const sum = { words: 0, foreign: 0 };
  const hashes: string[] = [];
  const runs: string[] = [];
  let characters = 0;
  /** Requests, with the number of characters up to their end. */
  async function* blocks(): AsyncGenerator<{ request: CountRequest; counted: number }> {
    let block: string[] = [];
    let end = blockLength;
    const take = () => {
      if (signal?.aborted) throw new InterruptedError("interrupted; nothing was written");
      const path = join(folder, `block-${runs.length}.tsv`);
      hashes.push(fingerprint(block.join("\n")));
      runs.push(path);
      const request = { texts: block, path };
      block = [];
      end = characters + blockLength;
      return { request, counted: characters };
    };
    for await (const text of texts) {
      if (characters >= end) yield take();
      block.push(text);
      characters += text.length;
    }
    if (block.length > 0) yield take();
  }
  const pool = new WorkerPool({ script: "../corpus-worker.js", base: import.meta.url, limit: threads });
  try {
    await pool.each(blocks(), async (worker, { request, counted }) => {
      const { words, foreign } = await worker.call<ReadWords>("count", request);
      sum.words += words;
      sum.foreign += foreign;
      onProgress?.(counted);
    });
    if (signal?.aborted) throw new InterruptedError("interrupted; nothing was written");
  } finally {
    await pool.close();
  }
  return { runs, characters, hashes, ...sum };
}
