/** Numbers as text: little-endian float32 in base64, the byte order of every platform that Node runs on. */

export const base64Of = ({ buffer, byteOffset, byteLength }: Float32Array): string =>
  Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength).toString("base64");

/** The numbers of {@link base64Of}; bytes that make no whole number are left out. */
export function numbersOf(text: string): Float32Array {
  const bytes = Uint8Array.from(Buffer.from(text, "base64"));
  return new Float32Array(bytes.buffer, 0, bytes.length >> 2);
}
