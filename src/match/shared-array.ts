/** Arrays over memory that threads share: a message passes them on without a copy. */

/** A typed array of zeros over shared memory. */
export function shared<Numbers>(
  kind: { new (buffer: SharedArrayBuffer): Numbers; readonly BYTES_PER_ELEMENT: number },
  length: number,
): Numbers {
  return new kind(new SharedArrayBuffer(length * kind.BYTES_PER_ELEMENT));
}

/** The same numbers as 32-bit integers in shared memory. */
export function sharedIntegers(numbers: ArrayLike<number>): Int32Array {
  const copy = shared(Int32Array, numbers.length);
  copy.set(numbers);
  return copy;
}
