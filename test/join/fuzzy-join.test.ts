import { describe, expect, it } from "vitest";
import { fuzzyJoin } from "../../src/join/fuzzy-join.js";
import type { JoinResult } from "../../src/join/options.js";

const papers = [
  "The New York Times",
  "Los Angeles Times",
  "The Washington Post",
  "Chicago Tribune",
  "The Boston Globe",
  "Boston Herald",
  "San Francisco Chronicle",
  "Toyota Motor Corporation",
  "Procter & Gamble",
  "Deutsche Bahn AG",
  "Siemens AG",
  "World Health Organization",
  "European Central Bank",
  "1998 Winter Olympics",
  "2002 Winter Olympics",
  "2006 Winter Olympics",
  "Henry VII of England",
  "Henry VIII of England",
  "St. Andrew's Church (Kowloon)",
  "Volkswagen Group",
  "Johns Hopkins University",
  "University of Chicago",
];
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
      expect(result.estimatedPrecision).toBeGreaterThanOrEqual(0.9);
      const rows = [...result.matches.map((match) => match.right), ...result.unmatched];
      expect([...rows].sort((a, b) => a - b)).toEqual([...right.keys()]);
    }
  });

  it("joins fewer rows at a higher precision, and none if it cannot reach the precision", async () => {
    const right = papers.map((name) => name.slice(0, Math.ceil(name.length * 0.6)));
    let before = Infinity;
    for (const precision of [0.5, 0.9, 0.97, 1]) {
      const { matches, estimatedPrecision } = await fuzzyJoin(papers, right, { encoder, precision });
      expect(matches.length).toBeLessThanOrEqual(before);
      expect(estimatedPrecision).toBeGreaterThanOrEqual(precision);
      before = matches.length;
    }
    expect(before).toBe(0);
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

  it("compares rows only within their block", async () => {
    const left = {
      name: ["Springfield Museum", "Springfield Museum", ...papers],
      state: ["IL", "MA", ...papers.map(() => "")],
    };
    const right = { title: ["Springfield museum", "Springfield museum"], region: ["ma", "OH"] };
    const result = await fuzzyJoin(left, right, {
      encoder,
      on: [{ left: "name", right: "title" }],
      block: { left: "state", right: "region" },
      precision: 0.5,
    });
    expect(result.matches).toMatchObject([{ left: 1, right: 0 }]);
  });

  it("uses a second column to decide between rows with equal first columns", async () => {
    const cities = ["Leeds", "York", "Bath", "Ripon", "Wells", "Ely"];
    const names = ["St Mary's Church", "All Saints Church", "Royal Oak Inn", "Railway Hotel"];
    const rows = cities.flatMap((city) => names.map((name) => ({ city, name })));
    const left = { name: rows.map(({ name }) => name), city: rows.map(({ city }) => city) };
    const right = { name: ["Saint Marys church", "The Railway Hotel"], city: ["Ripon", "bath"] };
    const { matches } = await fuzzyJoin(left, right, { encoder, on: ["name", "city"], precision: 0.5 });
    expect(matches.map((match) => rows[match.left])).toEqual([
      { name: "St Mary's Church", city: "Ripon" },
      { name: "Railway Hotel", city: "Bath" },
    ]);
  });

  it("always joins known matches, never known non-matches, and calibrates the rest", async () => {
    const right = ["Big Blue Paper", "Boston Globe", "Siemens", "Volkswagen"];
    const plain = await fuzzyJoin(papers, right, { encoder });
    expect(byTexts(plain, papers, right)).toMatchObject({ "Boston Globe": "The Boston Globe" });
    const labels = [
      { left: "The New York Times", right: "Big Blue Paper", match: true },
      { left: "The Boston Globe", right: "Boston Globe", match: false },
    ];
    const result = await fuzzyJoin(papers, right, { encoder, labels });
    const joined = byTexts(result, papers, right);
    expect(joined["Big Blue Paper"]).toBe("The New York Times");
    expect(result.matches.find((match) => match.right === 0)!.estimatedPrecision).toBe(1);
    expect(joined["Boston Globe"]).not.toBe("The Boston Globe");
    const estimateOf = (of: JoinResult): number =>
      of.proposals.find((match) => match.right === 3)!.estimatedPrecision;
    // A confident pair turned out wrong: the others are trusted less.
    expect(estimateOf(result)).toBeLessThan(estimateOf(plain));
  });

  it("says where the precision cannot be promised, and the best that can be", async () => {
    const right = papers.map((name) => name.slice(0, Math.ceil(name.length * 0.6)));
    const { matches, promise } = await fuzzyJoin(papers, right, { encoder, precision: 0.9999 });
    expect(matches).toEqual([]);
    expect(promise).toMatchObject({ asked: 0.9999, isKept: false });
    const again = await fuzzyJoin(papers, right, { encoder, precision: promise.best });
    expect(again.promise.isKept).toBe(true);
    expect(again.matches.length).toBeGreaterThan(0);
    // A pair that a person confirmed is matched, and promises nothing about the others.
    const labels = [{ left: "Siemens AG", right: "Siemen", match: true }];
    const known = await fuzzyJoin(papers, right, { encoder, precision: 0.9999, labels });
    expect(known.matches).toHaveLength(1);
    expect(known.promise.isKept).toBe(false);
    expect((await fuzzyJoin(papers, ["Kung Fu Panda"], { encoder })).promise.best).toBeLessThan(0.5);
  });
});

describe("warnings and errors", () => {
  it("warns of a left table with duplicates, of empty cells, of few rows and of equal tables", async () => {
    const repeated = await fuzzyJoin([...papers, "siemens ag", ""], ["Siemens", ""], { encoder });
    expect(repeated.warnings.join("\n")).toMatch(/1 of 24 rows repeat the phrase of another row/);
    expect(repeated.warnings.join("\n")).toMatch(/left table: phrase is empty in 1 of 24 rows/);
    expect(repeated.warnings.join("\n")).toMatch(/right table: phrase is empty in 1 of 2 rows/);
    const single = await fuzzyJoin(["Siemens AG"], ["Siemens A.G."], { encoder });
    expect(single.warnings.join("\n")).toMatch(/1 row is too few/);
    expect((await fuzzyJoin(papers, [...papers], { encoder })).warnings.join("\n")).toMatch(/matches itself/);
    expect((await fuzzyJoin(papers, ["Siemens"], { encoder })).warnings).toEqual([]);
  });

  it("rejects invalid tables and settings", async () => {
    const refused = (left: Parameters<typeof fuzzyJoin>[0], options: object) =>
      expect(fuzzyJoin(left, ["a"], { encoder, ...options })).rejects;
    await refused([], {}).toThrow("the left table has no rows");
    await refused({ name: ["a"] }, {}).toThrow("name the columns to compare");
    await refused(["a"], { on: ["title"] }).toThrow('no column "title", only phrase');
    await refused({ phrase: ["a", "b"], city: ["x"] }, { on: ["phrase"] }).toThrow("differ in length");
    await refused(["a"], { precision: 1.5 }).toThrow("precision must be between 0 and 1");
    await refused(["a"], { top: 9 }).toThrow("top must be");
    await refused(["a"], { on: [{ left: "phrase", weight: -1 }] }).toThrow(
      "weight of phrase must be above 0",
    );
    await refused(["a"], { labels: [{ left: "b", right: "a", match: true }] }).toThrow(
      'left table has no row "b"',
    );
    await refused(["a"], { signal: AbortSignal.abort() }).toHaveProperty("name", "AbortError");
  });
});
