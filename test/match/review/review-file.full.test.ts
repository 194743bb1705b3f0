import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { TableError } from "../../../src/errors.js";
import {
  type ReviewPair,
  readDecisions,
  readKnown,
  refuseAnswered,
  writeReview,
} from "../../../src/match/review/review-file.js";

const left = {
  name: ["IBM Corp", 'Acme "Rockets"', "Acme; Ltd", "Zoë\nGmbH"],
  code: ["007", "0012", "3.50", ""],
  row: ["a", "b", "c", "d"],
};
const right = {
  title: ["International Business Machines", "Acme Rockets", "Acme Ltd"],
  code: ["7", "12", "3.5"],
  founded: ["1911-06-16", "2001-02-03", "1999-12-31"],
};
const tables = { left, right };
const pairs: ReviewPair[] = [
  { left: 0, right: 0, probability: 0.52, accepted: true, why: "initials" },
  { left: 1, right: 1, probability: 0.61, accepted: true, why: 'name: "Acme" ≈ "Acme"' },
  { left: 3, right: 2, probability: 0.2, accepted: false, why: "" },
];

let folder: string;
const path = (name: string): string => join(folder, name);
const write = (name: string, ...lines: readonly string[]): string => {
  writeFileSync(path(name), `${lines.join("\n")}\n`);
  return path(name);
};
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "review-"));
});

/** The review as rows of cells, as a spreadsheet program shows it: tabs as separators, a line a row. */
async function sheet(): Promise<string[][]> {
  await writeReview(path("review.tsv"), tables, pairs.slice(0, 2));
  return readFileSync(path("review.tsv"), "utf8")
    .trim()
    .split("\n")
    .map((line) => line.split("\t").map((cell) => cell.replace(/^"(.*)"$/, "$1").replaceAll('""', '"')));
}

