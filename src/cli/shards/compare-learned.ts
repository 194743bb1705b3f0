/** A shard whose first pass kept all that its pairs are compared by: it needs neither the tables nor the model. */
import { boundedSettings, type Session } from "../session.js";
import { openLearned, partHead, readLearned, type SharedRun, writeShard } from "./sharing.js";

type Options = Parameters<typeof boundedSettings>[0] & { readonly threads?: number };

/** @returns whether this was such a shard, which is then written */
export async function compareLearned(run: SharedRun, options: Options, session: Session): Promise<boolean> {
  const { shard, learned: path } = run.options;
  if (shard === undefined || path === undefined) return false;
  const { partReader } = await import("../../files/shards/part-file.js");
  const { compareShard } = await import("../../match/shards/compare-shard.js");
  const { isComparison } = await import("../../match/shards/kept-comparison.js");
  const manifest = await readLearned(path);
  if (!isComparison(partReader(path, manifest))) return false;
  const head = { ...(await partHead(run)), model: manifest.model };
  const learned = await openLearned(path, manifest, head);
  const { memory, signal, onNote } = boundedSettings(options, session);
  const onProgress = (done: number, total: number): void => session.show("comparing", done, total);
  const { threads } = options;
  const kept = await compareShard(learned, shard, { threads, memory, signal, onNote, onProgress });
  await writeShard(run, head, kept, session);
  return true;
}
