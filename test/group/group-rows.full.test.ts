import { describe, expect, it } from "vitest";
import { groupRows, type RowGroups } from "../../src/group/group-rows.js";
import { createRandom, shuffled } from "../../src/random.js";
import { tableWithDuplicates } from "../match/people.js";

const { table, entities } = tableWithDuplicates(120);
const encoder = "none";

/** Pairs of rows with the same label. */
function pairsOf(labels: ArrayLike<number>): Set<string> {
  const pairs = new Set<string>();
  for (let a = 0; a < labels.length; a++)
    for (let b = a + 1; b < labels.length; b++) if (labels[a] === labels[b]) pairs.add(`${a} ${b}`);
  return pairs;
}

function judged({ groupOf }: RowGroups) {
  const [found, truth] = [pairsOf(groupOf), pairsOf(entities)];
  const right = [...found].filter((pair) => truth.has(pair)).length;
  return { precision: right / Math.max(1, found.size), recall: right / truth.size };
}

describe("a table of a few rows", () => {
  const names = ["Ann Scott", "Bert Jones", "Carla Maier", "Dora Quist", "Emil Wolf"];
  const row = (at: number): string[] => [names[at], ["Rome", "Oslo"][at % 2], `195${at}-03-1${at}`];
  const groups = async (rows: readonly string[][]): Promise<number> => {
    const columns = ["name", "city", "born"].map((name, at) => [name, rows.map((cells) => cells[at])]);
    return new Set((await groupRows(Object.fromEntries(columns), { encoder })).groupOf).size;
  };

  it("has the duplicate found that one of many has, and brothers kept apart", async () => {
    for (const count of [1, 2, 5]) {
      const rows = Array.from({ length: count }, (_, at) => row(at));
      expect(await groups([...rows, row(0)])).toBe(count);
      expect(await groups([...rows, ["Anton Scott", "Rome", "1961-08-25"]])).toBe(count + 1);
    }
  });
});

describe("names that are written differently", () => {
  const persons = tableWithDuplicates(60).table;
  const families = Array.from({ length: 10 }, (_, family) => family);
  const added = (rows: readonly Record<string, string>[]) =>
    Object.fromEntries(
      Object.entries(persons).map(([name, cells]) => [name, [...cells, ...rows.map((row) => row[name])]]),
    );
  const first = persons.name.length;

  it("are a father and a son where they say so, though all else but the birth date agrees", async () => {
    const rows = families.flatMap((family) =>
      ["Jr", "Sr"].map((suffix) => ({
        name: `Kurt Fin${"abcdefghij"[family]} ${suffix}`,
        city: "Halle",
        born: `${suffix === "Jr" ? 1946 : 1918}-0${1 + (family % 9)}-11`,
        phone: `0326 90152${family}`,
      })),
    );
    const { groupOf } = await groupRows(added(rows), { encoder });
    for (const family of families)
      expect(groupOf[first + 2 * family]).not.toBe(groupOf[first + 2 * family + 1]);
  });

  it("are one firm where they differ in the spelling of the legal form, and nothing contradicts that", async () => {
    const forms = [
      ["Ltd", "Limited"],
      ["Inc.", "Incorporated"],
      ["Corp", "Corporation"],
      ["AG", "Aktiengesellschaft"],
    ];
    const firms = Array.from({ length: 60 }, (_, firm) => `${persons.name[firm].split(" ")[0]}${firm % 7}`);
    const rows = firms.flatMap((firm, place) =>
      forms[place % forms.length].map((form) => ({
        name: `${firm.replace(/\d/, "son")} Motors ${form}`,
        city: ["Ulm", "Bonn", "Kiel"][place % 3],
        phone: `0${300 + place} 9${place}152${place}`,
      })),
    );
    const table = Object.fromEntries(
      ["name", "city", "phone"].map((name) => [name, rows.map((row) => row[name as keyof (typeof rows)[0]])]),
    );
    const { groupOf, promise } = await groupRows(table, { encoder });
    expect(promise.established).toBe(true);
    for (let row = 0; row < rows.length; row += 2) expect(groupOf[row]).toBe(groupOf[row + 1]);
  });
});

