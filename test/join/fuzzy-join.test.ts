import { describe, expect, it } from "vitest";
import { fuzzyJoin } from "../../src/join/fuzzy-join.js";
import type { JoinKind, JoinResult } from "../../src/join/options.js";
import type { KnownPair } from "../../src/match/compare-tables.js";
import { papers } from "./papers.js";

const encoder = "none" as const;
const byTexts = (result: JoinResult, left: readonly string[], right: readonly string[]) =>
  Object.fromEntries(result.matches.map((match) => [right[match.right], left[match.left]]));

describe("fuzzyJoin", () => {
  it.each(["many-to-one", "one-to-one"] as const)(
    "gives equal texts to each other first, %s",
    async (kind) => {
      const languages = [
        "C++",
        "C",
        "C#",
        "F#",
        "F",
        "Perl",
        "!!!",
        "€",
        "anna berg",
        "Anna Berg",
        "ANNA BERG",
      ];
      const backwards = languages.toReversed();
      const result = await fuzzyJoin(languages, backwards, { encoder, kind });
      expect(byTexts(result, languages, backwards)).toEqual(
        Object.fromEntries(languages.map((name) => [name, name])),
      );
    },
  );

  it("prefers a text that differs in case alone to one with another sign", async () => {
    const left = ["F", "F#", "f", "Perl"];
    const { matches } = await fuzzyJoin(left, ["f#", "PERL"], { encoder });
    expect(matches.map((match) => left[match.left])).toEqual(["F#", "Perl"]);
  });

  it("matches no names that say opposites", async () => {
    const left = ["Robert Downey Sr", "Maria Lopez", "Peter Quill", "Gymnasium Nord"];
    const right = ["Robert Downey, Junior", "Robert Downey II", "Gymnasium Süd", "Maria Lopez"];
    const result = await fuzzyJoin(left, right, { encoder });
    expect(byTexts(result, left, right)).toEqual({ "Maria Lopez": "Maria Lopez" });
  });

  it("uses no left row twice in a one-to-one join, and the better match wins", async () => {
    const right = ["Siemens", "Siemens A.G.", "Boston Globe", "Boston Globe newspaper"];
    const many = await fuzzyJoin(papers, right, { encoder, precision: 0.5 });
    expect(new Set(many.matches.map(({ left }) => left)).size).toBeLessThan(many.matches.length);
    const one = await fuzzyJoin(papers, right, { encoder, precision: 0.5, kind: "one-to-one" });
    expect(new Set(one.matches.map(({ left }) => left)).size).toBe(one.matches.length);
    expect(byTexts(one, papers, right)).toMatchObject({
      "Siemens A.G.": "Siemens AG",
      "Boston Globe": "The Boston Globe",
    });
  });

  it("returns every row of a repeated text in a many-to-many join, up to `top`", async () => {
    const left = [...papers, "Siemens AG", "siemens ag"];
    const options = { encoder, kind: "many-to-many", precision: 0.8 } as const;
    const { matches } = await fuzzyJoin(left, ["SIEMENS AG"], options);
    expect(matches.map((match) => left[match.left].toLowerCase())).toEqual(Array(3).fill("siemens ag"));
    expect((await fuzzyJoin(left, ["SIEMENS AG"], { ...options, top: 2 })).matches).toHaveLength(2);
  });

  it("takes no other candidate for certain where one match of a row is known", async () => {
    const right = ["Henry VIII of England", "Siemens", "Boston Globe"];
    const options = { encoder, kind: "many-to-many", precision: 0.5 } as const;
    const [seventh, eighth] = ["Henry VII of England", "Henry VIII of England"].map((name) =>
      papers.indexOf(name),
    );
    for (const left of [seventh, eighth]) {
      const { matches } = await fuzzyJoin(papers, right, {
        ...options,
        known: [{ left, right: 0, match: true }],
      });
      const certain = matches.filter(({ probability }) => probability === 1);
      expect(certain.map((match) => match.left)).toEqual([left]);
    }
  });

  it("always joins known matches, never known non-matches, and calibrates the rest", async () => {
    const right = ["Big Blue Paper", "Boston Globe", "Siemens", "Volkswagen"];
    const plain = await fuzzyJoin(papers, right, { encoder });
    expect(byTexts(plain, papers, right)).toMatchObject({ "Boston Globe": "The Boston Globe" });
    const known = [
      { left: papers.indexOf("The New York Times"), right: 0, match: true },
      { left: papers.indexOf("The Boston Globe"), right: 1, match: false },
    ];
    const result = await fuzzyJoin(papers, right, { encoder, known });
    const joined = byTexts(result, papers, right);
    expect(joined["Big Blue Paper"]).toBe("The New York Times");
    expect(result.matches.find((match) => match.right === 0)!.probability).toBe(1);
    expect(joined["Boston Globe"]).not.toBe("The Boston Globe");
    const estimateOf = (of: JoinResult): number =>
      of.proposals.find((match) => match.right === 3)!.probability;
    // A confident pair turned out wrong: the others are trusted less.
    expect(estimateOf(result)).toBeLessThan(estimateOf(plain));
    expect(
      result
        .doubtful(9)
        .map((pair) => pair.right)
        .sort(),
    ).toEqual([2, 3]);
    expect(await result.labelEffect()).toMatchObject({ decided: 2 });
  });

  it("applies a known pair to every row of the same texts", async () => {
    const right = ["Siemens", "Boston Globe", "Siemens"];
    const known = [{ left: papers.indexOf("Siemens AG"), right: 0, match: false }];
    const { matches } = await fuzzyJoin(papers, right, { encoder, known });
    expect(matches.map((match) => right[match.right])).toEqual(["Boston Globe"]);
  });

  it("applies answers that differ for equal texts to their own rows", async () => {
    const [left, right] = [
      ["Springfield", "Boston", "Springfield"],
      ["Springfield", "Springfield"],
    ];
    const pairsOf = async (known: KnownPair[], kind?: JoinKind) => {
      const { matches } = await fuzzyJoin(left, right, { encoder, known, kind });
      return matches.map((match) => `${match.left} ${match.right}`);
    };
    const confirmed = { left: 2, right: 0, match: true };
    expect(await pairsOf([confirmed, { left: 2, right: 1, match: false }])).toEqual(["2 0", "0 1"]);
    expect(await pairsOf([confirmed, { left: 0, right: 0, match: false }])).toContain("2 0");
    expect(await pairsOf([confirmed])).toContain("2 0");
    expect(await pairsOf([{ ...confirmed, right: 1 }], "one-to-one")).toContain("2 1");
  });
});

