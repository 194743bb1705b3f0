/** CRC-32 (IEEE 802.3) a byte at a time, for browsers, which have none. */

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte;
  for (let bit = 0; bit < 8; bit++) remainder = (remainder >>> 1) ^ (remainder & 1 ? 0xedb88320 : 0);
  return remainder;
});

export function checksum(content: string | Uint8Array, before = "0"): string {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  let sum = ~Number.parseInt(before, 16);
  for (const byte of bytes) sum = (sum >>> 8) ^ table[(sum ^ byte) & 0xff];
  return (~sum >>> 0).toString(16).padStart(8, "0");
}
