/** The slow tests beside fuzzy-join.test.ts. */
import { describe, expect, it } from "vitest";
import { fuzzyJoin } from "../../src/join/fuzzy-join.js";
import type { JoinResult } from "../../src/join/options.js";
import type { KnownPair } from "../../src/match/compare-tables.js";
import { createRandom, shuffled } from "../../src/random.js";
import { papers } from "./papers.js";

const encoder = "none" as const;
const byTexts = (result: JoinResult, left: readonly string[], right: readonly string[]) =>
  Object.fromEntries(result.matches.map((match) => [right[match.right], left[match.left]]));

describe("fuzzyJoin", () => {
  it("joins rows that mean the same and no others, with the embedded model and without one", async () => {
    const right = [
      "NYTimes",
      "washington post",
      "Winter Olympics 2002",
      "Henry 8th of England",
      "St Andrew's Church, Kowloon",
      "Toyota Motors Corp.",
      "2010 Winter Olympics",
      "Kung Fu Panda",
      "",
    ];
    for (const model of [undefined, encoder]) {
      const result = await fuzzyJoin(papers, right, { encoder: model });
      const joined = byTexts(result, papers, right);
      expect(joined).toMatchObject({
        "washington post": "The Washington Post",
        "Winter Olympics 2002": "2002 Winter Olympics",
        "Henry 8th of England": "Henry VIII of England",
        "St Andrew's Church, Kowloon": "St. Andrew's Church (Kowloon)",
      });
      for (const stranger of ["2010 Winter Olympics", "Kung Fu Panda", ""])
        expect(joined[stranger]).toBeUndefined();
      expect(result.matches.every(({ probability }) => probability > 0.5 && probability <= 1)).toBe(true);
      const rows = [...result.matches.map((match) => match.right), ...result.unmatched];
      expect([...rows].sort((a, b) => a - b)).toEqual([...right.keys()]);
    }
  });

  it("joins fewer rows at a higher precision, and all likely ones, not verified, if it cannot reach it", async () => {
    const right = papers.map((name) => name.slice(0, Math.ceil(name.length * 0.6)));
    const counts: number[] = [];
    for (const precision of [0.5, 0.9, 0.97]) {
      const { matches } = await fuzzyJoin(papers, right, { encoder, precision });
      const mean = matches.reduce((sum, { probability }) => sum + probability, 0) / matches.length;
      expect(mean).toBeGreaterThanOrEqual(precision);
      counts.push(matches.length);
    }
    expect(counts).toEqual([...counts].sort((a, b) => b - a));
    const { matches, promise } = await fuzzyJoin(papers, right, { encoder, precision: 1 });
    expect(matches).toHaveLength(counts[0]);
    expect(promise).toMatchObject({ target: 1, established: false });
  });

  it("gives the same matches and estimates in every order of the rows", async () => {
    const right = papers.map((name) => name.slice(0, Math.ceil(name.length * 0.6)));
    const random = createRandom(3);
    const known = (left: readonly string[], side: readonly string[]): KnownPair[] => [
      { left: left.indexOf(papers[3]), right: side.indexOf(right[4]), match: false },
    ];
    const of = async (left: readonly string[], side: readonly string[]) => {
      const result = await fuzzyJoin(left, side, { precision: 0.97 });
      const judged = await result.withKnown(known(left, side));
      const texts = [result, judged].map(
        ({ matches, unmatched, runnersUp, estimate, low, high, doubtful }) => ({
          ...{ estimate, low, high },
          matches: matches
            .map((pair) => `${left[pair.left]} = ${side[pair.right]} ${pair.probability}`)
            .sort(),
          unmatched: unmatched.map((row) => side[row]).sort(),
          runnersUp: side.map((text, row) => `${text}: ${left[runnersUp[row]]}`).sort(),
          doubtful: doubtful(5).map((pair) => `${left[pair.left]} ? ${side[pair.right]}`),
        }),
      );
      expect(result.matches.map((pair) => pair.right)).toEqual(
        result.matches.map((pair) => pair.right).sort((a, b) => a - b),
      );
      return texts;
    };
    const inOrder = (texts: readonly string[]) =>
      Array.from(shuffled(texts.length, random), (row) => texts[row]);
    const given = await of(papers, right);
    for (let round = 0; round < 3; round++) expect(await of(inOrder(papers), inOrder(right))).toEqual(given);
  });
});

describe("the promise of a join by one column", () => {
  const random = createRandom(11);
  const syllables = "ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo zu bran clo dre fli gro".split(
    " ",
  );
  const word = (): string => Array.from({ length: 3 }, () => syllables[Math.floor(random() * 25)]).join("");
  const made = (count: number): string[] =>
    Array.from({ length: count }, () => `${word()} ${word()} ${word()}`);
  const left = made(300);
  const misspelled = (name: string): string => {
    const place = 1 + Math.floor(random() * (name.length - 2));
    return name.slice(0, place) + name.slice(place + 1);
  };

  it("is established where probabilities and decoys agree, and holds", async () => {
    const right = [...left.slice(0, 150).map(misspelled), ...made(100)];
    const { matches, promise, estimate, low, high } = await fuzzyJoin(left, right, { encoder });
    expect(promise).toMatchObject({ target: 0.9, established: true });
    expect(promise.reason).toContain("rows without their partner");
    const correct = matches.filter((match) => match.left === match.right).length;
    expect(correct / matches.length).toBeGreaterThanOrEqual(0.9);
    expect([low, estimate, high]).toEqual([low, estimate, high].sort((a, b) => a - b));
  });
});
