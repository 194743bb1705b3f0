import { describe, expect, it } from "vitest";
import { equalTexts, rewritings } from "../../../src/group/one-column/list-words.js";

describe("texts that are written anew", () => {
  const texts = [
    ...["Graz Book Fair 1993", "1993 Graz Book Fair", "Graz BookF air 1993", "Graz Book Fair 1994"],
    ...["Ulm Book Fair 1993", "Graz Book Fair", "Kasimir", "Kasimyr", "Polar Labs Co", "Polar Labs Corp"],
    ...["Falcon Corp", "Falcon Co", "Graz Book Fair 1991 Talks"],
  ];
  const { isRewritten } = rewritings(texts);
  const at = (text: string) => texts.indexOf(text);
  it.each([
    ["Graz Book Fair 1993", "1993 Graz Book Fair", true],
    ["Graz Book Fair 1993", "Graz BookF air 1993", true],
    // another year, another town, a word more
    ["Graz Book Fair 1993", "Graz Book Fair 1994", false],
    ["Graz Book Fair 1993", "Ulm Book Fair 1993", false],
    ["Graz Book Fair 1993", "Graz Book Fair", false],
    ["Graz Book Fair 1993", "Graz Book Fair 1991 Talks", false],
    // no word in common; words of which each is in other texts too
    ["Kasimir", "Kasimyr", false],
    ["Polar Labs Co", "Polar Labs Corp", false],
  ])("%s, %s: %s", (a, b, expected) => {
    expect(isRewritten(at(a), at(b))).toBe(expected);
    expect(isRewritten(at(b), at(a))).toBe(expected);
  });

  const doses = [5, 10, 20, 50].flatMap((dose) =>
    ["Miraxan", "Betazol", "Rumapril", "Selamicin"].flatMap((drug) => [
      ...[`${drug} ${dose} mg tablets`, `${drug} ${dose}MG TAB`, `${drug} capsules ${dose} mg`],
      ...[`${drug} ${dose} mg tabletop`, `${drug}${dose} mg harbora`, `${drug} harbor ${dose}mg`],
    ]),
  );
  const many = Array.from({ length: 100 }, (_, at) => `capsules no ${at}`);
  const drugs = [...doses, ...many, "Miraxan 7 mg capsules", "Miraxan 7mg capules", "Betazol 9 mg capules"];

  it.each([
    ["Miraxan capsules 20 mg", "Miraxan 20mg capsules", true],
    // "tab" may stand for "tablets" or "tabletop", and "harbor" is most of "harbora"
    ["Miraxan 20 mg tablets", "MIRAXAN 20MG TAB", false],
    ["Miraxan20 mg harbora", "Miraxan harbor 20mg", false],
    // misspelt twice among 118
    ["Miraxan 7 mg capsules", "Miraxan 7mg capules", true],
  ])("%s, %s: %s", (a, b, expected) => {
    const list = [...drugs, a, b];
    expect(rewritings(list).isRewritten(list.length - 2, list.length - 1)).toBe(expected);
  });

  it.each([
    ["Selamicin 50 mg tablets", "Selamicni 50mg tablets", true],
    ["Selamicin 50 mg tablets", "tablets Selamicni 50 mg", false],
    ["Selamicin 50 mg tablets", "Selamicni 5 mg tablets", false],
    ["Selamicin 50 mg tablets", "Selamicni 50 mg tablest", false],
    ["Selamicin 50 mg tablets", "Belamicin 50 mg tablets", false],
    ["Selamicin 50 mg tablets", "Selamicinex 50 mg tablets", false],
    // neither word recurs
    ["Emperor Montoku", "Emperor Antoku", false],
    ["Muhammad al-Nasir", "Al-Nasir Muhammad", false],
  ])("differ by a slip alone, %s and %s: %s", (a, b, expected) => {
    const { isSlip } = rewritings([...drugs, a, b, "Emperor Jimmu"]);
    expect(isSlip(drugs.length, drugs.length + 1)).toBe(expected);
    expect(isSlip(drugs.length + 1, drugs.length)).toBe(expected);
  });

  it("may be abbreviated by a word that stands for one other in the list", () => {
    const list = doses.filter((text) => !text.includes("tabletop"));
    const at = (text: string) => list.indexOf(text);
    expect(rewritings(list).isRewritten(at("Miraxan 20 mg tablets"), at("Miraxan 20MG TAB"))).toBe(true);
    expect(rewritings(list).isRewritten(at("Miraxan 20 mg tablets"), at("Miraxan 50MG TAB"))).toBe(false);
  });
});

describe("equal texts", () => {
  const places = [0, 1, 2, 3];
  const persons = places.flatMap((given) => places.map((family) => `Given${given}a Family${family}b`));

  it("are compared with those that words drawn place by place would make", () => {
    // Of 120 pairs of different texts, 24 agree in a place: a fifth. Of 190 pairs of 20 rows, a 25th.
    expect(equalTexts([...persons, ...persons.slice(0, 4)])).toEqual({
      pairs: 4,
      byChance: expect.closeTo(7.6, 9),
    });
  });

  it("are no chance where no words recur, and texts of one word say nothing", () => {
    const words = places.map((place) => `word${"abcd"[place]}`);
    expect(equalTexts([...words, ...words])).toEqual({ pairs: 4, byChance: 0 });
    const firms = words.map((word) => `${word} gmbh`);
    expect(equalTexts([...firms, ...firms, "", ""])).toEqual({ pairs: 4, byChance: 0 });
  });
});
