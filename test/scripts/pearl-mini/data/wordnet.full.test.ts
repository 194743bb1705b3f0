/** Relatives among WordNet's lemmas: derived forms, pertainyms, participles. */
import { describe, expect, it } from "vitest";
import { readSynsets, type Synset } from "../../../../src/text/wordnet.js";

interface SynsetLemma {
  id: string;
  lemma: number;
}
const script = new URL("../../../../scripts/pearl-mini/data/wordnet.mjs", import.meta.url).href;
const { readRelatives } = (await import(script)) as {
  readRelatives: () => Iterable<[SynsetLemma, SynsetLemma]>;
};
const synsets = new Map<string, Synset>();
for await (const synset of readSynsets()) synsets.set(synset.id, synset);
const shown = ({ id, lemma }: SynsetLemma) => `${synsets.get(id)?.lemmas[lemma]} ${id.at(-1)}`;
const relatives = [...readRelatives()];

describe("relatives", () => {
  it("links derived forms, adjectives of adverbs and of nouns, and verbs of participles", () => {
    const relativesOf = (lemma: string) =>
      relatives.filter(([one]) => shown(one) === lemma).map(([, other]) => shown(other));
    expect(relativesOf("establish v")).toContain("establishment n");
    expect(relativesOf("establishment n")).toContain("establish v");
    expect(relativesOf("musically r")).toContain("musical a");
    expect(relativesOf("dental a")).toContain("tooth n");
    expect(relativesOf("avenged a")).toContain("avenge v");
    expect(relativesOf("handmade a")).toEqual([]);
  });

  it("finds the other lemma of every relation, and derived forms both ways", () => {
    const pairs = relatives.map(([one, other]) => ({
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
