import { describe, expect, it } from "vitest";
import { matchTables, type TableMatches } from "../../src/join/match-tables.js";
import { createRandom, shuffled } from "../../src/random.js";
import { personsAndVisits, type Table, twoTables } from "../match/people.js";

const common = 120;
const { left, right } = twoTables(common, 40);
const encoder = "none";

const pairsOf = ({ matches }: TableMatches): string[] =>
  matches.map(({ left: a, right: b }) => `${a} ${b}`).sort();

function judged({ matches }: TableMatches): { precision: number; recall: number } {
  const right = matches.filter(({ left: a, right: b }) => a === b && a < common).length;
  return { precision: right / matches.length, recall: right / common };
}

const mapped = (table: Table, change: (cells: string[]) => string[]): Table =>
  Object.fromEntries(Object.entries(table).map(([name, cells]) => [name, change(cells)]));

describe("two tables of persons", () => {
  it("match without labels, and the estimate is near the truth", async () => {
    const found = await matchTables(left, right, { encoder });
    const { precision, recall } = judged(found);
    expect(found.promise).toMatchObject({ target: 0.9, established: true });
    expect(found.kind).toBe("one-to-one");
    expect(precision).toBeGreaterThan(0.95);
    expect(recall).toBeGreaterThan(0.95);
    expect(Math.abs(found.estimate - precision)).toBeLessThan(0.05);
    expect(found.low).toBeLessThanOrEqual(found.estimate);
    expect(found.estimate).toBeLessThanOrEqual(found.high);
  });

  it("give a row that several others equal the one that is equal as it is written", async () => {
    const shouted = mapped(left, (cells) => cells.slice(0, 20).map((cell) => cell.toUpperCase()));
    const written = (name: string): string[] => [...shouted[name], ...left[name]];
    const more = Object.fromEntries(Object.keys(left).map((name) => [name, written(name)]));
    for (const kind of ["one-to-one", "many-to-one"] as const) {
      const { matches } = await matchTables(more, left, { encoder, kind });
      expect(matches.map((match) => [match.left - 20, match.right])).toEqual(
        left.name.map((_, row) => [row, row]),
      );
    }
  });

  it("may have a column whose header contains the sign of pairs, whichever table comes first", async () => {
    const [a, b] = [left, right].map(({ name, city }) => ({ "a=b": name, city }));
    for (const [one, other] of [
      [a, b],
      [b, a],
    ])
      expect((await matchTables(one, other, { encoder, on: ["a=b", "city"] })).columns[0].name).toBe("a=b");
  });

  it("refuse rows that they lack", async () => {
    const known = [{ left: 0, right: right.name.length, match: true }];
    const stages: string[] = [];
    const onProgress = (stage: string) => stages.push(stage);
    await expect(matchTables(left, right, { encoder, known, onProgress })).rejects.toThrow(
      "no pair of rows 0",
    );
    expect(stages).toEqual([]);
    const found = await matchTables(left, right, { encoder });
    expect(() => found.explain(left.name.length, 0)).toThrow(`no pair of rows ${left.name.length} and 0`);
  });

  it("give a row one partner at most, and a stricter promise no more pairs", async () => {
    const found = await matchTables(left, right, { encoder });
    expect(new Set(found.matches.map(({ left: row }) => row)).size).toBe(found.matches.length);
    expect(new Set(found.matches.map(({ right: row }) => row)).size).toBe(found.matches.length);
    expect(found.atPrecision(0.99).matches.length).toBeLessThanOrEqual(found.atPrecision(0.8).matches.length);
  });

  it("are explained column by column: contributions add up", async () => {
    const found = await matchTables(left, right, { encoder });
    const { prior, columns } = found.explain(3, 3);
    expect(columns.map(({ name }) => name)).toEqual([
      ...found.columns.map(({ name }) => name),
      "look-alikes",
    ]);
    const total = columns.reduce((sum, { logOdds }) => sum + logOdds, prior);
    expect(total).toBeGreaterThan(2);
    const other = found.explain(3, 4);
    expect(other.columns.reduce((sum, { logOdds }) => sum + logOdds, prior)).toBeLessThan(0);
    expect(columns.find(({ name }) => name === "name")?.left).toBe(left.name[3]);
  });

  it("without anything in common are refused", async () => {
    const strangers = twoTables(0, 100, 5);
    const found = await matchTables(strangers.left, strangers.right, { encoder });
    expect(found.promise.established).toBe(false);
    expect(found.promise.reason).not.toBe("");
  });

  it("without rows on one side are matched with nothing, for certain", async () => {
    const none = mapped(right, () => []);
    const found = await matchTables(left, none, { encoder, kind: "one-to-one" });
    expect(found).toMatchObject({ matches: [], kind: "one-to-one", promise: { established: true } });
    expect(found.atPrecision(0.7).promise.target).toBe(0.7);
    await expect(matchTables(left, none, { encoder, on: ["nam"] })).rejects.toThrow("no column nam");
  });

  it("learn from known pairs: what is known to differ is not matched", async () => {
    const known = [{ left: 0, right: 0, match: false }];
    const found = await matchTables(left, right, { encoder, known });
    expect(pairsOf(found)).not.toContain("0 0");
  });

  it("of too few pairs to estimate from are established by answers to a random sample", async () => {
    const { left, right } = twoTables(25, 10, 3);
    const refused = await matchTables(left, right, { encoder: "none" });
    expect(refused.promise).toMatchObject({ established: false, reason: expect.stringContaining("too few") });
    const known = refused.doubtful(70).map((pair) => ({ ...pair, match: pair.left === pair.right }));
    const answered = await refused.withKnown(known);
    expect(answered.promise).toMatchObject({
      established: true,
      reason: expect.stringContaining("at random"),
    });
    expect(answered.matches.every(({ left, right }) => left === right)).toBe(true);
  });
});

