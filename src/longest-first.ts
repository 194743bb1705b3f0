/** Indices of phrases by falling length; of equal ones the first comes before. */
export function longestFirst(lengths: ArrayLike<number>): Int32Array {
  const order = Int32Array.from(lengths, (_, index) => index);
  return order.sort((a, b) => lengths[b] - lengths[a] || a - b);
}
