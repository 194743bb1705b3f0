/** Kinship of WordNet's lemmas: derived forms, pertainyms, participles. */
import { describe, expect, it } from "vitest";
import { readSynsets, type Synset } from "../../../../src/text/wordnet.js";

interface SynsetLemma {
  id: string;
  lemma: number;
}
const script = new URL("../../../../scripts/pearl-mini/data/wordnet-kin.mjs", import.meta.url).href;
const { readKin } = (await import(script)) as { readKin: () => Promise<[SynsetLemma, SynsetLemma][]> };
const synsets = new Map<string, Synset>();
for await (const synset of readSynsets()) synsets.set(synset.id, synset);
const shown = ({ id, lemma }: SynsetLemma) => `${synsets.get(id)?.lemmas[lemma]} ${id.at(-1)}`;
const kin = await readKin();

describe("scripts/pearl-mini/wordnet-kin.mjs", () => {
  it("links derived forms, adjectives of adverbs and of nouns, and verbs of participles", () => {
    const kinOf = (lemma: string) =>
      kin.filter(([one]) => shown(one) === lemma).map(([, other]) => shown(other));
    expect(kinOf("establish v")).toContain("establishment n");
    expect(kinOf("establishment n")).toContain("establish v");
    expect(kinOf("musically r")).toContain("musical a");
    expect(kinOf("dental a")).toContain("tooth n");
    expect(kinOf("avenged a")).toContain("avenge v");
    expect(kinOf("handmade a")).toEqual([]);
  });

  it("finds the other lemma of every kinship, and derived forms both ways", () => {
    const pairs = kin.map(([one, other]) => ({
      one: `${one.id} ${shown(one)}`,
      other: `${other.id} ${shown(other)}`,
    }));
    // grep -oh " [+\\<] [0-9]\{8\} [nvar] [0-9a-f]\{4\}" data.* | grep -vc " 00[0-9a-f][0-9a-f]$"
    expect(pairs).toHaveLength(82_827);
    expect(pairs.filter(({ one, other }) => `${one}${other}`.includes("undefined"))).toEqual([]);
    const known = new Set(pairs.map(({ one, other }) => `${one}\t${other}`));
    const nouns = pairs.filter(({ one, other }) => / n$/.test(one) && / v$/.test(other));
    const lone = nouns.filter(({ one, other }) => !known.has(`${other}\t${one}`));
    expect(lone.length).toBeLessThan(nouns.length / 100);
  });
});
