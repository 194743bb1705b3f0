/** Character rules beyond the paper's four: errors of scanners, a random character, another spelling of a sound. */

import { randomCharacter } from "../../pearl/augmentation/character/alphabet.js";
import { type Edit, inCaseOf } from "../../pearl/augmentation/character/character-edit.js";
import { type Draw, pick } from "../../pearl/augmentation/rule.js";

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

/** nlpaug's random substitution (not among the paper's four rules): a character becomes any other. */
export const replaceAtRandom: Edit = (taken, random, settings) => {
  const place = pick(taken.places, random);
  const other = randomCharacter(taken, place, random, settings);
  if (other === undefined) return false;
  taken.units[place] = other;
  return true;
};

/** Interchangeable anywhere in a word. */
const anywhere =
  "ph:f ch:kh ch:tch sh:sch sh:ch c:k y:j w:v kw:qu ts:tz z:s ks:x zh:j dj:j gu:g i:y kh:h " +
  "ü:ue ö:oe ä:ae ß:ss ø:oe å:aa æ:ae œ:oe ü:u ö:o ä:a é:e è:e ñ:n ç:c á:a í:i ó:o ú:u š:s č:c ž:z ł:l ø:o å:a";
/** Only after a word's first letter: double letters, vowels, silent letters (nothing after the colon). */
const inside =
  "ck:k ou:u ou:oo oo:u ee:i ea:ee oe:o ae:a ie:ei ai:ei ei:ey ov:off er:re or:our gh:g th:t h: e: " +
  "ll:l ss:s tt:t nn:n mm:m pp:p rr:r ff:f dd:d";
/** Replaced in one direction only, since a plain letter seldom stands for an accented one. */
const oneWay = /[ß-ž]/;

const spellings = [...spellingsOf(anywhere, 0), ...spellingsOf(inside, 1)];

/** @param first the first place in a word where the spellings may be replaced */
function spellingsOf(pairs: string, first: 0 | 1) {
  return pairs.split(" ").flatMap((pair) => {
    const [from, to] = pair.split(":");
    const isOneWay = to === "" || oneWay.test(from);
    return [{ from, to, first }, ...(isOneWay ? [] : [{ from: to, to: from, first }])];
  });
}

/** Changes one word of at least four letters, by a spelling drawn among those that occur in it. */
export const respellSound: Draw = (phrase, random) => {
  const words = [...phrase.matchAll(/\p{L}{4,}/gu)];
  if (words.length === 0) return undefined;
  const { 0: word, index: start } = pick(words, random);
  const lower = word.toLowerCase();
  // Places in the lower-case word fit the word only if no letter changes its length (İ).
  if (lower.length !== word.length) return undefined;
  const able = spellings.filter(({ from, first }) => lower.includes(from, first));
  if (able.length === 0) return undefined;
  const { from, to, first } = pick(able, random);
  const at = lower.indexOf(from, first);
  const respelt = word.slice(0, at) + cased(word, at, from, to) + word.slice(at + from.length);
  return phrase.slice(0, start) + respelt + phrase.slice(start + word.length);
};

/** `to`, letter by letter in the case of what it replaces: "Ph" to "F", "F" to "Ph", but "FX" to "PHX". */
function cased(word: string, at: number, from: string, to: string): string {
  let text = "";
  for (let index = 0; index < to.length; index++) {
    const model = index < from.length ? word[at + index] : (word[at + index] ?? word[at + from.length - 1]);
    text += inCaseOf(model, to[index]);
  }
  return text;
}
