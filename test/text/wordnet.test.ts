import { describe, expect, it } from "vitest";
import { MissingDataError } from "../../src/errors.js";
import { readSynsets, readTagCounts, type Synset } from "../../src/text/wordnet.js";
import { testFolder } from "../table/folder.js";

const folder = testFolder();
const synsets = new Map<string, Synset>();
for await (const synset of readSynsets()) synsets.set(synset.id, synset);
const having = (lemma: string, partOfSpeech: string): Synset[] =>
  [...synsets.values()].filter((one) => one.partOfSpeech === partOfSpeech && one.lemmas.includes(lemma));

describe("WordNet", () => {
  it("has as many synsets of each part of speech as the files have lines of data", () => {
    const counts: Record<string, number> = {};
    for (const { partOfSpeech } of synsets.values()) counts[partOfSpeech] = (counts[partOfSpeech] ?? 0) + 1;
    // wnstats(7WN) of WordNet 3.1: grep -c '^[0-9]' data.*
    expect(counts).toEqual({ noun: 82192, verb: 13789, adjective: 18185, adverb: 3625 });
  });

  it("has the Danube as an instance of a river, and a dog as a kind of canine", () => {
    const [danube] = having("Danube", "noun");
    expect(danube.lexicographerFile).toBe("noun.object");
    expect(danube.instanceHypernyms.flatMap((id) => synsets.get(id)?.lemmas)).toEqual(["river"]);
    const dog = having("domestic dog", "noun")[0];
    expect(dog.hypernyms.flatMap((id) => synsets.get(id)?.lemmas)).toContain("canine");
    expect(dog.instanceHypernyms).toEqual([]);
  });

  it("separates a gloss into definition and examples", () => {
    const dog = having("domestic dog", "noun")[0];
    expect(dog.definition).toMatch(/^a member of the genus Canis .* many breeds$/);
    expect(dog.examples).toEqual(["the dog barked all night"]);
    const open = [...synsets.values()].filter(({ definition }) => definition.endsWith(";"));
    expect(open).toEqual([]);
  });

  it("strips an adjective's mark of position and finds every pointer's target", () => {
    expect(having("galore", "adjective").length).toBeGreaterThan(0);
    const marked = [...synsets.values()].flatMap(({ lemmas }) => lemmas.filter((one) => one.includes("(")));
    expect(marked).toEqual([]);
    const dangling = [...synsets.values()].flatMap(({ hypernyms, instanceHypernyms }) =>
      [...hypernyms, ...instanceHypernyms].filter((id) => !synsets.has(id)),
    );
    expect(dangling).toEqual([]);
  });

  it("counts tagged lemmas, each under a synset that contains it", async () => {
    const counts = await readTagCounts();
    expect(counts.size).toBeGreaterThan(30_000);
    const strangers = [...counts.keys()].filter((key) => {
      const [id, lemma] = key.split("\t");
      return !synsets.get(id)?.lemmas.some((one) => one.toLowerCase() === lemma);
    });
    expect(strangers).toEqual([]);
  });

  it("reports which file is missing, and which line is not a synset", async () => {
    const read = async () => {
      for await (const _ of readSynsets(folder.path));
    };
    await expect(read()).rejects.toThrow(
      /data\.noun cannot be read \(.*\)\. Uninstall pearl and install it again\./,
    );
    folder.file("data.noun", "  1 licence\nnot a synset\n");
    await expect(read()).rejects.toThrow(MissingDataError);
    await expect(read()).rejects.toThrow(/data\.noun, line 2: not a synset/);
  });
});
