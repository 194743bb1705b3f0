/**
 * The inner loop of the search, in WebAssembly: which phrases of a run have a long enough common subsequence with one
 * phrase. Letter counts rule most of them out (a bound, so nothing is missed); the rest is measured bit-parallel.
 */
import type { Code, KernelFunction, SharedMemory, Variable } from "../../runtime/wasm/assembler.js";
import { i32, i64, instantiate, repeatWhile, when } from "../../runtime/wasm/assembler.js";

/** Phrases of more characters are not searched: four 64-bit words hold a phrase's characters. */
export const LONGEST = 256;

/** Bytes of a signature: 128 bits; each is set if a certain letter occurs at least a certain number of times. */
export const SIGNATURE_BYTES = 16;

/** Phrases scanned at a time; their signatures take 32 KB. */
export const PIECE = 2048;
/** Bytes of a hit: its place and its common subsequence, 32 bits each. */
const HIT_BYTES = 8;
/** Bytes of a character's positions in a phrase of 256. */
const MASK_BYTES = LONGEST / 8;

/** Where a thread's masks and hits lie behind the phrases, in bytes. */
export const workspaceBytes = (alphabet: number): number => alphabet * MASK_BYTES + PIECE * HIT_BYTES;
export const hitsAt = (workspace: number, alphabet: number): number => workspace + alphabet * MASK_BYTES;

/** What is asked of phrases of one length; places and lengths are in bytes. */
const parameters = [
  "signature", // of the phrase that is compared
  "first", // where the signatures of the others begin
  "last", // and where they end
  "characters", // where phrase 0's characters would lie if every phrase were as long as these
  "stride", // of the characters of one of these phrases
  "mostDifferent", // letters that may be in one phrase and not in the other
  "leastCommon", // the shortest common subsequence of interest
  "masks", // for each character code, its positions in the phrase that is compared, as bits
  "hits", // where place and common subsequence of each hit are written
] as const;
type ScanRequest = Readonly<Record<(typeof parameters)[number], number>>;

/** Returns the number of hits. `words`: 64-bit words that hold the phrase that is compared, 1 to 4. */
export type Scan = (words: number, request: ScanRequest) => number;

export function openScan(memory: SharedMemory): Scan {
  const words = [1, 2, 3, 4];
  const functions = instantiate(words.map(scanFunction), memory);
  return (count, request) => functions[`scan${count}`](...parameters.map((name) => request[name]));
}

function scanFunction(words: number): KernelFunction<(typeof parameters)[number]> {
  const perWord = Array.from({ length: words }, (_, word) => [`row${word}`, "i64"] as const);
  return {
    name: `scan${words}`,
    parameters,
    locals: {
      ...{ low: "i64", high: "i64", matched: "i64", sum: "i64", carry: "i64" },
      ...Object.fromEntries(perWord),
      ...{ phrase: "i32", place: "i32", stop: "i32", mask: "i32", difference: "i32", character: "i32" },
      ...{ common: "i32", count: "i32", next: "i32" },
    },
    body: (v) => {
      const differing = (word: number, bits: Variable): Code =>
        i64.toI32(i64.ones(i64.xor(i64.load(v.place.get, 8 * word), bits.get)));
      return [
        ...v.low.set(i64.load(v.signature.get)),
        ...v.high.set(i64.load(v.signature.get, 8)),
        ...v.next.set(v.hits.get),
        ...v.place.set(v.first.get),
        ...repeatWhile(
          i32.less(v.place.get, v.last.get),
          // The first word holds the letters that rule out most phrases.
          when(
            i32.lessOrEqual(v.difference.tee(differing(0, v.low)), v.mostDifferent.get),
            when(
              i32.lessOrEqual(i32.add(v.difference.get, differing(1, v.high)), v.mostDifferent.get),
              v.phrase.set(i32.shiftRight(v.place.get, i32.constant(Math.log2(SIGNATURE_BYTES)))),
              measure(words, v),
            ),
          ),
          v.place.set(i32.add(v.place.get, i32.constant(SIGNATURE_BYTES))),
        ),
        ...v.count.get,
      ];
    },
  };
}

/**
 * The longest common subsequence with the phrase behind the masks, by Hyyrö's bit-parallel rule (2004): for each
 * character, U = V & M and V = (V + U) | (V − U), V being all ones at first; zeros of V count the subsequence.
 */
function measure(words: number, v: Parameters<KernelFunction["body"]>[0]): Code {
  const rows = Array.from({ length: words }, (_, word) => v[`row${word}`]);
  const step = rows.map((row, word): Code => {
    const matched = v.matched.set(i64.and(row.get, i64.load(v.mask.get, 8 * word)));
    const rest = i64.subtract(row.get, v.matched.get);
    if (words === 1) return [...matched, ...row.set(i64.or(i64.add(row.get, v.matched.get), rest))];
    const carryOut = i64.or(
      i64.fromI32(i64.less(v.sum.tee(i64.add(row.get, v.matched.get)), row.get)),
      i64.fromI32(i64.less(v.sum.tee(i64.add(v.sum.get, v.carry.get)), v.carry.get)),
    );
    return [...matched, ...v.carry.set(carryOut), ...row.set(i64.or(v.sum.get, rest))];
  });
  const ones = rows.map((row) => i64.toI32(i64.ones(row.get))).reduce((a, b) => i32.add(a, b));
  return [
    ...rows.flatMap((row) => row.set(i64.constant(-1))),
    ...v.character.set(i32.add(v.characters.get, i32.multiply(v.phrase.get, v.stride.get))),
    ...v.stop.set(i32.add(v.character.get, v.stride.get)),
    ...repeatWhile(
      i32.less(v.character.get, v.stop.get),
      v.mask.set(i32.add(v.masks.get, i32.multiply(i32.load16(v.character.get), i32.constant(8 * words)))),
      words === 1 ? [] : v.carry.set(i64.constant(0)),
      ...step,
      v.character.set(i32.add(v.character.get, i32.constant(2))),
    ),
    ...v.common.set(i32.subtract(i32.constant(64 * words), ones)),
    ...when(
      i32.greaterOrEqual(v.common.get, v.leastCommon.get),
      i32.store(v.next.get, v.phrase.get),
      i32.store(v.next.get, v.common.get, 4),
      v.next.set(i32.add(v.next.get, i32.constant(HIT_BYTES))),
      v.count.set(i32.add(v.count.get, i32.constant(1))),
    ),
  ];
}
