/** nlpaug's OCR errors (not among the paper's four rules): a character is misread as scanners do; the table is ours. */
import { pick } from "../rule.js";
import type { Edit } from "./character-edit.js";

/** Shapes that look alike; each may be read as any other of its set. */
const alike = [
  "0OQD", "1lI|", "5S", "8B", "2Z", "6G", "oce", "il1", "ft", "uvn", "hb", "gq9", "CG", "EF", "PR", "VY", "MN",
  "s5", "z2", "o0", "B3", "A4", "T7", "a@",
]; // biome-ignore format: sets side by side

/** Pairs of characters that run together, and back. */
const pairs: readonly (readonly [string, string])[] = [
  ["rn", "m"],
  ["cl", "d"],
  ["vv", "w"],
  ["ri", "n"],
  ["li", "h"],
  ["nn", "m"],
];

const confusions = new Map<string, string[]>();

function add(from: string, to: string): void {
  const known = confusions.get(from) ?? [];
  if (!known.includes(to)) confusions.set(from, [...known, to]);
}

for (const set of alike) {
  for (const from of set) for (const to of set) if (from !== to) add(from, to);
}
for (const [two, one] of pairs) {
  add(two, one);
  add(one, two);
}

/** How a character, or two that run together, may be misread; empty where nothing is like it. */
export function ocrConfusions(text: string): readonly string[] {
  return confusions.get(text) ?? [];
}

/**
 * Misreads one character (distance 1) or one pair that runs together (distance 2), in place.
 */
export const confuseAsScanner: Edit = ({ units, places }, random) => {
  const able: (readonly [place: number, length: number])[] = [];
  for (let index = 0; index < places.length; index++) {
    const place = places[index];
    if (confusions.has(units[place])) able.push([place, 1]);
    if (places[index + 1] === place + 1 && confusions.has(units[place] + units[place + 1])) {
      able.push([place, 2]);
    }
  }
  if (able.length === 0) return false;
  const [place, length] = pick(able, random);
  const seen = length === 1 ? units[place] : units[place] + units[place + 1];
  units[place] = pick(ocrConfusions(seen), random);
  if (length === 2) units[place + 1] = "";
  return true;
};
