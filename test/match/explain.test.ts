import { describe, expect, it } from "vitest";
import { matchTables } from "../../src/join/match-tables.js";
import { type ColumnExplanation, pairSentence } from "../../src/match/explain.js";
import { twoTables } from "./people.js";

const column = (name: string, logOdds: number, cells: Partial<ColumnExplanation> = {}): ColumnExplanation => {
  return { name, left: "a", right: "b", isEqual: false, level: 3, logOdds, most: 8, least: -4, ...cells };
};
const across = (name: string, logOdds: number): ColumnExplanation =>
  column(name, logOdds, { left: undefined, right: undefined, isEqual: undefined });
const empty = (name: string, most: number): ColumnExplanation =>
  column(name, 0, { left: "030 1", right: "", level: -1, most, least: -2 });
const sentence = (probability: number, ...columns: ColumnExplanation[]): string =>
  pairSentence({ prior: -8, columns }, probability);

describe("the sentence about a pair", () => {
  it("names the strongest evidence first, then what is missing", () => {
    const name = column("name", 4.1, { left: "IBM Corp", right: "International Business Machines" });
    const city = column("city", 6.04, { left: "Armonk", right: "ARMONK", isEqual: true });
    expect(sentence(0.98, empty("phone", 8), name, city)).toBe(
      'city equal, rare (+6.0); name: "IBM Corp" ≈ "International Business Machines" (+4.1); phone missing (0) → 0.98',
    );
  });

  it("leaves out what says nothing, and empty cells that could not change the result", () => {
    const name = column("name", 4.1, { isEqual: true });
    expect(sentence(0.98, name, column("state", 0.2), empty("fax", 3))).toBe("name equal (+4.1) → 0.98");
    expect(sentence(1, name, empty("phone", 8))).toBe("name equal (+4.1) → 1.00");
    expect(sentence(0.5, column("state", 0.1))).toBe("no column says much → 0.50");
  });

  it("says what differs, and that agreement is common", () => {
    const country = column("country", 0.7, { isEqual: true });
    expect(sentence(0.03, country, column("born", -3.2, { left: "1950", right: "1961" }))).toBe(
      'born: "1950" ≠ "1961" (-3.2); country equal, common (+0.7) → 0.03',
    );
  });

  it("says which cells have changed places", () => {
    const first = column("first", 3.5, { left: "Michael", right: "URBAN" });
    const last = column("last", 3.7, { left: "Urban", right: "Michael" });
    expect(sentence(0.98, first, last)).toBe(
      "last exchanged with first (+3.7); first exchanged with last (+3.5) → 0.98",
    );
    // What differs is said as it is, also where a third column has the same.
    const same = column("company", 2, { left: "Urban", right: "Urban", isEqual: true });
    expect(sentence(0.2, column("last", -3, { left: "Urban", right: "Weiss" }), same)).toBe(
      'last: "Urban" ≠ "Weiss" (-3.0); company equal (+2.0) → 0.20',
    );
  });

  it("says that names say opposites", () => {
    const opposites = { ...across("names opposed", -100), level: 0 };
    expect(sentence(0.01, opposites)).toBe("the names say opposites (-100.0) → 0.01");
  });

  it("says in words what evidence across columns means", () => {
    expect(sentence(0.4, across("codes anywhere", -2.1), across("name anywhere", 1.2))).toBe(
      "codes or numbers differ (-2.1); the other row has the words of the name (+1.2) → 0.40",
    );
    expect(sentence(0.4, across("something new", -2))).toBe("something new differs (-2.0) → 0.40");
    expect(sentence(0.9, across("street numbers", 2))).toBe("street numbers agree (+2.0) → 0.90");
  });

  it("cuts long cells and stays on one line", () => {
    const text = `${"word ".repeat(30)}\n\nend`;
    const said = sentence(0.4, column("notes", 2, { left: text, right: "𝒜".repeat(60) }));
    expect(said).not.toContain("\n");
    expect(said).toMatch(/^notes: "word word .{20,35}…" ≈ "𝒜{39}…" \(\+2\.0\) → 0\.40$/u);
  });

  it("shows the cells as the tables write them", async () => {
    const { left, right } = twoTables(120, 20);
    const { explain, matches } = await matchTables(left, right, { encoder: "none" });
    const pair = matches.find((match) => left.name[match.left] !== right.name[match.right])!;
    const said = pairSentence(explain(pair.left, pair.right), pair.probability);
    expect(said).toContain(`name: "${left.name[pair.left]}" ≈ "${right.name[pair.right]}" (+`);
    const turned = await matchTables(right, left, { encoder: "none" });
    expect(pairSentence(turned.explain(pair.right, pair.left), pair.probability)).toContain(
      `name: "${right.name[pair.right]}" ≈ "${left.name[pair.left]}" (+`,
    );
  });
});
