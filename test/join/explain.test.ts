/** Explanations: what the scorer was given, as data and as a sentence. */
import { describe, expect, it } from "vitest";
import { explanationLine, fuzzyJoin } from "../../src/index.js";

const left = [
  ...[
    "International Business Machines",
    "Hewlett-Packard Company",
    "Air Forces Museum",
    "Henry VIII of England",
  ],
  ...[
    "1998 Winter Olympics",
    "2002 Winter Olympics",
    "The Boston Globe",
    "Boston Herald",
    "Intl Court of Justice",
  ],
  ...["Toyota Motor Corporation", "Siemens AG", "World Health Organization", "Volkswagen Group"],
];
const right = [
  ...["IBM Corp", "Hewlet Packard Co", "airforces museum", "Henry 8th of England", "Winter Olympics 2002"],
  ...["Boston Globe", "International Court of Justice", "Siemens Widgets AG", "..."],
];
const { explain } = await fuzzyJoin(left, right, { encoder: "none" });
const pair = (a: string, b: string) => explain(left.indexOf(a), right.indexOf(b));
const line = (a: string, b: string): string => explanationLine(pair(a, b));

describe("an explanation", () => {
  it("is a sentence of what corresponds, how, and what is missing", () => {
    expect(line("International Business Machines", "IBM Corp")).toMatch(
      /^"International Business Machines" ≈ "IBM Corp": initials match \("IBM" for "International Business Machines"\); "Corp" (only right|ignored) \(legal form\)$/,
    );
    expect(line("Hewlett-Packard Company", "Hewlet Packard Co")).toContain(
      'same word "Packard"; "Hewlett" spelt like "Hewlet" (0.86); "Co" short for "Company"',
    );
    expect(line("Henry VIII of England", "Henry 8th of England")).toContain(
      '"VIII" and "8" are the same number; numbers agree',
    );
    expect(line("1998 Winter Olympics", "Winter Olympics 2002")).toMatch(
      /same words "\w+", "\w+"; numbers differ; "1998" only left.*; "2002" only right/,
    );
    expect(line("Intl Court of Justice", "International Court of Justice")).toContain(
      '"Intl" short for "International"',
    );
    expect(line("Siemens AG", "Siemens Widgets AG")).toContain('"Widgets" only right (rare)');
    expect(line("Air Forces Museum", "airforces museum")).toContain("equal except for case");
    expect(line("Siemens AG", "...")).toContain("not compared");
  });

  it("writes a word as the cell does, not as it is within another", async () => {
    const found = await fuzzyJoin(["Magna AG", "The Heron"], ["Magna", "Heron HE"], { encoder: "none" });
    expect(explanationLine(found.explain(0, 0))).toContain('"AG" only left');
    expect(explanationLine(found.explain(1, 1))).toContain('"HE" only right');
  });

  it("is data for programs: counterparts by kind, missing words by rarity and cost", () => {
    const column = pair("International Business Machines", "IBM Corp");
    expect(column).toMatchObject({
      words: [{ kind: "initials", left: "International Business Machines", right: "IBM", likeness: 0.9 }],
      onlyLeft: [],
      onlyRight: [{ word: "Corp", role: "legal form" }],
      numbers: "none",
    });
    expect(column.embedding).toBeUndefined();
    expect(JSON.parse(JSON.stringify(column))).toEqual(column);
    const differ = pair("1998 Winter Olympics", "Winter Olympics 2002");
    expect(differ.numbers).toBe("differ");
    const against = differ.features.filter(({ effect }) => effect < 0).map(({ feature }) => feature);
    expect(against.some((feature) => /numbers|years|Rarest|Covered|bothDiffer|words/.test(feature))).toBe(
      true,
    );
    const agree = pair("2002 Winter Olympics", "Winter Olympics 2002");
    expect(agree.score).toBeGreaterThan(differ.score);
  });

  it("calls a missing word ignored only if the score hardly depends on it", () => {
    for (const a of left)
      for (const b of right) {
        const { onlyLeft, onlyRight } = pair(a, b);
        const sentence = line(a, b);
        for (const { word, cost } of [...onlyLeft, ...onlyRight])
          if (sentence.includes(`"${word}" ignored`)) expect(Math.abs(cost)).toBeLessThan(0.4);
      }
  });

  it("says that long cells are equal only if they are to their ends", async () => {
    const long = "lorem ipsum ".repeat(100);
    const found = await fuzzyJoin([`${long} one`], [`${long} other`, `${long} One!`], { encoder: "none" });
    expect([found.explain(0, 0).isSame, found.explain(0, 1).isSame]).toEqual([false, true]);
  });

  it("explains words that hold the signs of regular expressions", async () => {
    const names = ["C++", "C#", "(R)evolution [1]", "a|b", "M*A*S*H?", "$100 ^ more"];
    const found = await fuzzyJoin(names, names.toReversed(), { encoder: "none" });
    for (const left of names.keys())
      for (const right of names.keys()) expect(explanationLine(found.explain(left, right))).not.toBe("");
    const last = names.length - 1;
    expect(explanationLine(found.explain(0, last))).toContain("C++");
  });
});
