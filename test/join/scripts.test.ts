/** Tables whose names are written in different scripts. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { duplicatesByColumn, duplicatesByPlan } from "../../src/group/roads.js";
import { fuzzyJoin } from "../../src/join/fuzzy-join.js";
import { joinTables } from "../../src/join/join-tables.js";
import { matchTables } from "../../src/join/match-tables.js";
import { planColumns } from "../../src/match/columns/fields.js";
import { newFolder } from "../setup/new-folder.js";

/** Cities as GNOME's list of weather stations has them, in English and in Russian. */
const cities = [
  ...[
    ["Novosibirsk", "Новосибирск"],
    ["Irkutsk", "Иркутск"],
    ["Murmansk", "Мурманск"],
  ],
  ...[
    ["Vladivostok", "Владивосток"],
    ["Saransk", "Саранск"],
    ["Rostov-on-Don", "Ростов-на-Дону"],
  ],
  ...[
    ["Khabarovsk", "Хабаровск"],
    ["Volgograd", "Волгоград"],
    ["Samara", "Самара"],
  ],
  ...[
    ["Barcelona", "Барселона"],
    ["Sabadell", "Сабадел"],
    ["Magdeburg", "Магдебург"],
  ],
  ...[
    ["Lisbon", "Лиссабон"],
    ["Ankara", "Анкара"],
    ["Tirana", "Тирана"],
  ],
];
const [english, russian] = [0, 1].map((side) => cities.map((city) => city[side]));

it("are joined by one column", async () => {
  const { matches, explain } = await fuzzyJoin(english, russian, { encoder: "none" });
  const right = matches.filter((match) => match.left === match.right);
  expect(right.length).toBeGreaterThanOrEqual(12);
  expect(matches.length - right.length).toBeLessThanOrEqual(1);
  expect(explain(0, 0)).toMatchObject({ right: "Novosibirsk" });
});

it("are joined by several columns", async () => {
  const years = cities.map((_, row) => String(1900 + row));
  const { matches } = await matchTables({ name: english, year: years }, { имя: russian, год: years });
  expect(matches.length).toBeGreaterThanOrEqual(12);
  expect(matches.every(({ left, right }) => left === right)).toBe(true);
});

it("are written as they were, and a note says how they were compared", async () => {
  const folder = newFolder();
  const file = (name: string, cells: readonly string[]): string => {
    writeFileSync(join(folder, name), ["name", ...cells, ""].join("\n"));
    return join(folder, name);
  };
  const notes: string[] = [];
  const output = join(folder, "joined.csv");
  await joinTables(file("english.csv", english), file("russian.csv", russian), output, {
    encoder: "none",
    onNote: (note) => notes.push(note),
  });
  expect(readFileSync(output, "utf8")).toContain("\nIrkutsk,Иркутск,");
  expect(notes).toContain('names in different scripts are compared in Latin letters: "Иркутск" as "Irkutsk"');
});

it("are not noted of coordinates, which are compared in another notation", async () => {
  const folder = newFolder();
  const file = (name: string, points: (row: number) => string): string => {
    const rows = english.map((city, row) => `${city},"${points(row)}"`);
    writeFileSync(join(folder, name), ["name,location", ...rows, ""].join("\n"));
    return join(folder, name);
  };
  const notes: string[] = [];
  await joinTables(
    file("left.csv", (row) => `5${row % 10}.25, 13.${row}5`),
    file("right.csv", (row) => `5${row % 10}.25 N; 13.${row}5 E`),
    join(folder, "joined.csv"),
    { encoder: "none", on: ["name + location"], onNote: (note) => notes.push(note) },
  );
  expect(notes.filter((note) => note.includes("Latin letters"))).toEqual([]);
});

it.each([
  ["one column", (_: number) => ({})],
  ["two columns", (row: number) => ({ year: String(1900 + row) })],
])("are duplicates within one table, by %s", async (_, more) => {
  const rows = [0, 1].flatMap((side) => cities.map((city, row) => ({ name: city[side], ...more(row) })));
  const names = Object.keys(rows[0]) as (keyof (typeof rows)[0])[];
  const columns = Object.fromEntries(names.map((name) => [name, rows.map((row) => row[name])]));
  const notes: string[] = [];
  const run = { known: [], encoder: "none", onNote: (note: string) => notes.push(note) } as const;
  const { report } = await duplicatesByPlan(columns, planColumns(columns, undefined, {}), run);
  expect(notes).toEqual([expect.stringContaining("are compared in Latin letters")]);
  const pairs = report.groups.map(({ kept, others }) => [kept, ...others.map(({ row }) => row)]);
  const right = pairs.filter(([first, second]) => second === first + cities.length);
  expect(right.length).toBeGreaterThanOrEqual(11);
  expect(pairs.length - right.length).toBeLessThanOrEqual(1);
});

it("are not contradicted by other columns in different scripts, where one column is compared", async () => {
  const name = cities.flat();
  const columns = { name, region: name.toReversed(), street: name };
  const run = { known: [], encoder: "none" } as const;
  const { report } = await duplicatesByColumn(columns, "name", run);
  expect(report.estimate).toBeGreaterThan(0.8);
});

it("keep their dates: Japanese ones equal those of an English table", async () => {
  const days = cities.map((_, row) => [`2001-0${(row % 9) + 1}-1${row % 7}`, row] as const);
  const signed = days.map(([day]) => day.replace(/^(\d+)-0(\d)-(\d+)$/, "$1年$2月$3日"));
  const names = cities.map((_, row) => "東西南北京山川田中大小上下春秋"[row].repeat(2));
  const left = { name: english, born: days.map(([day]) => day), code: english.map((_, row) => `A${row}7`) };
  const right = { name: names, born: signed, code: left.code };
  const { columns } = await matchTables(left, right, { encoder: "none" });
  expect(columns.map((column) => column.name)).toContain("born");
});
