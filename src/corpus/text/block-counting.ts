/** Counts the phrases of texts in several workers, one file of counts per block. */
import { readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fingerprint } from "../../files/checksums/fingerprint.js";
import type { Kept } from "../../files/shards/shard.js";
import type { WorkerClient } from "../../runtime/worker-client.js";
import { eachInWorkers } from "../../runtime/worker-pool.js";
import type { BuildCorpusOptions } from "../build-corpus.js";
import type { CountRequest } from "../corpus-worker.js";
import type { ReadWords } from "./text-phrases.js";

interface CountingOptions extends Pick<BuildCorpusOptions, "blockLength" | "sharing" | "signal"> {
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
  { folder, threads, blockLength = 4_000_000, sharing, signal, onProgress }: CountingOptions,
) {
  if (sharing?.kind === "merge") return mergedCounts(sharing.parts(), folder);
  const sum = { words: 0, foreign: 0 };
  const hashes: string[] = [];
  const runs: string[] = [];
  let characters = 0;
  /** Every n-th block: how many there will be is not known before the text ends. */
  const isOwn = (block: number): boolean =>
    sharing?.kind !== "shard" || block % sharing.shard.count === sharing.shard.index - 1;
  function* take(block: readonly string[]): Generator<CountRequest> {
    const number = runs.length;
    const path = join(folder, `block-${number}.tsv`);
    hashes.push(fingerprint(block.join("\n")));
    runs.push(path);
    if (isOwn(number)) yield { texts: block, path, end: characters };
  }
  async function* blocks(): AsyncGenerator<CountRequest> {
    let block: string[] = [];
    let end = blockLength;
    for await (const text of texts) {
      signal?.throwIfAborted();
      if (characters >= end) {
        yield* take(block);
        block = [];
        end = characters + blockLength;
      }
      block.push(text);
      characters += text.length;
    }
    if (block.length > 0) yield* take(block);
  }
  const workers = { script: "../corpus-worker.js", base: import.meta.url, limit: threads };
  const count = async (worker: WorkerClient, request: CountRequest): Promise<void> => {
    const { words, foreign } = await worker.call<ReadWords>("count", request);
    sum.words += words;
    sum.foreign += foreign;
    onProgress?.(request.end);
  };
  await eachInWorkers(workers, blocks(), count, signal);
  if (sharing?.kind === "shard") {
    const own = runs.filter((_, block) => isOwn(block));
    const contents = await Promise.all(
      own.map(async (path) => [basename(path), new Uint8Array(await readFile(path))] as const),
    );
    sharing.end({
      ...Object.fromEntries(contents),
      sums: Float64Array.of(sum.words, sum.foreign),
      whole: Float64Array.of(characters),
      hashes: new TextEncoder().encode(hashes.join("\n")),
    });
  }
  return { runs, characters, hashes, ...sum };
}

/** The counts of all shards, as files in the folder. */
async function mergedCounts(parts: AsyncIterable<Kept>, folder: string) {
  const found = { characters: 0, hashes: [] as string[], words: 0, foreign: 0 };
  const runs: string[] = [];
  for await (const { sums, whole, hashes, ...blocks } of parts) {
    found.words += sums[0];
    found.foreign += sums[1];
    found.characters = whole[0];
    found.hashes = Buffer.from(hashes as Uint8Array)
      .toString()
      .split("\n");
    for (const [name, bytes] of Object.entries(blocks)) {
      runs.push(join(folder, name));
      await writeFile(join(folder, name), bytes);
    }
  }
  return { runs, ...found };
}
