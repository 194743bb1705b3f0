/** Households: people who share a street, a city and a phone, and differ in their names and birth dates. */
import { describe, expect, it } from "vitest";
import { groupRows } from "../../../src/group/group-rows.js";
import { matchTables } from "../../../src/join/match-tables.js";
import type { TableColumns } from "../../../src/match/columns/align.js";
import { relatedForReview } from "../../../src/match/review/related.js";
import { createRandom } from "../../../src/random.js";

const given = [
  "Anna",
  "Bruno",
  "Clara",
  "David",
  "Elif",
  "Farid",
  "Greta",
  "Hugo",
  "Ines",
  "Jonas",
  "Kira",
  "Liam",
];
const family = [
  "Berger",
  "Castro",
  "Dietz",
  "Egger",
  "Fischer",
  "Gruber",
  "Holm",
  "Ivanov",
  "Jensen",
  "Kowal",
];
const streets = ["Oak Street", "Mill Lane", "River Road", "Hill Avenue", "Lake View"];
const cities = ["Graz", "Linz", "Porto", "Ulm", "Varna", "Cork"];

/** Homes of two people each; every fifth first person has a second row, whose city is missing. */
function households() {
  const random = createRandom(3);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)];
  const digits = (count: number): string =>
    Array.from({ length: count }, () => Math.floor(10 * random())).join("");
  const rows: Record<"name" | "born" | "street" | "city" | "phone", string>[] = [];
  const [mates, copies] = [new Set<string>(), new Set<string>()];
  for (let home = 0; home < 120; home++) {
    const shared = {
      ...{ street: `${pick(streets)} ${1 + Math.floor(90 * random())}`, city: pick(cities) },
      phone: `0${digits(3)} ${digits(6)}`,
    };
    const person = () => ({
      ...{ name: `${pick(given)} ${pick(family)}` },
      ...{
        born: `19${10 + Math.floor(90 * random())}-0${1 + (home % 9)}-1${Math.floor(10 * random())}`,
        ...shared,
      },
    });
    const first = rows.push(person()) - 1;
    const second = rows.push(person()) - 1;
    mates.add(`${first} ${second}`);
    if (home % 5 > 0) continue;
    const copy = rows.push({ ...rows[first], city: "" }) - 1;
    copies.add(`${first} ${copy}`);
    mates.add(`${second} ${copy}`);
  }
  const columnOf = (name: keyof (typeof rows)[number]): string[] => rows.map((row) => row[name]);
  const columns: TableColumns = {
    ...{ name: columnOf("name"), born: columnOf("born"), street: columnOf("street") },
    ...{ city: columnOf("city"), phone: columnOf("phone") },
  };
  return { columns, mates, copies };
}

const keyOf = (...rows: number[]): string => rows.sort((a, b) => a - b).join(" ");

describe("related pairs", () => {
  it("are two people of one household, with what they share and what differs; no duplicates are among them", async () => {
    const { columns, mates, copies } = households();
    const { related } = await groupRows(columns, { encoder: "none" });
    const found = related(1000);
    const keys = found.map(({ left, right }) => keyOf(left, right));
    expect(keys.filter((key) => copies.has(key))).toEqual([]);
    expect(found.filter(({ shares }) => shares.length === 0)).toEqual([]);
    expect(keys.filter((key) => mates.has(key)).length / mates.size).toBeGreaterThan(0.9);
    const mate = found.find(({ left, right }) => mates.has(keyOf(left, right)))!;
    expect(mate.shares).toEqual(expect.arrayContaining(["street", "phone"]));
    expect(mate.differs).toEqual(expect.arrayContaining(["name"]));
    expect(relatedForReview(mate).why).toMatch(/^two things that share .*phone.*, and differ in .*name/);
    expect(related(3)).toEqual(found.slice(0, 3));
  });

  it("of two tables are named by the left one's headers, whichever is prepared first", async () => {
    const { columns, mates } = households();
    const firsts = [...mates].map((mate) => Number(mate.split(" ")[0]));
    const isLeft = columns.name.map((_, row) => firsts.includes(row));
    const rows = [true, false].map((side) => [...isLeft.keys()].filter((row) => isLeft[row] === side));
    const part = (side: number, renamed: (name: string) => string): TableColumns =>
      Object.fromEntries(
        Object.entries(columns).map(([name, cells]) => [renamed(name), rows[side].map((row) => cells[row])]),
      );
    const on = Object.keys(columns).map((name) => `${name}=${name} given`);
    const tables = [part(0, (name) => name), part(1, (name) => `${name} given`)] as const;
    const { related } = await matchTables(...tables, { encoder: "none", on });
    const found = related(1000);
    const isMate = found.filter(({ left, right }) => mates.has(keyOf(rows[0][left], rows[1][right])));
    expect(isMate.length).toBeGreaterThan(50);
    expect(new Set(found.flatMap(({ shares, differs }) => [...shares, ...differs]))).toEqual(
      new Set(Object.keys(columns)),
    );
  });
});
