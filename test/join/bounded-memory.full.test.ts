/** A join within a limit of memory writes what it writes without one: by all columns, and by one. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { ArgumentError, TableError } from "../../src/errors.js";
import { type JoinTablesOptions, joinTables } from "../../src/join/join-tables.js";
import { matchTables, type TableMatches } from "../../src/join/match-tables.js";
import { countedSpill } from "../match/counted-spill.js";
import { type Table, twoTables } from "../match/people.js";

const folder = mkdtempSync(join(tmpdir(), "pearl-join-bounded-"));
afterAll(() => rmSync(folder, { recursive: true }));
const spill = join(folder, "spill");
mkdirSync(spill);

/** All that is plain data, and what two functions give. */
const plain = (found: TableMatches): unknown =>
  JSON.parse(JSON.stringify({ ...found, doubtful: found.doubtful(20), explained: found.explain(0, 1) }));

it.each([
  [20, [8, 64]],
  [120, [100, 2000]],
])("%i persons of two tables, with room for %j pairs", async (persons, limits) => {
  const { left, right } = twoTables(persons, persons / 2, persons);
  const known = [{ left: 1, right: 2, match: true }];
  const whole = plain(await matchTables(left, right, { encoder: "none", known }));
  for (const most of limits) {
    const { spill: counted, spilled } = countedSpill(spill, most);
    const found = await matchTables(left, right, { encoder: "none", known, spill: counted });
    expect(spilled()).toBeGreaterThan(most);
    expect(plain(found)).toEqual(whole);
    expect(readdirSync(spill)).toEqual([]);
  }
});

describe("joinTables", () => {
  const { left, right } = twoTables(60, 30);
  const save = (name: string, table: Table): string => {
    const names = Object.keys(table);
    const lines = table[names[0]].map((_, row) => names.map((column) => table[column][row]).join());
    writeFileSync(join(folder, name), `${[names.join(), ...lines].join("\n")}\n`);
    return join(folder, name);
  };
  const [leftPath, rightPath] = [save("left.csv", left), save("right.csv", right)];
  const written = async (options: JoinTablesOptions): Promise<string> => {
    await joinTables(leftPath, rightPath, join(folder, "joined.csv"), {
      ...{ encoder: "none", unmatched: "keep", explain: "column", ...options },
    });
    return readFileSync(join(folder, "joined.csv"), "utf8");
  };

  it.each([[undefined], [["name"]]])("by %j writes the same bytes, and says what it needs", async (on) => {
    const notes: string[] = [];
    const memory = { bytes: 2 ** 31, folder: spill };
    const bounded = await written({ on, memory, onNote: (note) => notes.push(note) });
    expect(bounded).toBe(await written({ on }));
    expect(notes.find((note) => note.startsWith("memory: "))).toMatch(/at least \d+ of 2,?048 MB/);
    expect(readdirSync(spill)).toEqual([]);
  });

  it.each([[undefined], [["name"]]])("by %j refuses too little with the least, which will do", async (on) => {
    const refused = written({ on, memory: { bytes: 2 ** 20, folder: spill } });
    await expect(refused).rejects.toThrow(ArgumentError);
    const least = Number(/--memory (\d+)m$/.exec(String(await refused.catch(String)))?.[1]);
    expect(await written({ on, memory: { bytes: least * 2 ** 20, folder: spill } })).toBe(
      await written({ on }),
    );
  });

  it("refuses a folder that is missing before it reads", async () => {
    const wrong = joinTables(join(folder, "none.csv"), rightPath, join(folder, "x.csv"), {
      ...{ encoder: "none", memory: { bytes: 2 ** 32, folder: join(folder, "no") } },
    });
    await expect(wrong).rejects.toThrow(TableError);
    await expect(wrong).rejects.toThrow(/no: no such folder for temporary files. Create it, or name another/);
    expect(existsSync(join(folder, "x.csv"))).toBe(false);
  });
});