describe("a table of persons and one of their visits", () => {
  const { persons, visits, personOf } = personsAndVisits(200, 60, 30);
  const visitsOfPersons = personOf.filter((row) => row >= 0).length;

  it("match many to one: a person has several visits, a visit one person", async () => {
    const found = await matchTables(persons, visits, { encoder });
    expect(found.kind).toBe("many-to-one");
    expect(found.kindReason).toMatch(/^\d+ % of the left and 0 % of the right rows have several/);
    expect(new Set(found.matches.map(({ right: visit }) => visit)).size).toBe(found.matches.length);
    const good = found.matches.filter((match) => personOf[match.right] === match.left).length;
    expect(good).toBeGreaterThan(0.95 * found.matches.length);
    expect(good).toBeGreaterThan(0.95 * visitsOfPersons);
    expect(found.promise.established).toBe(true);
    expect(Math.abs(found.estimate - good / found.matches.length)).toBeLessThan(0.05);
  });

  it("match the same pairs with the tables exchanged", async () => {
    const given = await matchTables(persons, visits, { encoder });
    const found = await matchTables(visits, persons, { encoder });
    expect(found.kind).toBe("many-to-many");
    expect(found.kindReason).toMatch(/^0 % of the left and \d+ % of the right rows have several/);
    expect(found.matches.map((match) => `${match.right} ${match.left}`).sort()).toEqual(pairsOf(given));
  });

  it.each(["one-to-one", "many-to-one", "many-to-many"] as const)("match %s if asked to", async (kind) => {
    const found = await matchTables(persons, visits, { encoder, kind });
    expect(found).toMatchObject({ kind, kindReason: "as asked for" });
    const [ofPersons, ofVisits] = [
      new Set(found.matches.map((match) => match.left)).size,
      new Set(found.matches.map((match) => match.right)).size,
    ];
    if (kind === "one-to-one") expect(ofPersons).toBe(found.matches.length);
    else expect(ofPersons).toBeLessThan(found.matches.length);
    if (kind !== "many-to-many") expect(ofVisits).toBe(found.matches.length);
  });
});

