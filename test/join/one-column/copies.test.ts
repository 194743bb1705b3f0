import { describe, expect, it } from "vitest";
import { fuzzyJoin } from "../../../src/join/fuzzy-join.js";
import { amongCopies, differentTexts } from "../../../src/join/one-column/copies.js";
import { joinRows } from "../../../src/join/roads.js";

const others =
  "Alpha Stahl,Borealis Foods,Cygnus Optics,Delta Marine,Epsilon Tools,Fabrikam Steel,Gamma Paints,Helios Energy," +
  "Ionia Textiles,Juno Books,Kappa Motors,Lumen Lights,Meridian Travel,Nova Pharma,Orion Air,Pavo Shoes";
const names = others.split(",");
const copies = 15;
const repeated = (text: string): string[] => Array<string>(copies).fill(text);
const encoder = "none" as const;

describe("differentTexts", () => {
  it("numbers runs of equal texts", () => {
    const texts = differentTexts(["a", "b", "b", "c", "c", "c"]);
    expect([...texts.cells]).toEqual(["a", "b", "c"]);
    expect([...texts.textOf]).toEqual([0, 1, 1, 2, 2, 2]);
    expect([...texts.starts]).toEqual([0, 1, 3, 6]);
    expect([...differentTexts([]).starts]).toEqual([0]);
  });
});

describe("fuzzyJoin of repeated rows", () => {
  const left = [...names.map((name) => `${name} GmbH`), ...repeated("Zeta Systems GmbH")];
  const rivals = ["Zeta System Ltd", "Zeta Systems Berlin"];
  const right = [...names.map((name) => `${name} AG`), "Zeta Systems"];
  const asked = right.length - 1;

  it("is as unsure of a row with rivals as where nothing repeats", async () => {
    const probabilityAmong = async (table: readonly string[]): Promise<number> => {
      const { proposals } = await fuzzyJoin(table, right, { encoder });
      return proposals.find((match) => match.right === asked)!.probability;
    };
    const once = await probabilityAmong([...new Set(left), ...rivals]);
    const often = await probabilityAmong([...left, ...rivals.flatMap(repeated)]);
    expect(often).toBeCloseTo(once, 6);
  });

  it("gives each of many equal rows a partner of its own where a row has one", async () => {
    const all = [...right, ...repeated("Zeta Systems").slice(1)];
    const { matches } = await fuzzyJoin(left, all, { encoder, kind: "one-to-one" });
    const partners = matches.filter((match) => match.right >= asked).map((match) => match.left);
    expect(partners.sort((a, b) => a - b)).toEqual(
      Array.from({ length: copies }, (_, at) => names.length + at),
    );
  });

  it("gives equal rows the same partner where a row may have several, and a row as many copies as are asked for", async () => {
    const all = [...right, "Zeta Systems"];
    const { matches } = await fuzzyJoin(left, all, { encoder });
    expect(matches.filter((match) => match.right >= asked).map((match) => match.left)).toEqual([
      names.length,
      names.length,
    ]);
    const several = await fuzzyJoin(left, right, { encoder, kind: "many-to-many" });
    expect(several.matches.filter((match) => match.right === asked)).toHaveLength(8);
  });

  it("explains pairs by their own rows", async () => {
    const { explain } = await fuzzyJoin(left, right, { encoder });
    expect(explain(left.length - 1, asked)).toMatchObject({ left: left.at(-1), right: right[asked] });
    expect(() => explain(left.length, 0)).toThrow("there is no pair of rows");
  });
});

describe("a promise among copies", () => {
  const left = {
    place: ["Springfield", "SPRINGFIELD ", "Springfield", "Milford", "Milford", "Ashdale"],
    county: ["Kent", "Surrey", "Devon", "Essex", "Essex", "York"],
    river: ["Stour", "Wey", "Exe", "Colne", "Colne", "Ouse"],
  };
  const name = "place";
  const promise = { target: 0.9, established: true, reason: "all agree" };
  const report = { estimate: 0.98, low: 0.95, high: 1, promise };
  const pair = (of: number, right: number) => ({ left: of, right, probability: 0.99 });

  it("counts a match with one of k left rows that contradict each other as 1 / k", () => {
    const matches = [pair(0, 0), pair(1, 1), pair(3, 2), pair(5, 3)];
    const found = amongCopies(report, matches, { left, name, known: [] });
    // Two of four are one of three; Milford is the same twice, and Ashdale is alone.
    expect(found.estimate).toBeCloseTo((1 / 3 + 1 / 3 + 1 + 1) / 4);
    expect(found.low).toBe(found.estimate);
    expect(found.promise).toEqual({
      ...{ target: 0.9, established: false },
      reason: "2 of 4 matches are with one of several left rows of the same place that differ otherwise",
    });
  });

  it("stays where copies are the same thing, a person decided, or nothing else tells rows apart", () => {
    expect(amongCopies(report, [pair(3, 0), pair(5, 1)], { left, name, known: [] })).toBe(report);
    const known = [{ left: 0, right: 0, match: true }];
    expect(amongCopies(report, [pair(0, 0), pair(5, 1)], { left, name, known })).toBe(report);
    const alone = { place: left.place };
    expect(amongCopies(report, [pair(0, 0)], { left: alone, name, known: [] })).toBe(report);
    expect(amongCopies(report, [], { left, name, known: [] })).toBe(report);
  });

  it("is refused for names that five places share, and established where their places differ in name", async () => {
    const ends = ["field", "ford", "dale", "brook", "ton", "wick"];
    const stems = ["Spring", "Mil", "Ash", "Green", "Rock", "Elm", "Clear", "Stan"];
    const names = stems.flatMap((stem) => ends.map((end) => `${stem}${end}`));
    const tables = (copies: number) => {
      const place = names.flatMap((own) => Array.from({ length: copies }, () => own));
      const more = (what: string) => place.map((_, row) => `${what}${"abcdefgh"[row % 8]}${row}x`);
      return { place, county: more("c"), river: more("r") };
    };
    const joined = async (copies: number) => {
      const right = { place: names.map((own) => own.toUpperCase()) };
      const { findings } = await joinRows(tables(copies), right, { on: ["place"], encoder: undefined });
      return findings;
    };
    expect(await joined(1)).toMatchObject({ promise: { established: true } });
    const shared = await joined(5);
    expect(shared.promise).toMatchObject({
      established: false,
      reason: expect.stringMatching(/^48 of 48 matches are with one of several left rows of the same place/),
    });
    expect(shared.estimate).toBeCloseTo(0.2);
  });
});
