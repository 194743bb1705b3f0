import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readDocuments, readTexts } from "../../../src/corpus/text/text-sources.js";

it("joins lines that begin with a small letter for phrases, not where a line is a sentence", async () => {
  const path = join(mkdtempSync(join(tmpdir(), "pearl-text-")), "wrapped.txt");
  writeFileSync(path, "The city\nof Bern.\n\nA river.\n");
  const [joined, apart]: string[][] = [[], []];
  for await (const piece of readTexts(path)) joined.push(piece);
  for await (const piece of readDocuments(path)) apart.push(piece);
  expect(joined).toEqual(["The city of Bern.", "A river."]);
  expect(apart).toEqual(["The city", "of Bern.", "", "A river."]);
});
