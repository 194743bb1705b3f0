/**
 * Pairs of words and short phrases listed together in Grady Ward's Moby Thesaurus II (public domain), from the npm package
 * moby. Its lists mix senses ("dog" has hounds and nuisances); the overlap of two lists separates near pairs from far ones.
 */
import { existsSync, readFileSync } from "node:fs";
import { packageFile } from "./package-file.mjs";

/** The lists, the entry first and then what belongs to it. @param {string} [path] a line for a list, commas between */
export function readThesaurus(path = packageFile("moby/words.txt", "moby")) {
  if (!existsSync(path)) throw new Error(`${path} is not here: npm install --no-save moby`);
  const lines = readFileSync(path, "utf8").split(/\r?\n/).filter(Boolean);
  return lines.map((line) => [...new Set(line.split(",").map((word) => word.trim()))].filter(Boolean));
}

/**
 * Each entry and those of its list that stand in much the same lists as it: how near two are is the cosine of the sets
 * of lists that have them.
 * @param {readonly (readonly string[])[]} lists @param {{ most: number, least: number }} settings pairs of an entry at
 *   most, and their least cosine @returns {Generator<[phrase: string, synonym: string]>}
 */
export function* thesaurusPairs(lists, { most, least }) {
  /** @type {Map<string, number[]>} the lists that have a word, in order */
  const listsOf = new Map();
  for (const [at, list] of lists.entries())
    for (const word of list) {
      const known = listsOf.get(word);
      if (known === undefined) listsOf.set(word, [at]);
      else known.push(at);
    }
  const marked = new Uint8Array(lists.length);
  for (const [entry, ...others] of lists) {
    const own = /** @type {number[]} */ (listsOf.get(entry));
    for (const at of own) marked[at] = 1;
    const near = others
      .map((other) => {
        const its = /** @type {number[]} */ (listsOf.get(other));
        let shared = 0;
        for (const at of its) shared += marked[at];
        return { other, cosine: shared / Math.sqrt(own.length * its.length) };
      })
      .filter(({ cosine }) => cosine >= least)
      .sort((a, b) => b.cosine - a.cosine)
      .slice(0, most);
    for (const at of own) marked[at] = 0;
    for (const { other } of near) yield [entry, other];
  }
}
