/** Where candidate pairs have no room in memory, rows and phrases are grouped as where they have. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PhraseEncoder } from "../../src/encoder/phrase-encoder.js";
import { ArgumentError, TableError } from "../../src/errors.js";
import { cluster } from "../../src/group/cluster.js";
import { groupRows, type RowGroups } from "../../src/group/group-rows.js";
import { clusterTable } from "../../src/group/tables/cluster-table.js";
import { dedupeTable } from "../../src/group/tables/dedupe-table.js";
import { countedSpill } from "../match/counted-spill.js";
import { tableWithDuplicates } from "../match/people.js";

const folder = mkdtempSync(join(tmpdir(), "pearl-spill-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** All that is plain data, and what two functions give. */
const plain = (found: RowGroups): unknown =>
  JSON.parse(JSON.stringify({ ...found, doubtful: found.doubtful(20), explained: found.explain(0, 1) }));

it.each([
  [12, [8, 64]],
  [60, [16, 300, 1500]],
  [150, [100, 2000]],
])("%i persons, with room for %j pairs", async (persons, limits) => {
  const { table } = tableWithDuplicates(persons, persons);
  const known = [
    { left: 1, right: 2, match: true },
    { left: 0, right: 5, match: false },
  ];
  const whole = plain(await groupRows(table, { encoder: "none", known }));
  for (const most of limits) {
    const { spill, spilled } = countedSpill(folder, most);
    const found = await groupRows(table, { encoder: "none", known, spill });
    expect(spilled()).toBeGreaterThan(most);
    expect(plain(found)).toEqual(whole);
    expect(readdirSync(folder).filter((name) => name.startsWith("pearl-"))).toEqual([]);
  }
});

describe("one column", () => {
  const { table } = tableWithDuplicates(100);
  let encoder: PhraseEncoder;
  beforeAll(async () => {
    encoder = await PhraseEncoder.load("pearl-strings", { threads: 1 });
  });
  afterAll(() => encoder.dispose());
  const spill = `${folder}/spill`;
  mkdirSync(spill);
  const path = `${folder}/names.csv`;
  const lines = table.name.map((_, row) => Object.values(table).map((cells) => `"${cells[row]}"`));
  writeFileSync(path, `${[Object.keys(table), ...lines].join("\n")}\n`);
  const memory = { bytes: 2 ** 31, folder: spill };

  it("is clustered as with room for all pairs", async () => {
    const whole = await cluster(table.name, { encoder, threshold: 0.7 });
    expect(whole.groups.length).toBeLessThan(table.name.length);
    for (const most of [64, 1000]) {
      const { spill, spilled } = countedSpill(folder, most);
      const found = await cluster(table.name, { encoder, threshold: 0.7, spill });
      expect(spilled()).toBeGreaterThan(most);
      expect(JSON.stringify({ ...found, doubtful: found.doubtful(20) })).toBe(
        JSON.stringify({ ...whole, doubtful: whole.doubtful(20) }),
      );
    }
  });

  it("of a file is clustered and deduplicated with the same bytes within a limit", async () => {
    const written = async (bounds: { readonly memory?: typeof memory }): Promise<string[]> => {
      const column = { table: { column: "name" }, encoder, ...bounds };
      await clusterTable(path, `${folder}/clusters.csv`, column);
      await clusterTable(path, `${folder}/topics.csv`, { ...column, k: 7 });
      const options = { ...column, likely: "remove", threshold: 0.7 } as const;
      const [kept, removed, golden] = ["kept", "removed", "golden"].map((name) => `${folder}/${name}.csv`);
      const goldenOrigins = `${folder}/origins.jsonl`;
      const survivors = { city: "union", phone: "source:name=Anna" } as const;
      await dedupeTable(path, { kept, removed, golden, goldenOrigins }, { ...options, survivors });
      return ["clusters.csv", "topics.csv", "kept.csv", "removed.csv", "golden.csv", "origins.jsonl"].map(
        (name) => readFileSync(`${folder}/${name}`, "utf8"),
      );
    };
    const whole = await written({});
    expect(whole[3].split("\n").length).toBeGreaterThan(10);
    expect(await written({ memory })).toEqual(whole);
    expect(readdirSync(spill)).toEqual([]);
  });

  it("is refused too little memory, with the least, and a folder that is missing", async () => {
    const table = { column: "name" };
    const run = (limit: typeof memory) => clusterTable(path, undefined, { table, encoder, memory: limit });
    const refused = run({ bytes: 2 ** 20, folder: spill });
    await expect(refused).rejects.toThrow(ArgumentError);
    await expect(refused).rejects.toThrow(/^\d+ different phrases need at least/);
    const least = Number(/--memory (\d+)m$/.exec(String(await refused.catch(String)))?.[1]);
    expect((await run({ bytes: least * 2 ** 20, folder: spill })).groups.length).toBeGreaterThan(1);
    const missing = run({ ...memory, folder: `${folder}/none` });
    await expect(missing).rejects.toThrow(TableError);
    await expect(missing).rejects.toThrow(/none: no such folder for temporary files/);
  });
});
