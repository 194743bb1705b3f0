/** WordNet as a corpus: its lemmas are phrases, its synsets synonyms, its glosses and examples text. */
import { openFingerprint } from "../files/checksums/fingerprint.js";
import { readSynsets, readTagCounts } from "../text/wordnet.js";
import type { CorpusPhrase, SynonymPair } from "./corpus-folder.js";

const classes = { noun: "NP", verb: "VP", adjective: "ADJP", adverb: "ADVP" } as const;

/**
 * Reads it all, in about two seconds.
 * @returns every lemma, once per synset, its count one more than in WordNet's tagged text; lemmas of one synset, each with
 *   those after it; definitions and examples, in the order of the files
 * @throws MissingDataError where WordNet is not installed
 */
export async function readWordnetContent() {
  const phrases: CorpusPhrase[] = [];
  const synonyms: SynonymPair[] = [];
  const texts: string[] = [];
  const hash = openFingerprint();
  const tagCounts = await readTagCounts();
  for await (const { id, partOfSpeech, lemmas, definition, examples } of readSynsets()) {
    hash.add(`${id}\t${lemmas.join("\t")}\t${definition}\t${examples.join("\t")}\n`);
    for (const [index, phrase] of lemmas.entries()) {
      const count = 1 + (tagCounts.get(`${id}\t${phrase.toLowerCase()}`) ?? 0);
      phrases.push({ phrase, lexicalClass: classes[partOfSpeech], count });
      for (const synonym of lemmas.slice(index + 1))
        if (synonym !== phrase) synonyms.push({ phrase, synonym, source: "wordnet" });
    }
    if (definition !== "") texts.push(definition);
    texts.push(...examples);
  }
  return { phrases, synonyms, texts, fingerprint: hash.end() };
}
