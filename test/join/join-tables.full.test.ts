import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { UsageError } from "../../src/errors.js";
import { writeJoin } from "../../src/join/join-output.js";
import { type JoinTablesOptions, joinTables, openJoin } from "../../src/join/join-tables.js";
import { papers as names } from "./papers.js";

const folder = mkdtempSync(join(tmpdir(), "pearl-join-tables-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = (name: string, content: string | Buffer): string => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};
const read = (path: string): string => readFileSync(path, "utf8");

const left = file("left.csv", `id,name\n${names.map((name, row) => `${row + 1},${name}`).join("\n")}\n`);
const right = file(
  "right.tsv",
  "title\tnote\nwashington post\ta\nToyota Motors Corp.\tb\nKung Fu Panda\tc\nWinter Olympics 2002\td\nHenry 8th of England\te\n",
);
const on = ["name=title"];
const out = join(folder, "joined.csv");
const run = (options: JoinTablesOptions = {}, tables = [left, right]) =>
  joinTables(tables[0], tables[1], out, { encoder: "none", on, ...options });

describe("joinTables", () => {
  it("writes every column of both tables in the right table's order, with unmatched rows and reasons if asked", async () => {
    const report = await run({ unmatched: "keep", explain: "column" });
    expect(report).toMatchObject({ matches: 4, matchedRows: 4, leftRows: 22, rightRows: 5 });
    const [heading, ...rows] = read(out).trim().split("\n");
    expect(heading).toBe("left_id,left_name,right_title,right_note,probability,why");
    expect(rows.map((row) => row.split(",")[3])).toEqual(["a", "b", "c", "d", "e"]);
    expect(rows[0]).toMatch(/^3,The Washington Post,washington post,a,0\.\d{4},/);
    expect(rows[2]).toBe(",,Kung Fu Panda,c,,");
    expect(rows[3]).toMatch(/same words ""\w+"", ""\w+"", ""\w+""; numbers agree/);
  });

  it("writes the best matches of a refused promise, their explanations, and the likely rest apart", async () => {
    const { tables, joined } = await openJoin(left, right, { encoder: "none", on });
    const probabilities = joined.matches.map(({ probability }) => probability).sort();
    const narrower = { precision: 0.8, pairs: 2, leastProbability: probabilities.at(-2)! };
    const { findings } = joined;
    const refused = { ...findings, promise: { ...findings.promise, narrower } };
    const paths = { explainPath: join(folder, "why.jsonl"), likelyPath: join(folder, "likely.csv") };
    const report = await writeJoin(
      out,
      tables,
      { ...joined, findings: refused },
      { ...paths, unmatched: "keep", known: [] },
    );
    expect(report).toEqual({ matches: 2, likely: 2 });
    const probabilitiesOf = (path: string) =>
      [...read(path).matchAll(/,(0\.\d+|1\.0000)$/gm)].map(([, text]) => text).sort();
    const texts = probabilities.map((probability) => probability.toFixed(4));
    expect(probabilitiesOf(out)).toEqual(texts.slice(2));
    expect(probabilitiesOf(paths.likelyPath)).toEqual(texts.slice(0, 2));
    const explained = read(paths.explainPath).trim().split("\n");
    expect(explained.map((line) => JSON.parse(line).probability).sort()).toEqual(probabilities.slice(2));
  });

  it("applies the decisions of a review file, and writes confirmed pairs for training", async () => {
    const reviewPath = join(folder, "review.csv");
    const { reviewed, leastSure } = await run({ reviewPath });
    const [heading, ...rows] = read(reviewPath).trim().split("\n");
    expect(rows).toHaveLength(reviewed!);
    expect(heading).toMatch(/^decision,probability,joined,left_row,right_row,/);
    const doubts = rows.map((row) => Math.abs(Number(/^,([01]\.\d{4}),/.exec(row)![1]) - 0.5));
    const written = read(out).trim().split("\n").slice(1);
    const probabilities = written.map((row) => Number(row.split(",").at(-1))).sort();
    expect(leastSure.map(({ probability }) => Number(probability.toFixed(4)))).toEqual(
      probabilities.slice(0, 2),
    );
    for (const { left, right, why } of leastSure) {
      expect(written.some((row) => row.includes(left) && row.includes(right))).toBe(true);
      expect(why).toContain(`"${left}" ≈ "${right}"`);
    }
    // The promise is refused: pairs drawn at random lie between the doubtful ones.
    expect(doubts[0]).toBe(Math.min(...doubts));
    const answer = (row: string): string =>
      row.includes("washington post") ? "no" : row.includes("8th") ? "yes" : "";
    const decided = file("decided.csv", `${[heading, ...rows.map((row) => answer(row) + row)].join("\n")}\n`);
    const pairsPath = join(folder, "pairs.csv");
    const again = await run({ decisionPaths: [decided], pairsPath, reviewPath });
    expect(again.pairs).toEqual({ pairs: 1, withNegative: 1 });
    expect(again.labelEffect).toMatchObject({ decided: 1 });
    expect(read(out)).not.toContain("The Washington Post");
    expect(read(out)).toMatch(/Henry VIII of England,Henry 8th of England,e,1\.0000/);
    expect(read(reviewPath)).not.toContain("Henry 8th");
    expect(read(pairsPath)).toBe(
      "text,positive,negative\nHenry 8th of England,Henry VIII of England,Henry VII of England\n",
    );
  });

  it("writes nothing where the labels have no pairs to train on", async () => {
    const one = [file("one.csv", "name\nAcme Ltd\n"), file("two.csv", "name\nAcme Ltd\n")];
    const decisionPaths = [file("equal.csv", "left,right\nAcme Ltd,Acme Ltd\n")];
    const pairsPath = join(folder, "none.csv");
    rmSync(out, { force: true });
    await expect(run({ on: ["name"], decisionPaths, pairsPath }, one)).rejects.toThrow(
      /no pairs to write.*whose names differ/,
    );
    expect([out, pairsPath].filter((path) => existsSync(path))).toEqual([]);
  });

  it("reads tables of different formats and encodings", async () => {
    const marked = file("marked.csv", `\ufeffname\nZürich Versicherung\n${names.join("\n")}\n`);
    const lines = file("lines.jsonl", '{"title":"Zurich Versicherung"}\n');
    await run({}, [marked, lines]);
    expect(read(out)).toContain("Zürich Versicherung,Zurich Versicherung,");
    const latin = file("latin.csv", Buffer.from("name\nZürich\nSiemens AG\n", "latin1"));
    await run({}, [latin, lines]);
    expect(read(out)).toContain("Zürich,Zurich Versicherung,");
  });

  it("names a missing column and the table that lacks it", async () => {
    await expect(run({ on: ["name"] })).rejects.toThrow(/right\.tsv: no column "name".*title, note/);
    await expect(run({ on: [], ignore: ["city"] })).rejects.toThrow(
      /left\.csv and .*right\.tsv: no column "city".*title, note/,
    );
    await expect(run({ on: [], ignore: ["nots"] })).rejects.toThrow(/Did you mean "note"\?$/);
  });

  it("rejects the same file as both tables", async () => {
    await expect(run({}, [left, join(folder, ".", "left.csv")])).rejects.toThrow(UsageError);
  });

  it.each([[[]], [on]])("ends well where a table has no rows, compared by %j", async (on) => {
    const [none, noneLeft] = [file("none.csv", "title,note\n"), file("none-left.csv", "id,name\n")];
    const notes: string[] = [];
    const labels = file("labels.csv", "left,right\nSiemens AG,Siemens\n");
    const [reviewPath, pairsPath] = [join(folder, "no-review.csv"), join(folder, "no-pairs.csv")];
    const options = { on, decisionPaths: [labels], reviewPath, pairsPath, onNote: notes.push.bind(notes) };
    const report = await run(options, [left, none]);
    expect(report).toMatchObject({ matches: 0, rightRows: 0, reviewed: 0, promise: { established: true } });
    expect(notes.at(-1)).toBe(`${none}: the table has no rows, so there is nothing to compare`);
    expect(read(out)).toBe("left_id,left_name,right_title,right_note,probability\n");
    expect(read(pairsPath)).toBe("text,positive,negative\n");
    await run({ on, unmatched: "keep", explain: "column" }, [noneLeft, right]);
    expect(read(out).trim().split("\n")).toHaveLength(6);
    await expect(run({ on: ["nam=title"] }, [noneLeft, right])).rejects.toThrow('no column "nam"');
  });

  it("warns of duplicates, empty cells and a single row, but still joins", async () => {
    const dirty = file(
      "dirty.csv",
      `name,x\n${[...names, "siemens ag", ""].map((name) => `${name},1`).join("\n")}\n`,
    );
    const notes: string[] = [];
    const report = await run({ onNote: (note) => notes.push(note) }, [dirty, right]);
    expect(report.matches).toBeGreaterThan(0);
    expect(notes.join("\n")).toMatch(
      /warning: left table: 1 of 24 rows repeat the name=title of another row/,
    );
    expect(notes.join("\n")).toMatch(/name=title is empty in 1 of 24 rows/);
    const one = await run({}, [file("one.csv", "name,x\nThe Washington Post,1\n"), right]);
    expect(one.warnings.join()).toMatch(/1 row is too few/);
  });

  it("makes the folder of its output, and leaves no partial file if it cannot", async () => {
    const within = join(folder, "missing", "deep", "out.csv");
    await joinTables(left, right, within, { encoder: "none", on });
    expect(existsSync(within)).toBe(true);
    const nowhere = join(left, "out.csv");
    await expect(joinTables(left, right, nowhere, { encoder: "none", on })).rejects.toThrow(
      /left\.csv\/out\.csv: its folder is a file\. Choose another output name\.$/,
    );
    expect(readdirSync(folder).filter((name) => name.includes("partial"))).toEqual([]);
  });
});

describe("joinTables by all columns", () => {
  const people = [
    ["Anna Schmidt", "1980-03-12", "Berlin", "030 123456"],
    ["Bernd Müller", "1975-11-02", "Hamburg", "040 998877"],
    ["Clara Weber", "1990-07-21", "München", "089 445566"],
    ["David Fischer", "1968-01-30", "Köln", "0221 334455"],
    ["Eva Wagner", "1985-05-05", "Frankfurt", "069 112233"],
    ["Greta Hoffmann", "1993-12-24", "Leipzig", "0341 556677"],
    ["Ida Koch", "1988-02-29", "Hannover", "0511 223344"],
    ["Jan Bauer", "1971-10-10", "Bremen", "0421 889900"],
    ["Klara Richter", "1996-04-01", "Essen", "0201 445500"],
    ["Lars Klein", "1982-08-15", "Bonn", "0228 110022"],
  ];
  const customers = [
    ["Clara Weber", "21.07.1990", "Munich", "089/445566"],
    ["Schmidt, Anna", "12.03.1980", "Berlin", "+49 30 123456"],
    ["Otto Neumann", "11.11.1961", "Kiel", "0431 121212"],
    ["Mueller Bernd", "02.11.1975", "Hamburg", ""],
    ["Ewa Wagner", "05.05.1985", "Frankfurt a. M.", "069 112233"],
    ["Greta Hofmann", "24.12.1993", "Leipzig", "0341556677"],
    ["Lars Klein", "15.08.1982", "Bonn", "0228 110022"],
    ["Maria Lang", "09.09.1999", "Trier", "0651 565656"],
  ];
  const csv = (heading: string, rows: readonly (readonly string[])[]): string =>
    `${heading}\n${rows.map((row) => row.map((cell) => `"${cell}"`).join(",")).join("\n")}\n`;
  const tables = [
    file("people.csv", csv("person,born,city,phone", people)),
    file("customers.csv", csv("customer,birth date,town,tel", customers)),
  ];
  const partners = (): string[] =>
    read(out)
      .trim()
      .split("\n")
      .slice(1)
      .map((row) => /^"?([^",]+)/.exec(row)![1]);

  it("finds the columns of both tables that hold the same, whatever they are called", async () => {
    const report = await run({ on: [], explain: "column" }, tables);
    const compared = report.columns.filter(({ kind }) => kind !== undefined);
    expect(compared.map(({ name, other }) => [name, other])).toEqual([
      ["person", "customer"],
      ["born", "birth date"],
      ["city", "town"],
      ["phone", "tel"],
    ]);
    const found = [
      "Clara Weber",
      "Anna Schmidt",
      "Bernd Müller",
      "Eva Wagner",
      "Greta Hoffmann",
      "Lars Klein",
    ];
    expect(partners()).toEqual(found);
    expect(report).toMatchObject({ matches: 6, matchedRows: 6, kind: "one-to-one" });
    expect(read(out)).toMatch(
      /^left_person,left_born,left_city,left_phone,right_customer,.*,probability,why\n/,
    );
    expect(read(out)).toMatch(/city equal \(\+\d\.\d\).* → 1\.00/);
  });

  it("writes likely pairs where the promise is refused, and a promise again once they are confirmed", async () => {
    const reviewPath = join(folder, "people-review.csv");
    const refused = await run({ on: [], reviewPath }, tables);
    expect(refused.promise).toMatchObject({ target: 0.9, established: false });
    const decided = file(
      "people-decided.csv",
      read(reviewPath)
        .split("\n")
        .map((row) => (row.includes("Mueller") ? row.replace(/^,/, "no,") : row.replace(/^,/, "yes,")))
        .join("\n"),
    );
    const again = await run({ on: [], decisionPaths: [decided] }, tables);
    expect(again.promise).toMatchObject({
      established: true,
      reason: "known pairs are 100 % of the matches",
    });
    expect(partners()).not.toContain("Bernd Müller");
    expect(again.labelEffect).toMatchObject({ decided: 1 });
  });

  it("takes names in any case, numbers of columns, ignored columns and kinds", async () => {
    const on = ["PERSON=1", "4=Tel", "born=birth date"];
    const report = await run({ on, kindOf: { Born: "text" } }, tables);
    expect(report.columns.filter(({ kind }) => kind).map(({ name, kind }) => [name, kind])).toEqual([
      ["person", "name"],
      ["born", "text"],
      ["phone", "phone"],
    ]);
    // One column of text is scored as a phrase; codes have levels of agreement.
    expect((await run({ on: ["1=1"] }, tables)).columns).toMatchObject([{ name: "person", weights: [] }]);
    const [phone] = (await run({ on: ["phone=tel"] }, tables)).columns;
    expect(phone).toMatchObject({ name: "phone", kind: "phone" });
    expect(phone.weights.length).toBeGreaterThan(2);
    const less = await run({ on: [], ignore: ["TOWN", "born"] }, tables);
    expect(less.dropped).toContainEqual({ name: "town", reason: "ignored" });
    expect(less.dropped).toContainEqual({ name: "city", reason: "no counterpart" });
    await expect(run({ on: [], ignore: ["shoe"] }, tables)).rejects.toThrow(/no column "shoe"/);
  });

  it("gives one reason for each column that is left out, also where columns found no counterpart at first", async () => {
    const rows = Array.from({ length: 120 }, (_, row) => row);
    const born = (row: number): string => `${1930 + (row % 70)}-0${1 + (row % 9)}-${10 + ((row * 7) % 18)}`;
    const word = (letters: string, number: number): string =>
      [...String(10_000 + ((number * 7919) % 9973))].map((digit) => letters[Number(digit)]).join("");
    const make = (letters: string, [name, other, third]: string[]): string =>
      csv(
        `${name},born,${other},${third}`,
        rows.map((row) => [
          word(letters, row),
          born(row),
          word(letters, row % 50),
          word(letters, (row + 60) % 40),
        ]),
      );
    const first = file("cyrillic.csv", make("абвгдежзик", ["full", "town", "street"]));
    const second = file("latin.csv", make("lmnopqrstu", ["who", "place", "road"]));
    const { dropped, columns } = await run({ on: [] }, [first, second]);
    const reported = [...dropped, ...columns.filter(({ kind }) => kind)].map(({ name }) => name);
    expect(reported).toEqual([...new Set(reported)]);
    expect(dropped).toContainEqual({ name: "town", reason: "no counterpart" });
    expect(columns.map(({ name }) => name)).toContain("full");
  });

  it("takes a name that looks like a pair of names", async () => {
    const [a, b] = ["Acme", "Acme Inc"].map((name) => file(`${name}.csv`, csv("a=b,x", [[name, "1"]])));
    const report = await run({ on: ["a=b"] }, [a, b]);
    expect(report.columns).toMatchObject([{ name: "a=b", other: "a=b" }]);
  });

  it("stops where nothing can be compared, and says why", async () => {
    const numbers = file("numbers.csv", "a,b\n1,2024-01-01\n2,2024-01-02\n3,2024-02-03\n");
    await expect(run({ on: [] }, [tables[0], numbers])).rejects.toThrow(
      /no column can be compared.*row numbers/,
    );
  });
});
