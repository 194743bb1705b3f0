/** Counts the phrases of texts in several workers, one file of counts per block. */
import { join } from "node:path";
import { fingerprint } from "../../files/fingerprint.js";
import { eachInWorkers } from "../../runtime/worker-pool.js";
import type { BuildCorpusOptions } from "../build-corpus.js";
import type { CountRequest } from "../corpus-worker.js";
import type { ReadWords } from "./text-phrases.js";

interface CountingOptions extends Pick<BuildCorpusOptions, "blockLength" | "signal"> {
  /** Existing folder for the files of counts. */
  readonly folder: string;
  readonly threads: number;
  readonly onProgress?: (characters: number) => void;
}

export type CountedTexts = Awaited<ReturnType<typeof countTexts>>;

/**
 * Counts every phrase of `texts`. The result depends on the texts alone, not on the number of threads.
 * @returns `runs`: files of counts, and `hashes`: fingerprints, one for each block in the order of the text
 */
export async function countTexts(
  texts: AsyncIterable<string>,
  { folder, threads, blockLength = 4_000_000, signal, onProgress }: CountingOptions,
) {
  const sum = { words: 0, foreign: 0 };
  const hashes: string[] = [];
  const runs: string[] = [];
  let characters = 0;
  async function* blocks(): AsyncGenerator<CountRequest> {
    let block: string[] = [];
    let end = blockLength;
    const take = (): CountRequest => {
      signal?.throwIfAborted();
      const path = join(folder, `block-${runs.length}.tsv`);
      hashes.push(fingerprint(block.join("\n")));
      runs.push(path);
      return { texts: block, path, end: characters };
    };
    for await (const text of texts) {
      if (characters >= end) {
        yield take();
        block = [];
        end = characters + blockLength;
      }
      block.push(text);
      characters += text.length;
    }
    if (block.length > 0) yield take();
  }
  const workers = { script: "../corpus-worker.js", base: import.meta.url, limit: threads };
  await eachInWorkers(workers, blocks(), async (worker, request) => {
    const { words, foreign } = await worker.call<ReadWords>("count", request);
    sum.words += words;
    sum.foreign += foreign;
    onProgress?.(request.end);
  });
  return { runs, characters, hashes, ...sum };
}
