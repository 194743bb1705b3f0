import { describe, expect, it } from "vitest";
import { folded, withoutAccents } from "../../src/text/accents.js";

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
