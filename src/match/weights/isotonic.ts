/** Weights that never fall from one level to the next (Barlow et al. 1972, pool adjacent violators). */

/**
 * The log-ratio of two distributions over ordinal levels, made monotone: neighbouring levels in the wrong order are
 * pooled, which gives the ratio of greatest likelihood among those that never fall.
 */
export function monotoneLogRatio(match: ArrayLike<number>, other: ArrayLike<number>): Float64Array {
  const blocks: { match: number; other: number; levels: number }[] = [];
  for (let level = 0; level < match.length; level++) {
    let block = { match: match[level], other: other[level], levels: 1 };
    for (let last = blocks.at(-1); last !== undefined; last = blocks.at(-1)) {
      if (last.match * block.other < block.match * last.other) break;
      block = {
        match: last.match + block.match,
        other: last.other + block.other,
        levels: last.levels + block.levels,
      };
      blocks.pop();
    }
    blocks.push(block);
  }
  const weights = new Float64Array(match.length);
  let level = 0;
  for (const block of blocks) {
    const weight = Math.log(block.match / block.other);
    for (let count = 0; count < block.levels; count++) weights[level++] = weight;
  }
  return weights;
}
