/** Indices of phrases by falling length; of equal ones the first comes before. */
export function longestFirst(lengths: ArrayLike<number>): Int32Array {
  const order = Int32Array.from(lengths, (_, index) => index);
  return order.sort((a, b) => lengths[b] - lengths[a] || a - b);
}

/** A batch: which phrases, and the common length they are padded to. */
export interface Batch {
  /** Indices into the list of lengths. */
  readonly rows: Int32Array;
  /** The longest length among them. */
  readonly length: number;
}

/** What bounds and prices batches. */
interface RunCosts {
  /** Rows times length of a batch at most; a longer phrase gets its own batch. */
  readonly cells: number;
  /** Rows of a batch at most; default all. */
  readonly most?: number;
  /** What every batch costs, however small it is. */
  readonly run: number;
  /** What a row costs that is padded to a length, in the same unit; default its length. */
  readonly row?: (length: number) => number;
}

/**
 * The batches that take the least time in all, longest phrases first, if a batch takes as long as its rows and what
 * every run takes: short phrases join longer ones where padding costs less than another run. A batch ends where the
 * length changes, or where it is full.
 */
export function batchByCost(
  lengths: ArrayLike<number>,
  { cells, most = Number.POSITIVE_INFINITY, run, row = (length) => length }: RunCosts,
): Batch[] {
  const order = longestFirst(lengths);
  const lengthAt = (place: number) => Math.max(1, lengths[order[place]]);
  /** The first place whose phrase is shorter than that of each place. */
  const shorter = new Int32Array(order.length).fill(order.length);
  for (let place = order.length - 2; place >= 0; place--)
    shorter[place] = lengthAt(place + 1) < lengthAt(place) ? place + 1 : shorter[place + 1];
  // the least cost of the phrases before each place, and where the last batch of them starts
  const costs = new Float64Array(order.length + 1).fill(Number.POSITIVE_INFINITY);
  const starts = new Int32Array(order.length + 1);
  costs[0] = 0;
  for (let start = 0; start < order.length; start++) {
    if (costs[start] === Number.POSITIVE_INFINITY) continue;
    const capacity = Math.max(1, Math.min(most, Math.floor(cells / lengthAt(start))));
    const last = Math.min(order.length, start + capacity);
    const rowCost = row(lengthAt(start));
    for (let next = start, end = start; end < last; next = end) {
      end = Math.min(last, shorter[next]);
      const cost = costs[start] + run + (end - start) * rowCost;
      if (cost < costs[end]) [costs[end], starts[end]] = [cost, start];
    }
  }
  const batches: Batch[] = [];
  for (let end = order.length; end > 0; end = starts[end])
    batches.push({ rows: order.slice(starts[end], end), length: lengths[order[starts[end]]] });
  return batches.reverse();
}
