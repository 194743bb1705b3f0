import { describe, expect, it } from "vitest";
import { readPairs } from "../../../../src/pearl/augmentation/phrase/pair-table.js";
import { createRandom } from "../../../../src/random.js";
import { file, quickAugmenter } from "../../../augmentation/files.js";

describe("pair files", () => {
  it("work both ways; a circle or a self-reference neither loops nor repeats the phrase", async () => {
    const path = file("circle.tsv", "a\tb\nb\tc\nc\ta\na\ta\nA\ta\nb\ta\n");
    const partners = (await readPairs([path]))!;
    expect([...partners("a")].sort()).toEqual(["b", "c"]);
    expect([...partners("b")].sort()).toEqual(["a", "c"]);
    const augmenter = await quickAugmenter({
      paraphraseFiles: [path],
      probabilities: { "paraphrase-file": 1 },
    });
    const random = createRandom(1);
    for (let drawn = 0; drawn < 50; drawn++)
      expect(["b", "c"]).toContain(augmenter.augment("a", random).text);
  });

  it("take a header, further columns and quoted cells, and find other letter case", async () => {
    const path = file("pairs.csv", 'phrase,synonym,source\n"heart attack","myocardial infarction",x\n');
    const partners = (await readPairs([path]))!;
    expect(partners("heart attack")).toEqual(["myocardial infarction"]);
    expect(partners("Heart Attack")).toEqual(["Myocardial Infarction"]);
    expect(partners("HEART ATTACK")).toEqual(["MYOCARDIAL INFARCTION"]);
    expect(partners("phrase")).toEqual([]);
    expect(partners("constructor")).toEqual([]);
  });

  it("of one column are refused", async () => {
    const path = file("one.txt", "hello\n");
    await expect(readPairs([path])).rejects.toThrow(/one\.txt: there is no column 2/);
  });
});
