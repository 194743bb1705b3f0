/** Tables in which one column holds what several of the other hold. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { joinTables } from "../../src/join/join-tables.js";
import { matchTables } from "../../src/join/match-tables.js";

const folder = mkdtempSync(join(tmpdir(), "pearl-composed-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string): string => join(folder, name);
const file = (name: string, lines: readonly string[]): string => {
  writeFileSync(at(name), `${lines.join("\n")}\n`);
  return at(name);
};
const given = "Anna Bela Cleo Dora Emil Fritz Gina Hugo Ines Jan".split(" ");
const family = "Adler Bauer Conti Doyle Evans Fabri Gomez Hauser Ivanov Jansen Keller".split(" ");
const cities = "Oslo Riga Bern Lyon Turin Kiel Graz".split(" ");
const people = Array.from({ length: 110 }, (_, row) => ({
  first: given[row % 10],
  last: family[row % 11],
  city: cities[row % 7],
}));
const persons = file("persons.csv", [
  "first,last,city",
  ...people.map(({ first, last, city }) => `${first},${last},${city}`),
]);
const guests = file("guests.csv", [
  "guest,city",
  ...people
    .slice(0, 80)
    .map(({ first, last, city }, row) => `${last} ${row % 5 === 0 ? `${first[0]}.` : first},${city}`),
  ...people.slice(0, 20).map(({ city }, row) => `Zoltan Varga${row},${city}`),
]);
const run = (options: object = {}) =>
  joinTables(persons, guests, at("joined.csv"), { encoder: "none", ...options });

it("are joined by the columns as one, which a review and pairs for training then have", async () => {
  const report = await run({ reviewPath: at("review.csv"), explain: "column" });
  expect(report.columns.map(({ name, other }) => [name, other])).toContainEqual(["last + first", "guest"]);
  expect(report.dropped).toEqual([]);
  const [heading, ...rows] = readFileSync(at("joined.csv"), "utf8").trim().split("\n");
  expect(heading).toBe("left_first,left_last,left_city,right_guest,right_city,probability,why");
  const right = rows.filter((row) => {
    const [, last, , guest] = row.split(",");
    return guest.startsWith(`${last} `);
  });
  expect(right.length).toBeGreaterThanOrEqual(70);
  expect(rows.length - right.length).toBeLessThanOrEqual(2);
  const [columns, ...pairs] = readFileSync(at("review.csv"), "utf8").trim().split("\n");
  expect(columns).toMatch(
    /^decision,probability,joined,left_row,right_row,left_last,right_guest,left_city,right_city,left_first,why$/,
  );
  const answered = pairs.map((pair) => pair.replace(/^(.*,(yes|no),)/, "$2$1"));
  const decisionPaths = [file("answered.csv", [columns, ...answered])];
  const again = await run({ decisionPaths, pairsPath: at("pairs.csv") });
  expect(again.pairs?.pairs).toBeGreaterThan(5);
  expect(readFileSync(at("pairs.csv"), "utf8")).toMatch(/^Adler A\.,Adler Anna,/m);
});

it("may have a part whose kind is given", async () => {
  const report = await run({ kindOf: { first: "name" } });
  expect(report.columns.map(({ name }) => name)).toContain("last + first");
});

it("may be of coordinates, each of which has its own kind", async () => {
  const points = people.map(({ first, last }, row) => `${first} ${last},"5${row % 10}.1${row}, 13.${row}5"`);
  const places = (name: string): string => file(name, ["name,Location", ...points]);
  const kindsWith = async (kindOf: Readonly<Record<string, "code">>) => {
    const options = { encoder: "none", kindOf } as const;
    const { columns } = await joinTables(places("a.csv"), places("b.csv"), at("places.csv"), options);
    return Object.fromEntries(columns.map(({ name, kind }) => [name, kind]));
  };
  expect(await kindsWith({ "location latitude": "code" })).toMatchObject({
    "Location latitude": "code",
    "Location longitude": "number",
  });
  await expect(kindsWith({ "location altitude": "code" })).rejects.toThrow('mean "Location latitude"?');
});

it("are joined by what `on` names as one column", async () => {
  const report = await run({ on: ["First + last=guest"] });
  expect(report.columns).toMatchObject([{ name: "first + last", other: "guest" }]);
  await expect(run({ on: ["first + lost=guest"] })).rejects.toThrow('no column "lost"');
  const kinds = await run({ on: ["first + last=guest", "last=city"], kindOf: { "First + last": "code" } });
  expect(kinds.columns.slice(0, 2)).toMatchObject([
    { name: "first + last", other: "guest", kind: "code" },
    { name: "last", other: "city" },
  ]);
  const ignoring = run({ ignore: ["First + last", "guest"] });
  await expect(ignoring).rejects.toThrow('the column "city" was not named');
});

it("leave a part beside them that the other table has, too, which a review shows once", async () => {
  const lines = readFileSync(guests, "utf8").trim().split("\n").slice(1);
  const named = lines.map((line, row) => `${line},${people[row]?.last ?? "Varga"}`);
  const surnames = file("surnames.csv", ["guest,city,surname", ...named]);
  const options = { encoder: "none", reviewPath: at("surnames-review.csv") } as const;
  const { columns } = await joinTables(persons, surnames, at("surnames-joined.csv"), options);
  const pairs = columns.map(({ name, other }) => [name, other]);
  expect(pairs).toContainEqual(["last + first", "guest"]);
  expect(pairs).toContainEqual(["last", "surname"]);
  const [heading] = readFileSync(at("surnames-review.csv"), "utf8").split("\n");
  const cells = heading.split(",").slice(5, -1);
  expect(cells.toSorted()).toEqual([
    ...["left_city", "left_first", "left_last", "right_city", "right_guest", "right_surname"],
  ]);
});

it("are not those of one column whose header has a plus, in any letter case", async () => {
  const lines = readFileSync(persons, "utf8").trim().split("\n").slice(1);
  const plus = file("plus.csv", ["Given + Family,city", ...lines.map((line) => line.replace(",", " "))]);
  const report = await joinTables(plus, guests, at("plus-joined.csv"), {
    ...{ encoder: "none", on: ["given + family=guest"] },
  });
  expect(report.columns).toMatchObject([{ name: "Given + Family", other: "guest" }]);
});

it("have reasons in a library's result, with the tables in either order", async () => {
  const columns = (keys: readonly ("first" | "last" | "city")[]) =>
    Object.fromEntries(keys.map((key) => [key, people.map((one) => one[key])]));
  const whole = {
    guest: people.map(({ first, last }) => `${first} ${last}`),
    city: people.map(({ city }) => city),
  };
  const parts = columns(["first", "last", "city"]);
  for (const [left, right, name] of [
    [parts, whole, "first + last"],
    [whole, parts, "guest"],
  ] as const) {
    const found = await matchTables(left, right, { encoder: "none" });
    const [reason] = found.explain(3, 3).columns.filter((column) => column.name === name);
    expect(reason).toMatchObject({ left: "Dora Doyle", right: "Dora Doyle" });
  }
});
