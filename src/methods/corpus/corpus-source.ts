/** The corpus of a training: the user's, or one that is built from WordNet and cached; mined for hard negatives. */
import { join } from "node:path";
import { buildCorpus } from "../../corpus/build-corpus.js";
import { CORPUS_FILES, readManifest } from "../../corpus/corpus-folder.js";
import { mineCorpus } from "../../corpus/mining/mine.js";
import { withEncoder } from "../../encoder/with-encoder.js";
import { formatCount } from "../../files/count-text.js";
import { cachePath } from "../../files/package.js";
import { exists } from "../../files/whole-file.js";
import type { RunOptions } from "../../training/run.js";

export interface PrepareCorpusOptions extends Pick<RunOptions, "onNote" | "threads" | "signal"> {
  /** Folder of a corpus; default: one that is built from WordNet and cached. */
  readonly corpus?: string;
  /** Called during long work before the training: building, mining. */
  readonly onPreparation?: (what: string, done: number, total?: number) => void;
}

interface CorpusRequest extends PrepareCorpusOptions {
  /** Missing hard negatives are mined with this encoder, a folder or hub id; "none": they are not needed. */
  readonly hardNegatives: "none" | { readonly encoder: string | undefined };
  /** Where WordNet's corpus is built if the cache has none; default: in the cache. */
  readonly buildIn?: string;
}

/** The cache of WordNet's corpus. */
export const defaultCorpusFolder = (): string => cachePath("corpus-wordnet");

/**
 * Finds, builds and mines as needed.
 * @returns the folder of the corpus
 * @throws MissingDataError if the named folder is no corpus; TableError
 */
export async function prepareCorpus(request: CorpusRequest): Promise<string> {
  const { corpus, hardNegatives, onNote } = request;
  const folder = corpus ?? (await wordnetCorpus(request));
  await readManifest(folder);
  if (hardNegatives === "none" || (await exists(join(folder, CORPUS_FILES.hardNegatives)))) return folder;
  onNote?.(`${folder} has no hard negatives yet: mining them as pearl mine does`);
  const { threads, signal, onPreparation } = request;
  const { negatives, path } = await withEncoder(
    undefined,
    { source: hardNegatives.encoder, threads, signal },
    (encoder) =>
      mineCorpus(folder, {
        ...{ encoder, threads, signal, onNote },
        onProgress: ({ step, done, total }) => onPreparation?.(step, done, total),
      }),
  );
  onNote?.(`${formatCount(negatives)} hard negatives, in ${path}`);
  return folder;
}

async function wordnetCorpus(request: CorpusRequest): Promise<string> {
  const { onNote, onPreparation, threads, signal, buildIn } = request;
  const cached = defaultCorpusFolder();
  if (await exists(join(cached, CORPUS_FILES.manifest))) {
    onNote?.(`no corpus was named: using WordNet's, from ${cached}`);
    return cached;
  }
  const output = buildIn ?? cached;
  onNote?.(`no corpus was named: building one from WordNet, in ${output}`);
  await buildCorpus({
    ...{ output, wordnet: "included", threads, signal, onNote },
    onProgress: (stage, done, total) => onPreparation?.(stage, done, total),
  });
  return output;
}
