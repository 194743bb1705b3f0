import { describe, expect, it } from "vitest";
import { folded, umlautSpelling, withoutAccents } from "../../src/text/accents.js";

describe("a text without accents", () => {
  it.each([
    ["Dvořák Ñandú", "Dvorak Nandu"],
    ["Ωμέγα й", "Ωμεγα и"],
    ["שָׁלוֹם مُحَمَّد", "שלום محمد"],
    ["❤\ufe0f ﬁ", "❤ fi"],
  ])("%s is %s", (text, plain) => {
    expect(withoutAccents(text)).toBe(plain);
  });

  it.each([
    ["Weißwasser", "weisswasser"],
    ["ÆRO Cœur", "aero coeur"],
    ["Ørsted Đorđe Łódź", "orsted dorde lodz"],
    ["Sığacık Þórður", "sigacik thordur"],
  ])("%s is %s in lower case, with letters of one language in those of all", (text, plain) => {
    expect(folded(text)).toBe(plain);
  });

  it.each([
    ["राम", "रोम", "रमा"],
    ["กา", "กี", "กู"],
    ["かき", "かぎ"],
    ["ハハ", "パパ", "ババ"],
  ])("keeps what tells words apart: %s %s", (...texts) => {
    expect(new Set(texts.map(withoutAccents)).size).toBe(texts.length);
  });
});

it("gives words the umlauts that they have in other texts, and no others", () => {
  const texts = [
    "Hans MÜLLER",
    "Göthe",
    "Ba\u0308r",
    "Müslischuessel",
    "Mueslischüssel",
    "Citroën",
    "Dörfler-Jäger",
  ];
  const spelled = umlautSpelling([...texts, "für"]);
  expect(spelled("MUELLER & Söhne, Mueller")).toBe("MÜLLER & Söhne, Müller");
  expect(spelled("Goethe fuer baer-Jaeger")).toBe("Göthe für bär-Jäger");
  expect(spelled("Muesli Mueslischuessel")).toBe("Muesli Müslischüssel");
  const others = "Bauer Samuel blue does Muellers Muller Citroen Mülle";
  expect(spelled(others)).toBe(others);
  expect(umlautSpelling(["Mueller", "Michèle"])("Mueller")).toBe("Mueller");
});