describe("a table of persons with one to three rows each", { timeout: 300_000 }, () => {
  it("is grouped without labels, and the estimate is near the truth", async () => {
    const found = await groupRows(table, { encoder });
    const { precision, recall } = judged(found);
    expect(found.promise.established).toBe(true);
    expect(precision).toBeGreaterThan(0.95);
    expect(recall).toBeGreaterThan(0.95);
    expect(Math.abs(found.estimate - precision)).toBeLessThan(0.05);
  });

  it("has groups numbered by their first row", async () => {
    const { groupOf } = await groupRows(table, { encoder });
    let next = 0;
    for (const group of groupOf) {
      expect(group).toBeLessThanOrEqual(next);
      if (group === next) next++;
    }
  });

  it("is grouped the same in another order of rows and columns", async () => {
    const order = shuffled(entities.length, createRandom(7));
    const turned = Object.fromEntries(
      Object.entries(table)
        .reverse()
        .map(([name, cells]) => [name, Array.from(order, (row) => cells[row])]),
    );
    const [given, found] = [await groupRows(table, { encoder }), await groupRows(turned, { encoder })];
    const back = new Int32Array(order.length);
    order.forEach((row, place) => {
      back[row] = found.groupOf[place];
    });
    expect(pairsOf(back)).toEqual(pairsOf(given.groupOf));
  });

  it("is grouped the same with shuffled ids, with an empty, a repeated and a random column", async () => {
    const random = createRandom(3);
    const cells = (cell: () => string): string[] => table.name.map(cell);
    const given = await groupRows(table, { encoder });
    const ids = Array.from(shuffled(entities.length, random), String);
    const same = { ...table, id: ids, empty: cells(() => ""), tel: table.phone };
    expect((await groupRows(same, { encoder })).groupOf).toEqual(given.groupOf);
    for (const noise of [() => `k${Math.floor(random() * 1e6)}`, () => "abc"[Math.floor(3 * random())]]) {
      const found = await groupRows({ ...table, noise: cells(noise) }, { encoder });
      expect(found.groupOf).toEqual(given.groupOf);
      expect(found.dropped.map(({ name }) => name)).toEqual(["noise"]);
    }
  });

  it("separates rows that are known to differ, and explains pairs", async () => {
    const [a, b] = [1, 2].map((copy) => entities.lastIndexOf(2) - 2 + copy);
    const found = await groupRows(table, { encoder });
    expect(found.groupOf[a]).toBe(found.groupOf[b]);
    const { prior, columns } = found.explain(a, b);
    expect(columns.reduce((sum, { logOdds }) => sum + logOdds, prior)).toBeGreaterThan(0);
    const noRow = entities.length;
    for (const ask of [found.explain, found.probabilityOf])
      expect(() => ask(a, noRow)).toThrow(`there is no pair of rows ${a} and ${noRow}`);
    const known = [{ left: b, right: a, match: false }];
    const told = await groupRows(table, { encoder, known });
    expect(told.groupOf[a]).not.toBe(told.groupOf[b]);
  });
});