describe("a long matching", () => {
  const stages = ["finding candidates", "comparing", "learning weights"];

  it("tells what it is at, and each stage to its end", async () => {
    const last = new Map<string, [number, number]>();
    await matchTables(left, right, {
      encoder,
      onProgress: (stage, done, total) => last.set(stage, [done, total]),
    });
    expect([...last.keys()]).toEqual(stages);
    for (const [done, total] of last.values()) expect(done).toBe(total);
  });

  it.each(stages)("stops with the reason of its signal while %s", async (stopped) => {
    const stop = new AbortController();
    const onProgress = (stage: string): void => {
      if (stage === stopped) stop.abort(new Error(`stopped at ${stage}`));
      else expect(stop.signal.aborted).toBe(false);
    };
    const matching = matchTables(left, right, { encoder, onProgress, signal: stop.signal });
    await expect(matching).rejects.toThrow(`stopped at ${stopped}`);
  });
});

/** Each matches the tables several times. */
describe("the same matches", { timeout: 300_000 }, () => {
  it("for every order of rows and columns", async () => {
    const random = createRandom(9);
    const [a, b] = [shuffled(left.name.length, random), shuffled(right.name.length, random)];
    const [turnedLeft, turnedRight] = [
      mapped(left, (cells) => Array.from(a, (row) => cells[row])),
      mapped(right, (cells) => Array.from(b, (row) => cells[row])),
    ];
    const backwards = Object.fromEntries(Object.entries(turnedLeft).reverse());
    const given = pairsOf(await matchTables(left, right, { encoder }));
    const found = await matchTables(backwards, turnedRight, { encoder });
    const back = found.matches.map((match) => `${a[match.left]} ${b[match.right]}`).sort();
    expect(back).toEqual(given);
  });

  it("with the tables exchanged", async () => {
    const given = pairsOf(await matchTables(left, right, { encoder }));
    const found = await matchTables(right, left, { encoder });
    expect(found.matches.map((match) => `${match.right} ${match.left}`).sort()).toEqual(given);
    expect(found.explain(3, 3).columns.find(({ name }) => name === "name")).toBeDefined();
  });

  it("with shuffled ids, an empty column and a repeated one", async () => {
    const given = pairsOf(await matchTables(left, right, { encoder }));
    const numbers = shuffled(left.name.length, createRandom(2));
    const withIds: Table = { id: Array.from(numbers, String), ...left };
    expect(pairsOf(await matchTables(withIds, right, { encoder }))).toEqual(given);
    const empty = left.name.map(() => "");
    expect(pairsOf(await matchTables({ ...left, empty }, { ...right, empty }, { encoder }))).toEqual(given);
    const repeated = await matchTables(
      { ...left, tel: left.phone },
      { ...right, tel: right.phone },
      { encoder },
    );
    expect(pairsOf(repeated)).toEqual(given);
  });

  it("with a column of noise in both tables, which is named, or in one", async () => {
    const given = await matchTables(left, right, { encoder });
    const random = createRandom(3);
    const noises: Record<string, () => string> = {
      codes: () => `k${Math.floor(random() * 1e6)}`,
      words: () =>
        Array.from({ length: 3 }, () => `x${Math.floor(10 + 26 * random()).toString(36)}`).join(" "),
      categories: () => ["red", "green", "blue"][Math.floor(3 * random())],
      numbers: () => (1000 * random()).toFixed(2),
    };
    for (const [name, noise] of Object.entries(noises)) {
      const added = { ...left, noise: left.name.map(noise) };
      const found = await matchTables(added, { ...right, noise: right.name.map(noise) }, { encoder });
      // Codes of the column remain among the codes anywhere, and pairs that its words found among the candidates: this moves
      // probabilities a little, and single pairs over the threshold.
      const [own, others] = [pairsOf(given), pairsOf(found)];
      const common = others.filter((pair) => own.includes(pair)).length;
      expect(common, name).toBeGreaterThanOrEqual(0.98 * Math.max(own.length, others.length));
      expect(found.dropped).toEqual([
        { name: "noise", reason: "agrees in matches as often as in any two rows" },
      ]);
      expect(found.atPrecision(0.8).dropped).toEqual(found.dropped);
      if (name === "codes")
        expect((await matchTables(added, right, { encoder })).matches).toEqual(given.matches);
    }
  });
});