describe("the promise of a join by one column", () => {
  it("is refused for fewer than 30 pairs, and established again where known pairs are enough", async () => {
    const right = papers.map((name) => name.slice(0, Math.ceil(name.length * 0.8)));
    const { matches, promise } = await fuzzyJoin(papers, right, { encoder });
    expect(promise.established).toBe(false);
    expect(promise.reason).toMatch(/^only \d+ pairs are likely: too few to estimate from$/);
    expect(matches.every(({ probability }) => probability > 0.5)).toBe(true);
    const known = matches.slice(1).map((pair) => ({ ...pair, match: true }));
    const confirmed = await fuzzyJoin(papers, right, { encoder, known });
    expect(confirmed.promise).toMatchObject({
      established: true,
      reason: expect.stringMatching(/^known pairs are/),
    });
    const none = await fuzzyJoin(papers, ["Kung Fu Panda"], { encoder });
    expect(none).toMatchObject({ matches: [], promise: { established: false, reason: "no pair is likely" } });
  });
});

describe("warnings and errors", () => {
  it("warns of a left table with duplicates, of empty cells, of few rows and of equal tables", async () => {
    const repeated = await fuzzyJoin([...papers, "siemens ag", "", "\u200b "], ["Siemens", ""], { encoder });
    expect(repeated.warnings.join("\n")).toMatch(/1 of 25 rows repeat the phrase of another row/);
    expect(repeated.warnings.join("\n")).toMatch(/left table: phrase is empty in 2 of 25 rows/);
    expect(repeated.warnings.join("\n")).toMatch(/right table: phrase is empty in 1 of 2 rows/);
    const single = await fuzzyJoin(["Siemens AG"], ["Siemens A.G."], { encoder });
    expect(single.warnings.join("\n")).toMatch(/1 row is too few/);
    expect((await fuzzyJoin(papers, [...papers], { encoder })).warnings.join("\n")).toMatch(/matches itself/);
    expect((await fuzzyJoin(papers, ["Siemens"], { encoder })).warnings).toEqual([]);
  });

  it.each([
    [[], ["a", ""]],
    [["a"], []],
  ])("finds nothing, for certain, in %j and %j", async (left, right) => {
    const found = await fuzzyJoin(left, right, { encoder, precision: 0.8 });
    expect(found).toMatchObject({ matches: [], proposals: [], unmatched: [...right.keys()], estimate: 1 });
    expect(found.promise).toMatchObject({ target: 0.8, established: true });
    expect([...found.runnersUp]).toEqual(right.map(() => -1));
    expect(found.doubtful(9)).toEqual([]);
    const known = [{ left: 0, right: 0, match: true }];
    await expect(found.withKnown(known)).rejects.toThrow("there is no pair of rows 0 and 0");
  });

  it("explains no pair of rows that are not there", async () => {
    const { explain } = await fuzzyJoin(["Siemens AG"], ["Siemens A.G.", "Sony"], { encoder: "none" });
    for (const [left, right] of [
      [1, 0],
      [0, 2],
      [-1, 0],
      [0, 0.5],
    ] as const)
      expect(() => explain(left, right)).toThrow(`there is no pair of rows ${left} and ${right}`);
  });

  it("rejects invalid tables and settings", async () => {
    const refused = (left: readonly string[], options: object) =>
      expect(fuzzyJoin(left, ["a"], { encoder, ...options })).rejects;
    await refused(["a"], { precision: 1.5 }).toThrow("precision must be between 0 and 1");
    await refused(["a"], { top: 9 }).toThrow("top must be");
    await refused(["a"], { known: [{ left: 1, right: 0, match: true }] }).toThrow("no pair of rows 1 and 0");
    await refused(["a"], { signal: AbortSignal.abort() }).toHaveProperty("name", "AbortError");
  });
});
