import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createAugmenter } from "../../../src/pearl/augmentation/augmenter.js";
import { readPairs } from "../../../src/pearl/augmentation/pair-table.js";
import type { AugmentationSettings } from "../../../src/pearl/augmentation/settings.js";
import { createRandom } from "../../../src/random.js";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "pearl-augment-"));
});

afterAll(() => rm(folder, { recursive: true }));

async function file(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

/** Without WordNet, which takes a second to read. */
function quickAugmenter(settings: AugmentationSettings = {}) {
  return createAugmenter({ wordNet: "off", ...settings });
}

describe("pair files", () => {
  it("work both ways; a circle or a self-reference neither loops nor repeats the phrase", async () => {
    const path = await file("circle.tsv", "a\tb\nb\tc\nc\ta\na\ta\nA\ta\nb\ta\n");
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
    const path = await file("pairs.csv", 'phrase,synonym,source\n"heart attack","myocardial infarction",x\n');
    const partners = (await readPairs([path]))!;
    expect(partners("heart attack")).toEqual(["myocardial infarction"]);
    expect(partners("Heart Attack")).toEqual(["Myocardial Infarction"]);
    expect(partners("HEART ATTACK")).toEqual(["MYOCARDIAL INFARCTION"]);
    expect(partners("phrase")).toEqual([]);
    expect(partners("constructor")).toEqual([]);
  });

  it("of one column are refused", async () => {
    const path = await file("one.txt", "hello\n");
    await expect(readPairs([path])).rejects.toThrow(/one\.txt: there is no column 2/);
  });
});