/** Saves rows as a spreadsheet program does in much of Europe. */
const save = (rows: readonly string[][]): string => {
  const cellsOf = (cells: readonly string[]): string =>
    cells.map((cell) => (/[;"\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(";");
  writeFileSync(path("saved.csv"), `\ufeff${rows.map(cellsOf).join("\r\n")}\r\n`);
  return path("saved.csv");
};

const refused = (file: string, message: RegExp): Promise<void> =>
  expect(readDecisions(file, tables)).rejects.toThrow(message);

describe("a review file", () => {
  it("has the decision first, cells side by side and the reason last", async () => {
    expect(
      await writeReview(
        path("review.csv"),
        { left: { name: left.name }, right: { name: right.title } },
        pairs,
      ),
    ).toBe(3);
    const lines = readFileSync(path("review.csv"), "utf8").split("\n");
    expect(lines[0]).toBe("decision,probability,joined,left_row,right_row,left_name,right_name,why");
    expect(lines[1]).toBe(",0.5200,yes,1,1,IBM Corp,International Business Machines,initials");
  });

  it("shows columns that belong together first, then those of one name, then the others", async () => {
    await writeReview(path("review.csv"), { ...tables, columns: [["name", "title"]] }, pairs);
    const [heading] = readFileSync(path("review.csv"), "utf8").split("\n");
    expect(heading.split(",").slice(5)).toEqual([
      ...["left_name", "right_title", "left_code", "right_code"],
      ...["right_founded", "left_row (cell)", "why"],
    ]);
  });

  it.each(["csv", "tsv", "jsonl", "parquet"])("gives decisions back as .%s", async (format) => {
    const file = path(`review.${format}`);
    await writeReview(file, tables, pairs);
    await expect(readDecisions(file, tables)).rejects.toThrow("no row has a decision");
    if (format !== "jsonl") return;
    const lines = readFileSync(file, "utf8").replace('"decision":""', '"decision":"Yes"');
    writeFileSync(file, lines.replace('"decision":""', '"decision":"n"'));
    expect(await readDecisions(file, tables)).toEqual([
      { left: 0, right: 0, match: true },
      { left: 1, right: 1, match: false },
    ]);
  });

  it("leaves a pair open that was marked with a question mark", async () => {
    const [heading, first, second] = await sheet();
    const file = save([heading, first.with(0, "?"), second.with(0, "n"), first.with(0, "\u200b")]);
    expect(await readDecisions(file, tables)).toEqual([{ left: 1, right: 1, match: false }]);
  });

  it("is read with sorted rows, moved and added columns, semicolons and a byte order mark", async () => {
    const [heading, first, second] = await sheet();
    const turned = [
      [...heading].reverse(),
      [...first.with(0, " YES ")].reverse(),
      [...second.with(0, "0")].reverse(),
    ];
    const file = save(
      [turned[0], turned[2], turned[1]].map((cells, row) =>
        ["notes", "sure?", "ask Ann"].slice(row, row + 1).concat(cells),
      ),
    );
    expect(await readDecisions(file, tables)).toEqual([
      { left: 1, right: 1, match: false },
      { left: 0, right: 0, match: true },
    ]);
  });
});

describe("a review with answers", () => {
  it("is not written over; one without is, as is any other file", async () => {
    const file = path("kept.csv");
    await writeReview(file, tables, pairs);
    await refuseAnswered(file, undefined, path("absent.csv"), "-");
    writeFileSync(file, readFileSync(file, "utf8").replace(/^,/m, "yes,").replace(/^,/m, "no,"));
    await expect(refuseAnswered(file)).rejects.toThrow(
      /kept\.csv has [12] answers?\. Apply it \(--review\), and give the new review another name\./,
    );
    writeFileSync(path("notes.csv"), "decision,what\nyes,tea\n");
    await refuseAnswered(path("notes.csv"));
  });
});

describe("a review file of a changed table, or a damaged one, is refused", () => {
  const edited = async (
    change: (cells: string[], heading: readonly string[]) => string[],
  ): Promise<string> => {
    const [heading, first, second] = await sheet();
    return save([heading, change(first.with(0, "yes"), heading), second]);
  };
  const cell = (name: string, text: string) => (cells: string[], heading: readonly string[]) =>
    cells.with(heading.indexOf(name), text);

  it("where a row number now belongs to another row", async () => {
    const file = await edited(cell("left_row", "3"));
    await refused(
      file,
      /^saved\.csv, row 1: left_name is "IBM Corp", but row 3 of the left table has "Acme; Ltd"/,
    );
  });

  it("where a row was inserted above", async () => {
    const file = await edited((cells) => cells);
    const longer = {
      title: ["Newcomer", ...right.title],
      code: ["1", ...right.code],
      founded: ["", ...right.founded],
    };
    await expect(readDecisions(file, { left, right: longer })).rejects.toThrow(
      /right_title is "International Business Machines".*Use the table as it was/,
    );
  });

  it.each(["0", "5", "-1", "1.5", "", "one", "1,000", "1.000", "1e0"])(
    "where a row number is %j",
    async (number) => {
      await refused(
        await edited(cell("left_row", number)),
        /saved\.csv, row 1: left_row is ".*", expected .* 1 to 4/,
      );
    },
  );

  it.each(["maybe", "yes?", "2"])("where a decision is %j", async (decision) => {
    await refused(
      await edited(cell("decision", decision)),
      /row 1: ".*" is not a decision\. Write yes or no/,
    );
  });

  it("but not for numbers and dates as a spreadsheet program writes them", async () => {
    for (const [name, text] of [
      ["left_code", "7"],
      ["left_code", "7,00"],
      ["right_founded", "16.06.1911"],
      ["left_row", "1.0"],
      ["left_row", "1,00"],
    ])
      expect(await readDecisions(await edited(cell(name, text)), tables)).toHaveLength(1);
    await refused(await edited(cell("right_founded", "June 1911")), /right_founded is "June 1911"/);
  });

  it("where numbers are all it shows, and all differ", async () => {
    const numbers = { left: { code: left.code }, right: { founded: right.founded } };
    const lines = ["decision,left_row,right_row,left_code,right_founded", "no,1,1,8,1911-06-16"];
    await expect(readDecisions(write("codes.csv", ...lines), numbers)).rejects.toThrow('left_code is "8"');
  });

  it("where two of its rows contradict each other", async () => {
    const lines = ["decision,left_row,right_row", "yes,1,2", "no,2,2", "no,1,2"];
    await refused(write("twice.csv", ...lines), /twice\.csv: rows 1 and 3 judge the same pair/);
    expect(await readDecisions(write("twice.csv", ...lines.slice(0, 3), "y,1,2"), tables)).toHaveLength(2);
  });

  it("where another file contradicts it", async () => {
    const review = write("review.csv", "decision,left_row,right_row", "no,2,2", "yes,1,1");
    const labels = write("labels.csv", "left,right,match", "IBM Corp,International Business Machines,no");
    await expect(readKnown([labels, review], tables)).rejects.toThrow(
      "row 1 of labels.csv and row 2 of review.csv judge the same pair",
    );
    expect(await readKnown([review, review], tables)).toHaveLength(2);
  });

  it("where nobody has decided", async () => {
    await refused(
      save(await sheet()),
      /saved\.csv: no row has a decision\. Write yes or no beside some pairs/,
    );
    await expect(readDecisions(path("none.csv"), tables)).rejects.toThrow(TableError);
  });
});

describe("a review of one table", () => {
  const table = { left: { name: ["Ann", "Anne", "Ann"], city: ["Bern", "Bern", "Jena"] } };

  it("does not depend on which of the two rows comes first", async () => {
    const lines = ["decision,left_row,right_row,left_name,right_name", "yes,1,2,Ann,Anne", "no,2,1,Anne,Ann"];
    await expect(readDecisions(write("one.csv", ...lines), table)).rejects.toThrow(
      "rows 1 and 2 judge the same",
    );
    await expect(readDecisions(write("one.csv", lines[0], "yes,2,2,Anne,Anne"), table)).rejects.toThrow(
      "one.csv, row 1: left_row and right_row are the same row",
    );
  });

  it("takes texts for all rows that have them, which share the answer", async () => {
    const labels = write("labels.csv", "left,right,match", "Ann,Anne,1");
    expect(await readDecisions(labels, table)).toEqual([
      { left: 0, right: 1, match: true, share: 0.5 },
      { left: 2, right: 1, match: true, share: 0.5 },
    ]);
    const same = write("same.csv", "left,right,match", "Ann,Ann,1");
    expect(await readDecisions(same, table)).toEqual([{ left: 0, right: 2, match: true }]);
    const review = write("review.csv", "decision,left_row,right_row", "yes,2,1");
    expect(await readKnown([labels, review], table)).toEqual([
      { left: 1, right: 0, match: true },
      { left: 2, right: 1, match: true, share: 0.5 },
    ]);
  });
});

describe("a label file", () => {
  it("names pairs by texts of the columns that hold them", async () => {
    const labels = write(
      "labels.csv",
      "right,left,is_match",
      "Acme Ltd,Acme; Ltd,true",
      "Acme Ltd,IBM Corp,false",
    );
    expect(await readDecisions(labels, tables)).toEqual([
      { left: 2, right: 2, match: true },
      { left: 0, right: 2, match: false },
    ]);
  });

  it("without a column of decisions has matches only; other headers stand in their order", async () => {
    const labels = write("pairs.csv", "a,b", "IBM Corp,Acme Ltd");
    expect(await readDecisions(labels, tables)).toEqual([{ left: 0, right: 2, match: true }]);
  });

  it("is refused with a text that no row has, an empty cell, or a single column", async () => {
    await refused(
      write("labels.csv", "left,right", "IBM Corp,Acme Ltd", "IBM,Acme Ltd"),
      /labels\.csv, row 2: name of the left table has no cell "IBM"/,
    );
    await refused(write("labels.csv", "left,right", "IBM Corp,"), /row 1: left or right is empty/);
    await refused(write("labels.csv", "left", "IBM Corp"), /found one column/);
  });

  it("is refused where a text stands for too many pairs of rows", async () => {
    const many = { name: Array.from({ length: 101 }, () => "same") };
    const labels = write("labels.csv", "left,right", "same,same");
    await expect(readDecisions(labels, { left: many, right: many })).rejects.toThrow(/in 101 and 101 rows/);
  });
});
