/** Each command that has `--shard` writes one run's files and report when its parts are merged. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createRandom } from "../../../src/random.js";
import { folderWith, peopleTables, run, runShards, withoutTime } from "./whole-and-shards.js";

const random = createRandom(7);
const tables = peopleTables(400, random);
const { "left.csv": left, "right.csv": right } = tables;
const both = left + right.slice(right.indexOf("\n") + 1).replaceAll(/^\d/gm, "9");

/** Runs whole and in shards, and compares every file that either run wrote. */
async function claimEqual(count: number, words: readonly string[], output: string): Promise<void> {
  const cwd = folderWith({ ...tables, "both.csv": both });
  const given = new Set([...readdirSync(cwd), "parts"]);
  const written = () => {
    const files = readdirSync(cwd).filter((name) => !given.has(name));
    const contents = files.map((name): [string, unknown] => {
      const bytes = readFileSync(join(cwd, name));
      return [name, name === "report.json" ? withoutTime(bytes.toString()) : bytes.toString("latin1")];
    });
    for (const name of files) rmSync(join(cwd, name));
    return Object.fromEntries(contents);
  };
  const ends = ["-o", output, "--json", "report.json"];
  await run(cwd, ...words, ...ends);
  const whole = written();
  expect(Object.keys(whole).length).toBeGreaterThan(1);
  const parts = await runShards(cwd, count, words, count % 2 ? "two" : "one");
  expect(written()).toEqual({});
  await run(cwd, "merge", ...parts, ...ends);
  expect(written()).toEqual(whole);
}

describe("one run and merged shards are equal", () => {
  const join_ = ["join", "left.csv", "right.csv"];
  const cases: readonly (readonly [number, readonly string[], string])[] = [
    [3, [...join_, "--explain", "--review-out", "review.csv", "--explain-out", "why.jsonl"], "out.csv"],
    [4, [...join_, "--on", "name", "--kind", "one-to-one", "--keep-unmatched"], "out.jsonl"],
    [2, [...join_, "--model", "none", "--kind", "many-to-many", "--top", "3"], "out.parquet"],
    [5, [...join_, "--on", "name", "--on", "city", "--precision", "0.95"], "out.tsv"],
    [3, ["dedupe", "both.csv", "--explain"], "out.csv"],
    [4, ["dedupe", "both.csv", "-c", "name", "--review-out", "review.csv"], "out.csv"],
    [2, ["dedupe", "both.csv", "--on", "phone", "--no-removed"], "out.csv"],
  ];
  it.each(cases)("%i shards of %j", claimEqual);

  it("also with the decisions of a person", async () => {
    const cwd = folderWith(tables);
    await run(cwd, "join", "left.csv", "right.csv", "--review-out", "review.csv", "-o", "first.csv");
    const review = readFileSync(join(cwd, "review.csv"), "utf8");
    let line = 0;
    writeFileSync(
      join(cwd, "review.csv"),
      review.replaceAll(/^,/gm, () => (line++ % 3 === 0 ? "no," : "yes,")),
    );
    expect(line).toBeGreaterThan(10);
    const words = ["join", "left.csv", "right.csv", "--review", "review.csv", "--pairs-out", "pairs.csv"];
    await run(cwd, ...words, "-o", "whole.csv");
    await run(cwd, "merge", ...(await runShards(cwd, 3, words)), "-o", "merged.csv");
    expect(readFileSync(join(cwd, "merged.csv"), "utf8")).toBe(readFileSync(join(cwd, "whole.csv"), "utf8"));
  });
});

describe("stores and corpora", () => {
  it("link: the entities of a new store, and of one that learns again", async () => {
    const cwd = folderWith(tables);
    const runs = [
      { table: "left", more: [], passes: "one" },
      { table: "right", more: ["--relearn"], passes: "two" },
    ] as const;
    for (const { table, more, passes } of runs) {
      const link = (store: string) => ["link", `${table}.csv`, "--store", store, "--source", "s", ...more];
      await run(cwd, ...link("whole.pearl"), "-o", "whole.csv");
      await run(cwd, "merge", ...(await runShards(cwd, 3, link("merged.pearl"), passes)), "-o", "merged.csv");
      for (const store of ["whole", "merged"])
        await run(cwd, "link", "--store", `${store}.pearl`, "--export", `${store}.entities.csv`);
      for (const name of ["csv", "entities.csv"])
        expect(readFileSync(join(cwd, `merged.${name}`), "utf8")).toBe(
          readFileSync(join(cwd, `whole.${name}`), "utf8"),
        );
    }
  });

  it("corpus build, and mine in what it built", async () => {
    const text = readFileSync("data/articles.txt", "utf8");
    const cwd = folderWith({ "text.txt": text.repeat(3), ...tables });
    const build = ["corpus", "build", "text.txt", "--phrases", "names.csv", "--types", "types.tsv"];
    const names = [
      ...new Set(
        left
          .split("\n")
          .slice(1, -1)
          .map((line) => line.split(",")[1]),
      ),
    ];

    writeFileSync(join(cwd, "names.csv"), `phrase\n${names.join("\n")}\n`);
    writeFileSync(join(cwd, "types.tsv"), `phrase\ttype\n${names[0]}\tPERSON\n`);
    await run(cwd, ...build, "-o", "whole");
    await run(cwd, "merge", ...(await runShards(cwd, 2, build)), "-o", "merged");
    const filesOf = (folder: string) =>
      readdirSync(join(cwd, folder)).map((name) => [name, readFileSync(join(cwd, folder, name), "utf8")]);
    expect(filesOf("merged")).toEqual(filesOf("whole"));
    await run(cwd, "mine", "whole");
    const mined = filesOf("whole");
    expect(mined.length).toBeGreaterThan(filesOf("merged").length);
    await run(cwd, "merge", ...(await runShards(cwd, 3, ["mine", "merged"])));
    expect(filesOf("merged")).toEqual(mined);
  });
});
