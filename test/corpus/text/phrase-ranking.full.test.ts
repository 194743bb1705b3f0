import { expect, it } from "vitest";
import { rankPhrases, writeCounts } from "../../../src/corpus/text/phrase-ranking.js";
import { testFolder } from "../../table/folder.js";

const { path: folder, file } = testFolder();

it("is interrupted in the middle of summing", async () => {
  const [ofTexts, ofTables] = [file("texts.tsv"), file("tables.tsv")];
  const counts = Array.from({ length: 200_000 }, (_, row) => [`phrase ${row}`, [1, 0, 0, 0, 0]] as const);
  await writeCounts(ofTexts, new Map(counts));
  await writeCounts(ofTables, new Map());
  const controller = new AbortController();
  const options = { folder, minimum: 1, maximum: 1e6, signal: controller.signal };
  const ranked = rankPhrases([ofTexts], ofTables, {
    ...options,
    onProgress: () => expect.fail("phrases were read"),
  });
  setTimeout(() => controller.abort(new Error("enough")), 30);
  await expect(ranked).rejects.toThrow("enough");
});
