/** The corpus of a training: the user's, or one that is built from WordNet; mined where hard negatives are wanted. */

import { stat } from "node:fs/promises";
import { join } from "node:path";
import { CORPUS_FILES, readManifest } from "../corpus/index.js";
import { MissingDataError } from "../errors.js";

export interface PrepareCorpusOptions {
  /** Folder of a corpus; default: one built from WordNet, kept in the cache. */
  readonly corpus?: string;
  /** True where the base is a default, so that a training from scratch may take its place. */
  readonly baseIsAWish?: boolean;
  readonly signal?: AbortSignal;
  /** Told what is going on, a line each. */
  readonly onNote?: (note: string) => void;
}

/** @returns the folder @throws MissingDataError where it is no corpus */
export async function prepareCorpus({
  corpus,
  hardNegatives,
  onNote,
}: PrepareCorpusOptions & { hardNegatives: boolean }): Promise<string> {
  if (corpus === undefined) throw new MissingDataError("no corpus was named: pearl corpus build makes one");
  await readManifest(corpus);
  const mined = await stat(join(corpus, CORPUS_FILES.hardNegatives)).catch(() => undefined);
  if (hardNegatives && !mined)
    onNote?.(`${corpus} has no hard negatives: training goes on without. pearl mine ${corpus} finds them`);
  return corpus;
}
