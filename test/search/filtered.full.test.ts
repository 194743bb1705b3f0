/** A search with a condition finds the best of the rows that meet it, whatever finds the neighbours. */
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { Generation } from "../../src/search/store/generation.js";
import { VectorIndex } from "../../src/search/vector-index.js";
import { dotRows, unitRows } from "../../src/search/vectors.js";
import { newFolder } from "../setup/new-folder.js";
import { dimension, rowsOf } from "./sample-index.js";

const count = 20_000;
const { vectors } = rowsOf(count);
const cells = Array.from({ length: count }, (_, row) => [`name ${row}`, String(row % 100)]);
const layout = { dimension, columns: ["name", "part"], phraseColumn: "name" } as const;
const queries = rowsOf(20, 2).vectors;
const [units, asked] = [vectors, queries].map((rows) => unitRows(rows, dimension));

/** The numbers of the k best rows that meet a condition, computed here. */
const expected = (query: number, k: number, isMet: (row: number) => boolean): string[] =>
  Array.from({ length: count }, (_, row) => row)
    .filter(isMet)
    .map((row) => ({ row, score: dotRows(asked, query, units, row, dimension) }))
    .sort((a, b) => b.score - a.score)
    .slice(0, k)
    .map(({ row }) => String(row + 1));

describe.each(["exact", "hnsw"] as const)("an index searched by %s", (backend) => {
  it("gives no place to a row that does not meet the condition, few or many of which do", async () => {
    const index = await VectorIndex.build(join(newFolder(), "index"), [{ vectors, cells }], {
      ...layout,
      backend,
    });
    for (const [where, isMet] of [
      ["part < 3", (row: number) => row % 100 < 3],
      ["not (part < 40) and part != 99", (row: number) => row % 100 >= 40 && row % 100 !== 99],
    ] as const) {
      const found = await index.search(queries, { k: 10, where });
      let same = 0;
      for (const [query, hits] of found.entries()) {
        expect(hits).toHaveLength(10);
        expect(hits.every(({ key }) => isMet(Number(key) - 1))).toBe(true);
        const best = expected(query, 10, isMet);
        same += hits.filter(({ key }) => best.includes(key)).length;
      }
      expect(same / 200).toBeGreaterThan(backend === "exact" || where === "part < 3" ? 0.999 : 0.97);
    }
    const [rare] = await index.search(queries.slice(0, dimension), { k: 300, where: "part = 7" });
    expect(rare).toHaveLength(200);
    expect(await index.search(queries, { where: "part = 'none'" })).toEqual(
      Array.from({ length: 20 }, () => []),
    );
    await index.close();
  });

  it("finds by words only among the rows that meet the condition, also after rows change", async () => {
    const some = { vectors: vectors.slice(0, 1000 * dimension), cells: cells.slice(0, 1000) };
    const index = await VectorIndex.build(join(newFolder(), "index"), [some], { ...layout, backend });
    const [query] = [queries.slice(0, dimension)];
    const first = async (phrase: string, where: string) =>
      (await index.search(query, { k: 1, phrases: [phrase], where }))[0][0]?.cells.name;
    expect(await first("name 407", "part = 7")).toBe("name 407");
    expect(await first("name 407", "part != 7")).not.toBe("name 407");
    await index.add({ vectors: query, cells: [["Zwickau", "7"]] });
    expect(await first("zwickau", "part = 7")).toBe("Zwickau");
    expect(await first("zwickau", "part = 8")).not.toBe("Zwickau");
    await index.delete({ phrases: ["Zwickau"] });
    expect(await first("zwickau", "part = 7")).not.toBe("Zwickau");
    await index.close();
  });
});

it("reads the rows once for each of several conditions in turn, and no further once nobody waits", async () => {
  const index = await VectorIndex.build(join(newFolder(), "index"), [{ vectors, cells }], layout);
  let blocks = 0;
  const { entries } = Generation.prototype;
  const spied = vi.spyOn(Generation.prototype, "entries").mockImplementation(async function* (
    this: Generation,
    from,
  ) {
    for await (const some of entries.call(this, from)) {
      blocks++;
      yield some;
    }
  });
  const asked = new AbortController();
  const left = index.search(queries, { where: "part < 5", signal: asked.signal });
  asked.abort();
  await expect(left).rejects.toThrow("aborted");
  expect(blocks).toBeLessThan(2);
  const conditions = Array.from({ length: 12 }, (_, part) => `part = ${part}`);
  const [first, second] = conditions;
  const search = (where: string) => index.search(queries, { k: 1, where });
  for (const where of [first, second, first, second, first]) await search(where);
  expect(spied).toHaveBeenCalledTimes(3);
  for (const where of conditions.slice(2)) await search(where);
  spied.mockClear();
  await search(conditions[11]);
  expect(spied).not.toHaveBeenCalled();
  await search(first);
  expect(spied).toHaveBeenCalledOnce();
  await index.close();
});
