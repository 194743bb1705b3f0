/** `pearl mine` as a command: from a corpus folder to hard-negatives.tsv, and its messages for unusable corpora. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readHardNegatives, type SynonymPair, writeCorpus } from "../../../src/corpus/corpus-folder.js";
import { readPairs } from "../../../src/methods/pairs/pairs.js";
import { editRatio } from "../../../src/pearl/hard-negatives/edit-ratio.js";
import { pearl } from "../run-here.js";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "pearl-mine-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function corpus(
  name: string,
  phrases: readonly string[],
  synonyms: SynonymPair[] = [],
): Promise<string> {
  const path = await mkdtemp(join(folder, `${name}-`));
  await writeCorpus(path, {
    phrases: phrases.map((phrase) => ({ phrase, lexicalClass: "NP" as const, count: 2 })),
    synonyms,
  });
  return path;
}

describe("pearl mine", () => {
  it("lists phrases spelled similarly, never a synonym or the same phrase in other case", async () => {
    const path = await corpus(
      "words",
      ["insulin", "inulin", "Inulin", "insulins", "colour", "color", "New York", "Newark"],
      [
        { phrase: "colour", synonym: "color", source: "test" },
        { phrase: "color", synonym: "colour", source: "test" },
        { phrase: "insulin", synonym: "insulins", source: "test" },
      ],
    );
    const { code, stdout, stderr } = await pearl(["mine", path, "--margin", "0"]);
    expect(stderr).toBe("");
    expect(code).toBe(0);
    expect(stdout).toContain("hard-negatives.tsv");
    const negatives = await readHardNegatives(path);
    expect(
      negatives
        .get("insulin")
        ?.map(({ negative }) => negative)
        .sort(),
    ).toEqual(["Inulin", "inulin"]);
    expect(negatives.get("inulin")?.some(({ negative }) => negative === "Inulin")).toBe(false);
    expect(negatives.has("color")).toBe(false);
    for (const [phrase, list] of negatives)
      for (const { negative, ratio } of list) expect(ratio).toBeCloseTo(editRatio(phrase, negative), 3);
    const record = JSON.parse(await readFile(join(path, "mining.json"), "utf8"));
    expect(record).toMatchObject({ phrases: 8, settings: { minimumRatio: 0.7, margin: 0 } });
  });

  it("reports that a corpus of three phrases has no hard negatives, and writes an empty list", async () => {
    const path = await corpus("three", ["cat", "house", "democracy"]);
    const { code, stderr } = await pearl(["mine", path]);
    expect(code).toBe(0);
    expect(stderr).toContain("no two of the 3 phrases are spelled alike");
    expect((await readHardNegatives(path)).size).toBe(0);
  });

  it("names a folder that is not a corpus, and a synonyms file that is broken", async () => {
    const none = await pearl(["mine", join(folder, "nowhere")]);
    expect(none.code).toBe(1);
    expect(none.stderr).toContain("is not a corpus folder");
    const path = await corpus("broken", ["cat", "cart"]);
    await writeFile(join(path, "synonyms.tsv"), "phrase\tsynonym\tsource\ncat\tcart\n");
    const broken = await pearl(["mine", path]);
    expect(broken.code).toBe(1);
    expect(broken.stderr).toContain("synonyms.tsv, line 2: 2 columns, expected 3");
    const wrong = await pearl(["mine", path, "--listed", "13"]);
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain("pearl: --listed must be a whole number from 1 to 12");
  });

  it("writes negatives of pairs, which finetune reads as hard negatives", async () => {
    const output = join(folder, "mined.csv");
    const { code, stdout } = await pearl(["mine", "--pairs", "data/pairs.csv", "-o", output, "-q"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /: 3\d of 32 pairs got a negative; mean cosine of positives 0\.\d+, of negatives 0\.\d+\n/,
    );
    const { pairs } = await readPairs(output);
    expect(pairs).toHaveLength(32);
    expect(pairs.filter(({ negative }) => negative !== "").length).toBeGreaterThanOrEqual(30);
    const none = await pearl(["mine", "--pairs", "data/pairs.csv", "-o", output, "--min-score", "1"]);
    expect(none.stdout).toContain("0 of 32 pairs got a negative");
    expect(none.stderr).toContain("no candidate is within the limits");
    const hub = join(folder, "hub.csv");
    await writeFile(hub, "text,positive\nhub,one\nhub,two\n");
    const joined = ["mine", "--pairs", hub, "-o", output];
    expect((await pearl(joined)).stderr).toContain("name other candidates with --among FILE");
    const among = await pearl([...joined, "--among", "data/phrases.csv", "--relative-margin", "0"]);
    expect(among.stderr).not.toContain("every candidate means the same");
  });

  it("refuses both forms at once, and an option of the other", async () => {
    for (const [given, says] of [
      [["corpus", "--pairs", "data/pairs.csv"], "give one of the two"],
      [["corpus", "--sampling", "random"], "--sampling is for --pairs, not for a corpus"],
      [["--pairs", "data/pairs.csv", "-o", "m.csv", "--shard", "1/2"], "--shard is for a corpus"],
    ] as const) {
      const { code, stderr } = await pearl(["mine", ...given]);
      expect(code).toBe(2);
      expect(stderr).toContain(says);
    }
  });
});
