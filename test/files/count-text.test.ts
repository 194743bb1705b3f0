/** Counts have commas as in English. */
import { expect, it } from "vitest";
import { formatCount } from "../../src/files/count-text.js";

it.each([0, 7, 999, 1000, 12_345, 100_000, 1_234_567, -1, -1000, -123_456, 2 ** 53])("%d", (count) => {
  expect(formatCount(count)).toBe(count.toLocaleString("en-US"));
});

it("rounds", () => {
  expect(formatCount(1234.5)).toBe("1,235");
});
