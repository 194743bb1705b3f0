/** Distinguishing words: recurring differences, added words and optional words. */
import { describe, expect, it } from "vitest";
import { learnDistinguishing } from "../../src/group/distinguishing.js";
import { termRows } from "../../src/match/candidates/grams.js";
import { weighPhrase } from "../../src/match/evidence/features.js";
import { foldPhrase } from "../../src/match/evidence/phrase.js";

/** The factor for two phrases in a table where all pairs are similar. */
async function judge(phrases: readonly string[]): Promise<(a: string, b: string) => number> {
  const { statistics } = termRows(phrases.map(foldPhrase), []);
  const weighed = phrases.map((phrase) => weighPhrase(phrase, statistics));
  const [left, right]: number[][] = [[], []];
  phrases.forEach((_, a) => {
    for (let b = a + 1; b < phrases.length; b++) {
      left.push(a);
      right.push(b);
    }
  });
  const links = {
    left: Int32Array.from(left),
    right: Int32Array.from(right),
    scores: new Float32Array(left.length).fill(0.8),
  };
  const distinguish = await learnDistinguishing(
    { texts: weighed.map(({ folded }) => folded), phraseOf: (row) => weighed[row] },
    links,
  );
  return (a, b) => distinguish(weighPhrase(a, statistics), weighPhrase(b, statistics));
}

const towns = ["Oslo", "Bergen", "Tromso", "Molde", "Hamar", "Gjovik", "Halden", "Moss", "Larvik", "Skien"];
const towns2 = ["Turku", "Oulu", "Espoo", "Vantaa", "Lahti", "Kuopio", "Pori", "Vaasa", "Kotka", "Rauma"];
const cups = [...towns, ...towns2].map((town) => `${town} Cup season`);

describe("distinguishing words", () => {
  it("distinguishes by a word that only one phrase has", async () => {
    const kept = await judge(cups);
    expect(kept("Oslo Cup season", "Oslo Ladies' Cup season")).toBe(0.5);
    expect(kept("Oslo Cup", "Oslo Cup Qualification")).toBe(0.5);
    expect(kept("Oslo Cup", "Oslo Cup")).toBe(1);
    expect(kept("Kuopio Cup", "Kuopioo Cup")).toBe(1);
  });

  it("ignores function words, legal forms and the word for the kind of thing", async () => {
    const kept = await judge(cups);
    expect(kept("Oslo Cup season", "Oslo Cup")).toBe(1);
    expect(kept("The Oslo Cup", "Cup of Oslo")).toBe(1);
    expect(kept("Oslo Cup", "Oslo Cup Ltd")).toBe(1);
    // It is on every row, but in the middle of a name it belongs to the name.
    expect(kept("Oslo Trophy", "Oslo Cup Trophy")).toBe(0.5);
  });

  it("distinguishes by an added number, numeral or letter, no matter how many rows have it", async () => {
    const kept = await judge(cups.map((cup) => `${cup} II`));
    for (const order of ["II", "2", "B", "A"]) expect(kept("Oslo Cup", `Oslo Cup ${order}`)).toBe(0.5);
    expect(kept("Oslo Cup", "A Oslo Cup")).toBe(1);
    expect(kept("Oslo Cup II", "Oslo Cup 2")).toBe(1);
  });

  it("gives less weight to a word in parentheses", async () => {
    const kept = await judge(cups.map((cup) => `${cup} (football)`));
    expect(kept("Oslo Cup", "Oslo Cup (Minnesota)")).toBe(0.75);
    expect(kept("Oslo Cup", "Oslo Cup (football)")).toBe(1);
  });

  it("separates a misspelt word from two similar words of the table", async () => {
    const acids = (word: string): string[] => towns.slice(0, 4).map((town) => `${town} ${word} acid`);
    const kept = await judge([...acids("methylated"), ...acids("ethylated"), ...cups]);
    expect(kept("Skien methylated acid", "Skien ethylated acid")).toBe(0.5);
    expect(kept("Skien methylated acid", "Skien metylated acid")).toBe(1);
    // A plural is the same word.
    const plural = await judge([...acids("salt"), ...acids("salts"), ...cups]);
    expect(plural("Skien salt acid", "Skien salts acid")).toBe(1);
    // A name with a letter more is another.
    const named = await judge([...acids("Linden"), ...acids("Lindena"), ...cups]);
    expect(named("Skien Linden acid", "Skien Lindena acid")).toBe(0.5);
    expect(named("Skien Linden acid", "Skien Lindeno acid")).toBe(1);
  });

  it("learns two words from several pairs that differ in them", async () => {
    const sports = (count: number): string[] =>
      towns.slice(0, count).flatMap((town) => [`${town} football`, `${town} handball`]);
    const few = await judge([...sports(2), "Molde football", "Hamar handball"]);
    const many = await judge([...sports(10)]);
    expect(few("Skien football", "Skien handball")).toBe(1);
    expect(many("Skien football", "Skien handball")).toBe(0.5);
  });

  it("learns two legal forms, of which one begins the other", async () => {
    const firms = (count: number): string[] =>
      towns.slice(0, count).flatMap((town) => [`${town} Steel Co.`, `${town} Steel Corp.`]);
    const [few, many] = [await judge([...firms(2), ...cups]), await judge([...firms(3), ...cups])];
    expect(few("Skien Steel Co.", "Skien Steel Corp.")).toBe(1);
    expect(many("Skien Steel Co.", "Skien Steel Corp.")).toBe(0.5);
    expect(many("Skien Steel", "Skien Steel Corp.")).toBe(1);
  });

  it("reads parts between commas that many rows share as where a thing is, or what part of it is meant", async () => {
    const rows = towns.flatMap((town) => [
      `Department of Physics, University of ${town}, Norway`,
      `Faculty of Law, University of ${town}`,
    ]);
    const kept = await judge([...rows, ...towns2.map((town) => `Department of Physics, ${town} Institute`)]);
    expect(kept("University of Oslo", "Department of Physics, University of Oslo, Norway")).toBe(1);
    expect(kept("Faculty of Law, University of Oslo", "University of Oslo, Norway")).toBe(1);
    // What is added is rarer than what both have or recurs nowhere.
    expect(kept("Department of Physics", "Department of Physics, University of Oslo")).toBe(0.5);
    expect(kept("University of Oslo", "Hydrology, University of Oslo")).toBe(0.5);
  });

  it("takes one word more among many for no difference", async () => {
    const kept = await judge(cups);
    const words = "black steel kettle with glass lid and cool handle for".split(" ");
    const text = (count: number): string => words.slice(0, count).join(" ");
    expect(kept(text(9), `${text(9)} stoves`)).toBe(1);
    expect(kept(text(8), `${text(8)} stoves`)).toBe(0.5);
    expect(kept(text(9), `${text(9)} gas stoves`)).toBe(0.5);
  });

  it("takes no word of a short list for the kind of thing that is not in three of its rows", async () => {
    const kept = await judge(["Acme", "Acme Widgets", ...towns.slice(0, 8)]);
    expect(kept("Acme", "Acme Widgets")).toBe(0.5);
    const two = await judge(["Acme", "Acme Widgets", "Oslo Widgets", ...towns2]);
    expect(two("Acme", "Acme Widgets")).toBe(0.5);
    const three = await judge(["Acme", "Acme Widgets", "Oslo Widgets", "Bergen Widgets", ...towns2]);
    expect(three("Acme", "Acme Widgets")).toBe(1);
  });
});
