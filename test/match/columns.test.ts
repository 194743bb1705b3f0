import { expect, it } from "vitest";
import { checkEmbeddings } from "../../src/match/columns.js";

it("refuses tables whose embeddings are longer than an array of Node.js 20 may be", () => {
  for (const [most, dimension] of [
    [7_158_278, 600],
    [11_184_810, 384],
  ]) {
    expect(() => checkEmbeddings(most, dimension)).not.toThrow();
    expect(() => checkEmbeddings(most + 1, dimension)).toThrow("compare without one: --model none");
  }
  expect(() => checkEmbeddings(8_000_000, 600)).toThrow(
    "8,000,000 rows are more than can be embedded: 7,158,278 with 600 dimensions.",
  );
});
