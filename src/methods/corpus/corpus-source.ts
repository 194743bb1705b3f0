/** The corpus of a training: the user's, or one built from WordNet and kept; mined where hard negatives are wanted. */
import { stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { buildCorpus } from "../../corpus/build-corpus.js";
import { CORPUS_FILES, readManifest } from "../../corpus/corpus-folder.js";
import { mineCorpus } from "../../corpus/mining/mine.js";
import { PhraseEncoder } from "../../encoder/phrase-encoder.js";

export interface PrepareCorpusOptions {
  /** Folder of a corpus; default: one built from WordNet, kept in the cache. */
  readonly corpus?: string;
  /** Told what is going on, a line each. */
  readonly onNote?: (note: string) => void;
  /** Told of long work before the training: building, mining. */
  readonly onPreparation?: (what: string, done: number, total?: number) => void;
  readonly threads?: number;
  readonly signal?: AbortSignal;
}

export interface CorpusWishes extends PrepareCorpusOptions {
  /** Hard negatives that are missing are mined with this encoder, a folder or hub id; "none": they are not wanted. */
  readonly hardNegatives: "none" | { readonly encoder: string | undefined };
}

/** Where the corpus of WordNet is kept: $XDG_CACHE_HOME or ~/.cache, then pearl/corpus-wordnet. */
export function defaultCorpusFolder(environment: NodeJS.ProcessEnv = process.env): string {
  return join(environment.XDG_CACHE_HOME || join(homedir(), ".cache"), "pearl", "corpus-wordnet");
}

/**
 * Finds, builds and mines as needed.
 * @returns the corpus's folder
 * @throws MissingDataError where the named folder is no corpus; TableError; InterruptedError
 */
export async function prepareCorpus(wishes: CorpusWishes): Promise<string> {
  const { corpus, hardNegatives, onNote } = wishes;
  const folder = corpus ?? (await wordnetCorpus(wishes));
  await readManifest(folder);
  if (hardNegatives === "none") return folder;
  const mined = await stat(join(folder, CORPUS_FILES.hardNegatives)).catch(() => undefined);
  if (mined) return folder;
  const { encoder: name } = hardNegatives;
  onNote?.(`${folder} has no hard negatives yet: mining them, as pearl mine does`);
  const { threads, signal, onPreparation } = wishes;
  const encoder = await PhraseEncoder.load(name, { threads, signal });
  try {
    const report = await mineCorpus(folder, {
      ...{ encoder, threads, signal },
      onNote,
      onProgress: ({ step, done, total }) => onPreparation?.(step, done, total),
    });
    onNote?.(`${report.negatives.toLocaleString("en-US")} hard negatives, in ${report.path}`);
  } finally {
    await encoder.dispose();
  }
  return folder;
}

async function wordnetCorpus({ onNote, onPreparation, threads, signal }: CorpusWishes): Promise<string> {
  const folder = defaultCorpusFolder();
  if (await stat(join(folder, CORPUS_FILES.manifest)).catch(() => undefined)) {
    onNote?.(`no corpus was named: WordNet's, from ${folder}`);
    return folder;
  }
  onNote?.(`no corpus was named: building one from WordNet, in ${folder}`);
  await buildCorpus({
    ...{ output: folder, wordnet: "included", threads, signal, onNote },
    onProgress: (stage, done, total) => onPreparation?.(stage, done, total),
  });
  return folder;
}
