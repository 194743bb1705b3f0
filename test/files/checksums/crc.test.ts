/** The checksum of browsers is that of zlib. */
import { describe, expect, it } from "vitest";
import { checksum as inBrowser } from "../../../src/files/checksums/crc.browser.js";
import { checksum } from "../../../src/files/checksums/crc.js";

describe("checksum", () => {
  it("is that of zlib in a browser too, at once and in parts", () => {
    const bytes = Uint8Array.from({ length: 1000 }, (_, index) => (index * index) % 251);
    for (const content of ["", "123456789", "Zürich", bytes])
      expect(inBrowser(content)).toBe(checksum(content));
    expect(inBrowser("123456789")).toBe("cbf43926");
    expect(inBrowser(bytes.subarray(400), inBrowser(bytes.subarray(0, 400)))).toBe(checksum(bytes));
  });
});
