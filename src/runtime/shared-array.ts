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

/** Numbers in shared memory: these, or a copy. */
export const inSharedMemory = (numbers: Float32Array): Float32Array =>
  numbers.buffer instanceof Memory ? numbers : sharedCopy(Float32Array, numbers);

/** A copy of numbers in shared memory. */
export function sharedCopy<Numbers extends { readonly length: number; set(from: Numbers): void }>(
  kind: { new (buffer: SharedArrayBuffer): Numbers; readonly BYTES_PER_ELEMENT: number },
  numbers: Numbers,
): Numbers {
  const copy = shared(kind, numbers.length);
  copy.set(numbers);
  return copy;
}