describe("answers", { timeout: 300_000 }, () => {
  it("count for rows that no search brought together, as in a new grouping", async () => {
    const { groupOf, withKnown } = await groupRows(table, { encoder });
    // Person i has i % 3 + 1 rows: these are of persons far apart, of which nothing agrees.
    const known = [
      { left: entities.length - 1, right: 0, match: true },
      { left: 1, right: entities.length - 1, match: false },
    ];
    expect(groupOf[0]).not.toBe(groupOf[entities.length - 1]);
    const after = await withKnown(known);
    expect(after.groupOf[0]).toBe(after.groupOf[entities.length - 1]);
    const again = await groupRows(table, { encoder, known });
    expect(again.groupOf).toEqual(after.groupOf);
    expect(again.estimate).toBe(after.estimate);
    expect(again.doubtful(20)).toEqual(after.doubtful(20));
  });

  it("that reject a pair, once a sample decides, leave each other row with the one that it equals", async () => {
    const few = tableWithDuplicates(18);
    const trios = few.entities.flatMap((entity, row) => (few.entities[row + 2] === entity ? [row] : []));
    // The second and the third row of each lack the same letter.
    for (const row of trios)
      for (const [name, cells] of Object.entries(few.table))
        cells.fill(name === "name" ? cells[row].slice(0, -1) : cells[row], row + 1, row + 3);
    const found = await groupRows(few.table, { encoder, precision: 0.5 });
    expect(found.promise.established).toBe(false);
    let sampled = 0;
    for (const first of trios) {
      const known = [...pairsOf(few.entities)].flatMap((pair) => {
        const [left, right] = pair.split(" ").map(Number);
        const isOpen = right === first + 2 && left >= first;
        return isOpen ? [] : [{ left, right, match: left !== first || right !== first + 1 }];
      });
      const { promise, groupOf } = await found.withKnown(known);
      if (!promise.established) continue;
      sampled++;
      expect(groupOf[first + 2]).toBe(groupOf[first + 1]);
      expect(groupOf[first]).not.toBe(groupOf[first + 1]);
    }
    expect(sampled).toBeGreaterThan(1);
  });
});

describe("a long grouping", () => {
  it("tells what it is at, and each stage to its end", async () => {
    const last = new Map<string, [number, number]>();
    await groupRows(table, { encoder, onProgress: (stage, done, total) => last.set(stage, [done, total]) });
    expect([...last.keys()]).toEqual(["finding candidates", "comparing", "learning weights", "grouping"]);
    for (const [done, total] of last.values()) expect(done).toBe(total);
  });

  it("stops with the reason of its signal while grouping", async () => {
    const stop = new AbortController();
    const onProgress = (stage: string): void => {
      if (stage === "grouping") stop.abort(new Error("enough"));
    };
    await expect(groupRows(table, { encoder, onProgress, signal: stop.signal })).rejects.toThrow("enough");
  });
});

describe("promises about groups", () => {
  it("are kept by a table without rows", async () => {
    const found = await groupRows({ a: [], b: [] }, { encoder });
    expect(found.groupOf).toHaveLength(0);
    expect(found.promise).toMatchObject({ established: true, reason: "there are no rows to compare" });
    expect(await found.labelEffect()).toMatchObject({ decided: 0 });
  });

  it("are refused where no rows are the same", async () => {
    const random = createRandom(1);
    const text = (): string =>
      Array.from({ length: 3 }, () => Math.floor(random() * 1e6).toString(36)).join(" ");
    const rows = Array.from({ length: 150 }, () => [text(), text()]);
    const found = await groupRows({ a: rows.map(([a]) => a), b: rows.map(([, b]) => b) }, { encoder });
    expect(found.promise.established).toBe(false);
  });
});

it("groups companies in Japanese by name and address, however form, prefecture and block are written", async () => {
  const [first, second] = [[..."山田佐藤鈴木高橋中村"], [..."電機食品印刷建設運輸"]];
  const company = (thing: number): string =>
    [first[thing % 10], first[(thing * 7 + 3) % 10], second[thing % 5], second[5 + ((thing * 3) % 5)]].join(
      "",
    ) + first[Math.floor(thing / 10) % 10];
  const street = (thing: number): string =>
    `${first[(thing * 3) % 10]}${second[(thing * 7) % 10]}市${first[Math.floor(thing / 7) % 10]}町`;
  const rows = Array.from({ length: 180 }, (_, row) => ({ thing: row % 120, isSecond: row >= 120 }));
  const { groupOf } = await groupRows(
    {
      会社名: rows.map(({ thing, isSecond }) =>
        isSecond ? `${company(thing)}㈱` : `株式会社${company(thing)}`,
      ),
      住所: rows.map(({ thing, isSecond }) => `${isSecond ? "" : "東京都"}${street(thing)}${thing}番`),
    },
    { encoder },
  );
  const found = rows.filter(({ thing, isSecond }, row) => isSecond && groupOf[row] === groupOf[thing]);
  expect(found.length).toBeGreaterThan(54);
  expect(new Set(groupOf).size).toBeGreaterThan(114);
});
