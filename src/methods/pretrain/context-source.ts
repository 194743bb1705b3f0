/** Spans of text with their contexts, as a part of batches of pairs. */
import { batchSeed, createRandom } from "../../random.js";
import type { Feeds } from "../../runtime/tensor.js";
import type { CorpusBatchSettings } from "../corpus/data-protocol.js";
import { contextFeeds, spanTexts } from "./context-batches.js";
import { shardReader } from "./shard-reader.js";
import { SpanSampler } from "./spans.js";
import { openShards } from "./text-shards.js";

/** Gives the spans of a batch, and what the graph reads of their contexts. */
export interface ContextSource {
  batch(index: number): Promise<{ readonly texts: readonly string[]; readonly feeds: Feeds }>;
}

/** @throws MissingDataError where the folder holds no shards */
export async function openContexts(
  { folder, spans, vocabulary }: NonNullable<CorpusBatchSettings["contexts"]>,
  seed: number,
): Promise<ContextSource> {
  const shards = await openShards(folder);
  const sampler = new SpanSampler(shards);
  const read = shardReader(shards);
  return {
    async batch(index) {
      const text = await read(index);
      const random = createRandom(batchSeed(seed, index) ^ 0x5bd1e995);
      const drawn = sampler.draw(text, spans, random);
      return {
        texts: spanTexts(text, drawn, shards.words),
        feeds: contextFeeds(text, drawn, vocabulary),
      };
    },
  };
}
