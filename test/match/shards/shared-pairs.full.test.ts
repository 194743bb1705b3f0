/** Tables that are compared and grouped in shards have the result of one run. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PhraseEncoder } from "../../../src/encoder/phrase-encoder.js";
import type { Sharing } from "../../../src/files/shards/shard.js";
import { cluster } from "../../../src/group/cluster.js";
import { groupRows } from "../../../src/group/group-rows.js";
import { fuzzyJoin } from "../../../src/join/fuzzy-join.js";
import { matchTables } from "../../../src/join/match-tables.js";
import { prepareTables } from "../../../src/match/columns/fields.js";
import { compareTables } from "../../../src/match/compare-tables.js";
import { createRandom } from "../../../src/random.js";
import { mergedRun } from "../../files/shards/merged.js";

/** Two tables of made-up people, the second misspelt in part. */
function people(rows: number, seed: number) {
  const random = createRandom(seed);
  const one = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)];
  const first = ["anna", "peter", "maria", "john", "olga", "kofi", "chen", "ivan", "lucia", "omar"];
  const last = ["schmidt", "vogel", "müller", "smith", "petrov", "mensah", "wei", "garcia", "haddad"];
  const cities = ["Berlin", "Paris", "Rome", "Oslo", "Accra", "Delhi"];
  const left = { name: [] as string[], city: [] as string[], phone: [] as string[] };
  const right = structuredClone(left);
  for (let row = 0; row < rows; row++) {
    const name = `${one(first)} ${one(last)} ${one(last)}`;
    const [city, phone] = [one(cities), String(100_000 + Math.floor(random() * 899_999))];
    left.name.push(name);
    left.city.push(city);
    left.phone.push(phone);
    if (random() < 0.3) continue;
    const at = Math.floor(random() * (name.length - 1));
    right.name.push(random() < 0.5 ? name : name.slice(0, at) + name.slice(at + 1));
    right.city.push(random() < 0.8 ? city : "");
    right.phone.push(random() < 0.8 ? phone : "");
  }
  return { left, right };
}

/** What is plain data in a result: functions cannot be compared. */
const plain = (result: object): unknown => JSON.parse(JSON.stringify(result));

const { left, right } = people(110, 3);
const both = { name: [...left.name, ...right.name], city: [...left.city, ...right.city] };

describe("pairs of rows that shards compare", () => {
  it.each([1, 5])("are those of one run, with their levels: %i shards", async (count) => {
    for (const tables of [prepareTables(left, right), prepareTables(both, undefined)]) {
      const whole = await compareTables(tables);
      expect(whole.left.length).toBeGreaterThan(300);
      for (const passes of ["one", "two"] as const) {
        const merged = await mergedRun(count, (sharing) => compareTables(tables, { sharing }), passes);
        for (const name of ["left", "right", "classOf", "levels", "random"] as const)
          expect(merged[name]).toEqual(whole[name]);
      }
    }
  });

  it("are none where no shard found one", async () => {
    const tables = prepareTables({ name: ["Trieste", "Oslo"], city: ["a", "b"] }, undefined);
    const whole = await compareTables(tables);
    const merged = await mergedRun(3, (sharing) => compareTables(tables, { sharing }));
    expect(whole.left.length).toBe(0);
    expect([merged.right, merged.levels]).toEqual([whole.right, whole.levels]);
  });
});

describe("what is learned and decided from them", () => {
  let embedded: PhraseEncoder;
  beforeAll(async () => {
    embedded = await PhraseEncoder.load();
  });
  afterAll(() => embedded.dispose());

  it.each(["embedded", "none"] as const)("is that of one run, with the encoder %s", async (name) => {
    const encoder = name === "none" ? name : embedded;
    for (const kind of [undefined, "many-to-many"] as const) {
      const join = (sharing?: Sharing) => matchTables(left, right, { encoder, kind, sharing });
      const [whole, merged] = [await join(), await mergedRun(4, join, kind ? "one" : "two")];
      expect(whole.matches.length).toBeGreaterThan(20);
      expect(plain(merged)).toEqual(plain(whole));
      expect(merged.doubtful(20)).toEqual(whole.doubtful(20));
    }
    const whole = await groupRows(both, { encoder });
    const merged = await mergedRun(3, (sharing) => groupRows(both, { encoder, sharing }), "two");
    expect(merged.groupOf).toEqual(whole.groupOf);
    expect(plain(merged)).toEqual(plain(whole));
  });

  it("embeds nothing after a first pass", async () => {
    const encoder = await PhraseEncoder.load("pearl-strings");
    let encoded = 0;
    const counting = new Proxy(encoder, {
      get: (target, name) => {
        const value = Reflect.get(target, name, target);
        if (typeof value !== "function") return value;
        if (name === "encodeMatrix" || name === "encodeWithTypes") encoded++;
        return value.bind(target);
      },
    });
    const works: readonly ((sharing: Sharing) => Promise<unknown>)[] = [
      (sharing: Sharing) => fuzzyJoin(left.name, right.name, { encoder: counting, sharing }),
      (sharing: Sharing) => matchTables(left, right, { encoder: counting, sharing }),
    ];
    for (const work of works) {
      encoded = 0;
      await mergedRun(3, work, "two");
      const once = encoded;
      await mergedRun(3, work, "one");
      expect(once).toBeGreaterThan(0);
      expect(encoded - once).toBe(4 * once);
    }
    await encoder.dispose();
  });

  it("is that of one run where a column turns out to say nothing", async () => {
    const random = createRandom(9);
    const noise = (rows: number) =>
      Array.from({ length: rows }, () => `${"abcdefgh"[Math.floor(random() * 8)]}x`);
    const [a, b] = [
      { ...left, noise: noise(left.name.length) },
      { ...right, noise: noise(right.name.length) },
    ];
    const whole = await matchTables(a, b, { encoder: "none" });
    for (const passes of ["one", "two"] as const) {
      const join = (sharing: Sharing) => matchTables(a, b, { encoder: "none", sharing });
      expect(plain(await mergedRun(3, join, passes))).toEqual(plain(whole));
    }
  });

  it("is that of one run where one column is compared", async () => {
    for (const kind of ["many-to-one", "one-to-one"] as const) {
      const options = { encoder: embedded, kind, known: [{ left: 0, right: 5, match: false }] };
      const whole = await fuzzyJoin(left.name, right.name, options);
      const join = (sharing: Sharing) => fuzzyJoin(left.name, right.name, { ...options, sharing });
      const merged = await mergedRun(6, join, kind === "one-to-one" ? "one" : "two");
      expect(whole.matches.length).toBeGreaterThan(20);
      expect(plain(merged)).toEqual(plain(whole));
    }
    const whole = await cluster(both.name, { encoder: embedded });
    const inShards = (sharing: Sharing) => cluster(both.name, { encoder: embedded, sharing });
    for (const passes of ["one", "two"] as const)
      expect(plain(await mergedRun(7, inShards, passes))).toEqual(plain(whole));
  });
});
