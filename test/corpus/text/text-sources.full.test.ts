import { expect, it } from "vitest";
import { readTexts } from "../../../src/corpus/text/text-sources.js";
import { testFolder } from "../../table/folder.js";

const { file } = testFolder();

it("joins lines that begin with a small letter, unless lines are read apart", async () => {
  const path = file("wrapped.txt", "The city\nof Bern.\n\nA river.\n");
  const [joined, apart]: string[][] = [[], []];
  for await (const piece of readTexts(path)) joined.push(piece);
  for await (const piece of readTexts(path, {}, "apart")) apart.push(piece);
  expect(joined).toEqual(["The city of Bern.", "A river."]);
  expect(apart).toEqual(["The city", "of Bern.", "A river."]);
});

it.each(["long.txt", "long.csv"])("ends the reading of %s at its signal", async (name) => {
  const path = file(name, `text\n${"A river in the south.\n".repeat(200_000)}`);
  const controller = new AbortController();
  const read = async (): Promise<void> => {
    for await (const _ of readTexts(path, { signal: controller.signal }))
      controller.abort(new Error("enough"));
  };
  await expect(read()).rejects.toThrow("enough");
});
