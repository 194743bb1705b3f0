import { describe, expect, it } from "vitest";
import { fuzzyJoin } from "../../../src/join/fuzzy-join.js";
import { differentTexts } from "../../../src/join/one-column/copies.js";

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
