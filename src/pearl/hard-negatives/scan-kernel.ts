/**
 * The inner loop of the search, in WebAssembly: which phrases of a run have a long enough common subsequence with one
 * phrase. Letter counts rule most of them out (a bound, so nothing is missed); the rest is measured bit-parallel.
 */
import {
  type Code,
  i32,
  i64,
  instantiate,
  type KernelFunction,
  loopWhile,
  repeatWhile,
  type SharedMemory,
  type Variable,
  when,
} from "../../runtime/wasm/assembler.js";

/** Phrases of more characters are not searched: four 64-bit words hold a phrase's characters. */
export const LONGEST = 256;

/** Bytes of a phrase's signature: 128 bits, each says that a phrase has some letter at least so many times. */
export const SIGNATURE_BYTES = 16;

/** Bytes of a block's bounds: the bits that none of its phrases has, and those that all have. */
export const BOUND_BYTES = 32;

/** Where the phrases lie in the shared memory, in bytes. */
export interface KernelLayout {
  /** [phrases] signatures. */
  readonly signatures: number;
  /** [blocks] bounds. */
  readonly bounds: number;
  /** [blocks + 1] 32-bit: the first phrase of each block. */
  readonly blockStarts: number;
}

/** What is asked of a run of blocks whose phrases are all equally long. */
export interface ScanRequest {
  /** Place of the signature of the phrase that is compared. */
  readonly signature: number;
  readonly firstBlock: number;
  /** Exclusive. */
  readonly lastBlock: number;
  /** Place where phrase 0's characters would lie if every phrase were as long as these. */
  readonly characters: number;
  /** Bytes of the characters of one of these phrases. */
  readonly stride: number;
  /** Letters that may be in one phrase and not in the other. */
  readonly mostDifferent: number;
  /** The shortest common subsequence of interest. */
  readonly leastCommon: number;
  /** Place of the masks: for each character code, the positions in the phrase that is compared, as bits. */
  readonly masks: number;
  /** Where phrase and common subsequence of each hit are written, 8 bytes each. */
  readonly hits: number;
}

/** Scans; gives the number of hits. `words`: 64-bit words that hold the phrase that is compared, 1 to 4. */
export type Scan = (words: number, request: ScanRequest) => number;

const parameters = [
  "signature",
  "firstBlock",
  "lastBlock",
  "characters",
  "stride",
  "mostDifferent",
  "leastCommon",
  "masks",
  "hits",
] as const;

/** The kernel over a memory. */
export function openScan(memory: SharedMemory, layout: KernelLayout): Scan {
  const words = [1, 2, 3, 4];
  const functions = instantiate(
    words.map((count) => scanFunction(count, layout)),
    memory,
  );
  const scans = words.map((count) => functions[`scan${count}`]);
  return (count, r) =>
    scans[count - 1](
      ...[r.signature, r.firstBlock, r.lastBlock, r.characters, r.stride],
      ...[r.mostDifferent, r.leastCommon, r.masks, r.hits],
    );
}

function scanFunction(words: number, layout: KernelLayout): KernelFunction<(typeof parameters)[number]> {
  const perWord = Array.from({ length: words }, (_, word) => [`row${word}`, "i64"] as const);
  return {
    name: `scan${words}`,
    parameters,
    locals: {
      ...{ low: "i64", high: "i64", notLow: "i64", notHigh: "i64" },
      ...Object.fromEntries(perWord),
      ...{ matched: "i64", sum: "i64", carry: "i64" },
      ...{ block: "i32", bound: "i32", phrase: "i32", end: "i32", place: "i32", stop: "i32", mask: "i32" },
      ...{ common: "i32", count: "i32", next: "i32", difference: "i32", character: "i32" },
    },
    body: (v) => {
      const differing = (word: number, bits: Variable): Code =>
        i64.toI32(i64.ones(i64.xor(i64.load(v.place.get, 8 * word), bits.get)));
      const missing = i64.add(
        i64.add(
          i64.ones(i64.and(i64.load(v.bound.get), v.low.get)),
          i64.ones(i64.and(i64.load(v.bound.get, 8), v.high.get)),
        ),
        i64.add(
          i64.ones(i64.and(i64.load(v.bound.get, 16), v.notLow.get)),
          i64.ones(i64.and(i64.load(v.bound.get, 24), v.notHigh.get)),
        ),
      );
      const at = (base: number, index: Code, bytes: number): Code =>
        i32.add(i32.multiply(index, i32.constant(bytes)), i32.constant(base));
      return [
        ...v.low.set(i64.load(v.signature.get)),
        ...v.high.set(i64.load(v.signature.get, 8)),
        ...v.notLow.set(i64.xor(v.low.get, i64.constant(-1))),
        ...v.notHigh.set(i64.xor(v.high.get, i64.constant(-1))),
        ...v.next.set(v.hits.get),
        ...v.block.set(v.firstBlock.get),
        ...loopWhile(
          i32.less(v.block.get, v.lastBlock.get),
          v.bound.set(at(layout.bounds, v.block.get, BOUND_BYTES)),
          when(
            i32.lessOrEqual(i64.toI32(missing), v.mostDifferent.get),
            v.place.set(
              at(layout.signatures, i32.load(at(layout.blockStarts, v.block.get, 4)), SIGNATURE_BYTES),
            ),
            v.end.set(
              at(layout.signatures, i32.load(at(layout.blockStarts + 4, v.block.get, 4)), SIGNATURE_BYTES),
            ),
            repeatWhile(
              i32.less(v.place.get, v.end.get),
              // The first word holds the letters that tell the most: it is enough for nearly all.
              when(
                i32.lessOrEqual(v.difference.tee(differing(0, v.low)), v.mostDifferent.get),
                when(
                  i32.lessOrEqual(i32.add(v.difference.get, differing(1, v.high)), v.mostDifferent.get),
                  v.phrase.set(
                    i32.shiftRight(
                      i32.subtract(v.place.get, i32.constant(layout.signatures)),
                      i32.constant(4),
                    ),
                  ),
                  measure(words, v),
                ),
              ),
              v.place.set(i32.add(v.place.get, i32.constant(SIGNATURE_BYTES))),
            ),
          ),
          v.block.set(i32.add(v.block.get, i32.constant(1))),
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
      v.next.set(i32.add(v.next.get, i32.constant(8))),
      v.count.set(i32.add(v.count.get, i32.constant(1))),
    ),
  ];
}
