/** Arrays over memory that threads share: a message passes them on without a copy. */

/** What arrays lie over. Browsers share memory only with pages that ask for it by headers: elsewhere messages copy it. */
const Memory = globalThis.SharedArrayBuffer ?? ArrayBuffer;

/** A typed array of zeros over shared memory. */
export function shared<Numbers>(
  kind: { new (buffer: SharedArrayBuffer): Numbers; readonly BYTES_PER_ELEMENT: number },
  length: number,
): Numbers {
  return new kind(new Memory(length * kind.BYTES_PER_ELEMENT) as SharedArrayBuffer);
}

/** The same numbers as 32-bit integers in shared memory. */
export function sharedIntegers(numbers: ArrayLike<number>): Int32Array {
  const copy = shared(Int32Array, numbers.length);
  copy.set(numbers);
  return copy;
}
