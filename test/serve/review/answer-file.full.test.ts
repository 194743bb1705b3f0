/** Answers in a review file: on disk at once, and nothing else in it changed. */
import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { TableError } from "../../../src/errors.js";
import { acquireLock } from "../../../src/files/lock.js";
import { openAnswers } from "../../../src/serve/review/answer-file.js";
import { writeRows } from "../../../src/table/write/text-rows.js";
import { bucket, startObjectServer } from "../../files/object-storage/server.js";
import { noServer, startServer } from "../../stores/postgres/server.js";
import { reviewFolder } from "./review-folder.js";

it.each(["csv", "tsv", "jsonl", "parquet"])(
  "are in the file, which keeps everything else, as .%s",
  async (format) => {
    const { file, decisions } = await reviewFolder(format);
    const before = await readFile(file, "latin1");
    const answers = await openAnswers(file);
    expect(await answers.answer("2 2", "yes", "")).toBe("written");
    expect(await answers.answer("3 3", "?", "")).toBe("written");
    expect(await answers.answer("4 4", "no", "")).toBe("written");
    expect(await decisions()).toEqual([
      [2, true],
      [4, false],
    ]);
    for (const [id, answer] of [
      ["2 2", "yes"],
      ["3 3", "?"],
      ["4 4", "no"],
    ] as const)
      expect(await answers.answer(id, "", answer)).toBe("written");
    if (format !== "parquet") expect(await readFile(file, "latin1")).toBe(before);
  },
);

it.each(["csv", "tsv", "jsonl"])(
  "keep the byte order mark and the line ends of a spreadsheet in a .%s",
  async (format) => {
    const { file } = await reviewFolder(format);
    const plain = await readFile(file, "utf8");
    const saved = `\uFEFF${plain.replaceAll("\n", "\r\n")}`;
    await writeFile(file, saved);
    const answers = await openAnswers(file);
    await answers.answer("2 2", "yes", "");
    await answers.answer("3 3", "no", "");
    expect(await readFile(file, "utf8")).toMatch(/^\uFEFF.*yes.*\r\n$/s);
    await answers.answer("2 2", "", "yes");
    await answers.answer("3 3", "", "no");
    expect(await readFile(file, "utf8")).toBe(saved);
  },
);

it("show cells side by side that belong together, whatever their names", async () => {
  const { file } = await reviewFolder();
  const [first, second] = (await openAnswers(file)).pairs().values();
  expect(first).toEqual({
    ...{ id: "1 1", answer: "", why: "pair 0" },
    cells: [
      { name: "name = title", left: "IBM Corp", right: "I.B.M." },
      { name: "city", left: "Armonk", right: "Armonk" },
    ],
  });
  expect(second.cells[0].left).toContain("<script>");
});

it("keep what another program saved meanwhile, wherever it moved the rows", async () => {
  const { file, decisions } = await reviewFolder("jsonl");
  const answers = await openAnswers(file);
  const lines = (await readFile(file, "utf8")).trimEnd().split("\n");
  lines[0] = lines[0].replace('"decision":""', '"decision":"N","note":"asked Ann"');
  await writeFile(`${file}.new`, `${lines.reverse().join("\n")}\n`);
  await rename(`${file}.new`, file);
  expect(await answers.answer("1 1", "yes", "")).toBe("taken");
  expect(await answers.answer("2 2", "yes", "")).toBe("written");
  expect(await decisions()).toEqual([
    [2, true],
    [1, false],
  ]);
  expect(await readFile(file, "utf8")).toContain('"note":"asked Ann"');
});

const storage = await startObjectServer();
const database = noServer === undefined ? await startServer() : undefined;

/** A review in a file, an object or a table. */
const reviewIn = (place: string) =>
  reviewFolder(
    place,
    { s3: `${bucket}/${randomUUID()}.csv`, postgres: `${database?.address}&table=${randomUUID()}` }[place],
  );

it.each(["csv", "parquet", "s3"])(
  "are kept where two reviews of a .%s write at once, however often",
  async (place) => {
    const { file, decisions } = await reviewIn(place);
    const two = await openAnswers(file);
    const others = ["1 1", "3 3"];
    const one = await openAnswers(file, async (...given) => {
      const id = others.shift();
      if (id !== undefined) await two.answer(id, "yes", "");
      return writeRows(...given);
    });
    expect(await one.answer("2 2", "no", "")).toBe("written");
    expect(await one.answer("3 3", "no", "")).toBe("taken");
    expect(one.pairs().get("3 3")?.answer).toBe("yes");
    expect(await decisions()).toEqual([
      [1, true],
      [2, false],
      [3, true],
    ]);
  },
);

