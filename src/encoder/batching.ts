/** Cuts phrases of many lengths into batches that waste little padding. */

/** A batch: which phrases, and the common length they are padded to. */
export interface Batch {
  /** Indices into the list of lengths. */
  readonly rows: Int32Array;
  /** The longest length among them. */
  readonly length: number;
}

/** Below this many rows a batch also takes shorter phrases: a padded cell costs less than another run. */
const FEW_ROWS = 16;
/** Above it, shorter phrases join while they waste less than this share of their cells. */
const WASTE = 0.04;

/**
 * Batches, longest phrases first, so that memory is highest at the start and the time left is not underestimated.
 * @param cells rows times length of a batch at most; a longer phrase gets its own batch
 * @param most rows of a batch at most
 */
export function batchByLength(
  lengths: ArrayLike<number>,
  cells: number,
  most = Number.POSITIVE_INFINITY,
): Batch[] {
  const order = Int32Array.from(lengths, (_, index) => index);
  order.sort((a, b) => lengths[b] - lengths[a] || a - b);
  const batches: Batch[] = [];
  for (let start = 0; start < order.length; ) {
    const length = lengths[order[start]];
    const capacity = Math.max(1, Math.min(most, Math.floor(cells / Math.max(1, length))));
    let end = start + 1;
    while (end < order.length && end - start < capacity) {
      const next = lengths[order[end]];
      if (next < length && end - start >= FEW_ROWS && (length - next) / length > WASTE) break;
      end++;
    }
    batches.push({ rows: order.slice(start, end), length });
    start = end;
  }
  return batches;
}

/**
 * The length that a row is padded to on a GPU, which prepares its kernels anew for many shapes: a multiple of 8 up to
 * 64, of 32 up to 256, of 128 beyond; at most what the model reads.
 */
export function paddedLength(length: number, most = Number.POSITIVE_INFINITY): number {
  const step = length <= 64 ? 8 : length <= 256 ? 32 : 128;
  return Math.max(length, Math.min(most, Math.ceil(length / step) * step));
}
