/**
 * Pairs of words and short phrases that Grady Ward's Moby Thesaurus II (public domain) lists together, from
 * the npm package moby. Its lists mix senses ("dog" lists hounds and nuisances), so pairs are kept only if
 * the two sides occur in much the same lists.
 */
import { existsSync, readFileSync } from "node:fs";
import { packageFile } from "./package-file.mjs";

/**
 * Reads the lists, each with its entry first.
 * @param {string} [path] a file with a comma-separated list per line
 */
export function readThesaurus(path = packageFile("moby/words.txt", "moby")) {
  if (!existsSync(path)) throw new Error(`${path} does not exist: run npm install --no-save moby`);
  const lines = readFileSync(path, "utf8").split(/\r?\n/).filter(Boolean);
  return lines.map((line) => [...new Set(line.split(",").map((word) => word.trim()))].filter(Boolean));
}

/**
 * Pairs each entry with the nearest words of its list. The similarity of two words is the cosine of the sets
 * of lists that contain them.
 * @param {readonly (readonly string[])[]} lists
 * @param {{ most: number, least: number }} settings maximum pairs per entry, and their minimum cosine
 * @returns {Generator<[phrase: string, synonym: string]>}
 */
export function* thesaurusPairs(lists, { most, least }) {
  /** @type {Map<string, number[]>} the lists that contain a word, in order */
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