it.skipIf(database === undefined)("leave what others change in a table of PostgreSQL", async () => {
  const { file, decisions } = await reviewIn("postgres");
  const table = `"${file.split("table=")[1]}"`;
  await database!.sql(`ALTER TABLE ${table} ADD COLUMN note text; UPDATE ${table} SET decision = NULL`);
  const answers = await openAnswers(file);
  await database!.sql(`UPDATE ${table} SET decision = ' Y', note = 'asked Ann' WHERE left_row = 1`);
  expect(await answers.answer("2 2", "yes", "")).toBe("written");
  expect(await answers.answer("1 1", "no", "yes")).toBe("written");
  expect(new Map(await decisions())).toEqual(
    new Map([
      [1, false],
      [2, true],
    ]),
  ); // a changed row is not where it was
  expect(await database!.sql(`SELECT note FROM ${table} WHERE left_row = 1`)).toEqual([
    { note: "asked Ann" },
  ]);
});

it("are refused where a server would overwrite those of another review", async () => {
  const { file } = await reviewIn("s3");
  storage.heedsIfMatch = false;
  await expect(openAnswers(file)).rejects.toThrow(
    `${file}: the server overwrites what others write at the same time (it ignores If-Match). Copy the object`,
  );
  storage.heedsIfMatch = true;
  const probe = storage.requests.find((request) => request.startsWith(`PUT /${file.slice(5)}.`));
  expect(storage.requests.at(-1)).toBe(probe?.replace("PUT", "DELETE").replace("PutObject", "DeleteObject"));
});

it("are all kept where many come at once", async () => {
  const { file, decisions } = await reviewFolder();
  const answers = await openAnswers(file);
  const outcomes = ["1 1", "2 2", "3 3", "4 4", "1 1"].map((id) => answers.answer(id, "yes", ""));
  expect(await Promise.all(outcomes)).toEqual(["written", "written", "written", "written", "taken"]);
  expect(await decisions()).toHaveLength(4);
});

it.each(["csv", "s3", ...(database ? ["postgres"] : [])])(
  "are all kept where two servers write into one review: %s",
  async (place) => {
    const { file, folder, decisions } = await reviewIn(place);
    const ids = ["1 1", "2 2", "3 3", "4 4"];
    const servers = [await openAnswers(file), await openAnswers(file)];
    for (const answer of ["yes", "no", "yes"] as const) {
      const seen = await Promise.all(
        ids.map(async (id) => (await openAnswers(file)).pairs().get(id)!.answer),
      );
      const outcomes = ids.map((id, place) => servers[place % 2].answer(id, answer, seen[place]));
      expect(await Promise.all(outcomes)).toEqual(ids.map(() => "written"));
      const found = [...new Map(await decisions())].sort();
      expect(found).toEqual(ids.map((_, row) => [row + 1, answer === "yes"]));
    }
    expect(await readdir(folder)).not.toContain("review.csv.lock");
  },
);

it("wait for the server that is writing, whose lock ends with it", async () => {
  const { file } = await reviewFolder();
  const answers = await openAnswers(file);
  await mkdir(`${file}.lock`);
  const lock = await acquireLock(`${file}.lock`);
  const answered = answers.answer("1 1", "yes", "");
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect((await openAnswers(file)).pairs().get("1 1")?.answer).toBe("");
  await lock.release();
  expect(await answered).toBe("written");
});

it("count only once they are written", async () => {
  const { folder, file } = await reviewFolder();
  const answers = await openAnswers(file);
  await rm(folder, { recursive: true });
  await expect(answers.answer("1 1", "yes", "")).rejects.toThrow(TableError);
  expect(answers.pairs().get("1 1")?.answer).toBe("");
});

it("need a review", async () => {
  const { folder, file, write } = await reviewFolder();
  for (const other of ["-", `${folder}/review.txt`, `${file}.gz`])
    await expect(openAnswers(other)).rejects.toThrow(
      `${other}: the answers are written into the review. Name`,
    );
  await write("plain.csv", "name,city\nIBM,Armonk\n");
  await expect(openAnswers(`${folder}/plain.csv`)).rejects.toThrow(
    /plain\.csv: a review has the columns decision/,
  );
  await write("review.csv", (await readFile(file, "utf8")).replace("\n,", "\nperhaps,"));
  await expect(openAnswers(file)).rejects.toThrow('review.csv, row 1: "perhaps" is not a decision');
});
