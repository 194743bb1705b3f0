/** nlpaug's OCR errors (not among the paper's four rules): a character is misread as scanners do; the table is ours. */
import type { Edit } from "../../pearl/augmentation/character/character-edit.js";
import { pick } from "../../pearl/augmentation/rule.js";

/** Similar shapes; each may be read as any other of its set. */
const alike = "0OQD 1lI| 5S 8B 2Z 6G oce il1 ft uvn hb gq9 CG EF PR VY MN s5 z2 o0 B3 A4 T7 a@"
  .split(" ")
  .map((set) => set.split(""));

/** Two characters that run together, and the one that they look like; read both ways. */
const pairs = "rn:m cl:d vv:w ri:n li:h nn:m".split(" ").map((pair) => pair.split(":"));

const confusions = new Map<string, string[]>();
for (const set of [...alike, ...pairs])
  for (const from of set) {
    const known = confusions.get(from) ?? [];
    confusions.set(from, [...new Set([...known, ...set.filter((to) => to !== from)])]);
  }

/** Misreads one character (distance 1) or one pair that runs together (distance 2). */
export const confuseAsScanner: Edit = ({ units, places }, random) => {
  const able: (readonly [place: number, seen: string])[] = [];
  places.forEach((place, index) => {
    const two = units[place] + units[place + 1];
    if (confusions.has(units[place])) able.push([place, units[place]]);
    if (places[index + 1] === place + 1 && confusions.has(two)) able.push([place, two]);
  });
  if (able.length === 0) return false;
  const [place, seen] = pick(able, random);
  units[place] = pick(confusions.get(seen)!, random);
  if (seen.length === 2) units[place + 1] = "";
  return true;
};
