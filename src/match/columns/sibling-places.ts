/**
 * Finds the places of a code in which things of one family differ, as "B9367-A" and "B9367-B" do in the last one. Slips fall on any
 * place, and add or drop a sign as often as they change one. Where far more codes differ at one place alone, they are siblings.
 */
import { FNV_BASIS, FNV_PRIME } from "../../files/checksums/fnv.js";
import { type Texts, textCount } from "./texts.js";

/** Places from 0 on, or from the end: -1 is the last one. */
export type SiblingPlaces = readonly number[];

/** Lengths of codes that are looked at: shorter ones are alike by chance, longer ones are addresses or texts. */
const [shortest, longest] = [3, 32];
/** From so many codes on, and from such a share of the codes with a place, codes that differ there may be siblings. */
const fewest = 5;
const leastShare = 0.02;
/** They are so many times as frequent as codes with a sign more or less at a place. */
const moreThanSlips = 3;
/** Codes of which it is asked whether one with a sign less is there, too. */
const mostShortened = 20_000;

const next = (hash: number, byte: number): number => Math.imul(hash ^ byte, FNV_PRIME);

/** Hash of a code's bytes without the one at a place, whose number and the length count too if `isMarked`. */
function hashWithout(bytes: Uint8Array, from: number, to: number, place: number, isMarked: boolean): number {
  let hash = FNV_BASIS;
  for (let at = from; at < to; at++)
    if (at - from !== place) hash = next(hash, bytes[at]);
    else if (isMarked) hash = next(hash, 0);
  return hash >>> 0;
}

/** @param texts the different codes of a column, in normal form */
export function siblingPlaces(texts: Texts): SiblingPlaces {
  const { starts, items: bytes } = texts;
  const found = new Map<number, { codes: number; alike: number }>();
  for (let length = shortest; length <= longest; length++) {
    const first = starts.subarray(0, -1).filter((start, text) => starts[text + 1] - start === length);
    for (let place = 0; place < length && first.length > 0; place++) {
      const hashes = first.map((start) => hashWithout(bytes, start, start + length, place, true)).sort();
      const alike = hashes.reduce((sum, hash, at) => sum + (at > 0 && hash === hashes[at - 1] ? 1 : 0), 0);
      for (const name of [place, place - length]) {
        const known = found.get(name) ?? { codes: 0, alike: 0 };
        found.set(name, { codes: known.codes + first.length, alike: known.alike + alike });
      }
    }
  }
  const slips = moreThanSlips * shortenedShare(texts);
  return [...found].flatMap(([place, { codes, alike }]) =>
    alike >= fewest && alike > Math.max(leastShare, slips) * codes ? [place] : [],
  );
}

/** How often a code without the sign at a place is a code, too: a share of the places that were tried. */
function shortenedShare({ starts, items: bytes }: Texts): number {
  const count = textCount({ starts, items: bytes });
  const isCode = (text: number): boolean => {
    const length = starts[text + 1] - starts[text];
    return length >= shortest && length <= longest;
  };
  const shortened = new Map<number, number>();
  let tried = 0;
  for (let text = 0; text < count; text += Math.ceil(count / mostShortened)) {
    if (!isCode(text)) continue;
    const [from, to] = [starts[text], starts[text + 1]];
    for (let place = 0; place < to - from; place++) {
      const hash = hashWithout(bytes, from, to, place, false);
      shortened.set(hash, (shortened.get(hash) ?? 0) + 1);
      tried++;
    }
  }
  let there = 0;
  for (let text = 0; text < count; text++)
    if (isCode(text))
      there += shortened.get(hashWithout(bytes, starts[text], starts[text + 1], -1, false)) ?? 0;
  return there / Math.max(1, tried);
}

/** Whether two codes differ in one sign alone, at one of the places. */
export function areSiblings(a: string, b: string, places: SiblingPlaces): boolean {
  if (a.length !== b.length || places.length === 0) return false;
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return a.slice(at + 1) === b.slice(at + 1) && (places.includes(at) || places.includes(at - a.length));
}
