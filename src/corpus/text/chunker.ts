/** Finds noun, verb, prepositional, adverb and adjective phrases in tagged sentences, as CoNLL-2000 cuts them. */
import type { LexicalClass } from "../../pearl/phrase-types.js";
import type { Word } from "./tagger.js";
import { kindsOf } from "./word-kinds.js";

/** A phrase without a phrase inside it: words `first` to `last` of a sentence. */
export interface Chunk {
  readonly lexicalClass: LexicalClass;
  readonly first: number;
  /** Included. */
  readonly last: number;
}

/*
 * One pattern a class over the letters of word-kinds.ts, tried in this order at every word (Abney 1991's chunks as
 * Tjong Kim Sang & Buchholz 2000 define them: a chunk ends with its head; what follows the head starts another).
 */
// After a noun a participle is a verb ("the company signed"), before one it need not be ("the signed contract").
const modifier = "R(?=[AEI#])|[AEI]&(?=[AEI])|A,(?=A)|(?<![NXa%])[EI]|[A#$%NXa]";
const plainModifier = "R(?=R*A)|A&(?=A)|A,(?=A)|(?<=[Ap])[EI](?=[AN])|[A#$%NXa]";
const month = "X#,#";
const patterns: readonly (readonly [LexicalClass, RegExp])[] = [
  ["NP", new RegExp(month, "y")],
  ["NP", new RegExp(`q*(?:D{0,2}[DSG])(?:${modifier})*[NX#%]`, "y")],
  ["NP", new RegExp(`q*(?:${plainModifier})*[NX#%]`, "y")],
  ["NP", /q*D{0,1}[DSG]R?A+/y],
  ["NP", /P|D{1,2}|SI|(?<=p)A(?![A-Z&,])/y],
  [
    "VP",
    /(?:L(?=[TVEI]))?(?:[MBT](?:[LR]*[MBTVEI])*(?<!T)L?|[VEI](?:&[VEI](?!&))?(?:R?T(?:[LR]*[MBVEI])+)*)/y,
  ],
  ["PP", /p{2}|p/y],
  ["ADJP", /[Rq]*A(?:[&,]R*A)*/y],
  ["ADVP", /q{2}|L?R+|o/y],
];

/** The chunks of a sentence from left to right; they do not overlap, and words between them belong to none. */
export function chunkSentence(words: readonly Word[]): Chunk[] {
  const kinds = kindsOf(words);
  const chunks: Chunk[] = [];
  for (let place = 0; place < kinds.length; ) {
    const found = chunkAt(kinds, place);
    if (found === undefined) place++;
    else {
      chunks.push(found);
      place = found.last + 1;
    }
  }
  return chunks;
}

function chunkAt(kinds: string, place: number): Chunk | undefined {
  for (const [lexicalClass, pattern] of patterns) {
    pattern.lastIndex = place;
    const match = pattern.exec(kinds);
    if (match !== null && match[0] !== "")
      return { lexicalClass, first: place, last: place + match[0].length - 1 };
  }
  return undefined;
}

/**
 * Joins words around hyphens and slashes without spaces into one ("well-known", "and/or"): the tagger splits them.
 */
export function joinCompounds(words: readonly Word[]): Word[] {
  const joined: Word[] = [];
  for (let index = 0; index < words.length; index++) {
    let last = index;
    while (isLink(words, last + 1)) last += 2;
    const [head, end] = [words[index], words[last]];
    const parts = words.slice(index, last + 1).map((word) => word.text);
    if (last === index) joined.push(head);
    else
      joined.push({ text: parts.join(""), tag: compoundTag(head.tag, end), start: head.start, end: end.end });
    index = last;
  }
  return joined;
}

function isLink(words: readonly Word[], index: number): boolean {
  const [before, link, after] = [words[index - 1], words[index], words[index + 1]];
  if (link === undefined || after === undefined || !/^[-‐‑/]$/.test(link.text)) return false;
  const isWord = (word: Word): boolean => /^[\p{L}\p{N}]/u.test(word.text);
  return before.end === link.start && link.end === after.start && isWord(before) && isWord(after);
}

function compoundTag(head: string, end: Word): string {
  if (end.tag === "VERB" || end.tag === "ADP" || end.tag === "ADV") return "ADJ";
  if (head === "NUM" && end.tag === "NUM") return "NUM";
  if (head === "NUM" && end.tag === "NOUN") return "ADJ";
  return end.tag;
}
