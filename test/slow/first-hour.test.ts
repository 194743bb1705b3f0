/**
 * The first hour of a new user, from the packed tarball in an empty folder and home without a network: what commands
 * print, their exit codes, and which files they leave. docs.test.ts runs every command of README and docs in this way.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { awkwardTables, names, parquetTypes, semicolons } from "./awkward-tables.js";
import { installTarball, type Project } from "./installed.js";

let project: Project;
beforeAll(async () => {
  project = (await installTarball())();
});

/** Runs lines that must succeed and leave exactly the files `made`. @returns what a person reads, both streams */
async function done(lines: string, made: readonly string[] = []): Promise<string> {
  const step = await project.shell(lines);
  expect(step, `${lines}\n${step.stderr}`).toMatchObject({ code: 0, made: [...made].sort() });
  return step.stdout + step.stderr;
}

/** Runs a command that must fail with this code and leave nothing. @returns its message */
async function refused(line: string, code = 1): Promise<string> {
  const step = await project.shell(line);
  expect(step, `${line}\n${step.stderr}`).toMatchObject({ code, stdout: "", made: [] });
  return step.stderr;
}

const read = (file: string): string => readFileSync(join(project.folder, file), "utf8");
const write = (file: string, text: string): void => writeFileSync(join(project.folder, file), text);
const linesOf = (text: string): string[] => text.trimEnd().split("\n");

describe("the first commands", () => {
  it("show what there is, and examples instead of an error", async () => {
    expect(await done("pearl --help")).toContain("pearl demo");
    expect(await refused("pearl", 2)).toContain("Usage: pearl [options] [command]");
    const bare = await refused("pearl encode", 2);
    expect(bare).toMatch(/^pearl encode: .*\n\nUsage: pearl encode <file> \[options\]\n\nExamples:\n/);
    expect(bare.match(/^ {2}pearl encode /gm)).toHaveLength(3);
  });

  it("suggest the word that was meant", async () => {
    expect(await refused("pearl encode data/phrases.csv --colum phrase", 2)).toContain(
      "(Did you mean --column?)",
    );
    expect(await refused("pearl encod data/phrases.csv", 2)).toContain("(Did you mean encode?)");
    expect(await refused("pearl encode data/phrases.csv -c phrse")).toContain('Did you mean "phrase"?');
    expect(await refused("pearl encode nofile.csv")).toContain("nofile.csv: no such file.");
  });

  it("demo: two tables, a join and the line to repeat", async () => {
    const said = await done(
      "npx pearl demo",
      ["companies.csv", "joined.csv", "suppliers.csv"].map((file) => `pearl-demo/${file}`),
    );
    const line = /^ {2}(npx pearl join .*)$/m.exec(said)?.[1];
    expect(said).toMatch(/^name = supplier +name +100 %/m);
    expect(said).toMatch(/wrote joined.csv: \d+ matches for \d+ of 18 right rows/);
    expect(said).toMatch(/^toyota motors corp +Toyota Motor Corporation +(0.9\d|1.00)$/m);
    await done(`cd pearl-demo && rm joined.csv && ${line} && test -s joined.csv`);
  });

  it("doctor and models: all that is embedded works", async () => {
    expect(await done("pearl doctor")).toContain("The embedded model works. Try: pearl encode FILE");
    expect(await done("pearl models")).toMatch(/^pearl-mini \(default\) +600 .*embedded$/m);
    expect(await done("pearl models check")).toBe(
      "pearl-mini: 3 files as written\npearl-small: 4 files as written\npearl-strings: 2 files as written\n",
    );
  });

  it("completion: scripts that shells accept", async () => {
    await done('for shell in bash zsh fish; do test -n "$(pearl completion $shell)" || exit 1; done');
    await done("pearl completion bash | bash -n");
    expect(await refused("pearl completion tcsh", 2)).toContain("use bash, zsh or fish");
  });
});

describe("the samples", () => {
  it("encode", async () => {
    const said = await done("npx pearl encode data/phrases.csv", ["phrases.embeddings.parquet"]);
    expect(said).toContain('header in the first line, 65 rows; phrases from "phrase" of id, phrase, kind');
    expect(said).toContain("wrote phrases.embeddings.parquet: 65 rows × 600 dimensions");
  });

  it("join, dedupe and cluster", async () => {
    const join = "npx pearl join data/companies.csv data/suppliers.csv -o joined.csv";
    const joined = await done(join, ["joined.csv"]);
    expect(joined).toMatch(/wrote joined.csv: 16 matches for 16 of 18 right rows .*, not verified/);
    expect(joined).toContain("--review-out FILE, then --review FILE");
    const deduped = ["phrases.deduped.csv", "phrases.deduped.removed.csv"];
    const kept = await done("npx pearl dedupe data/phrases.csv -c phrase --remove-likely", deduped);
    expect(kept).toContain("65 rows in, 17 groups of duplicates, 47 rows out");
    expect(kept).toMatch(
      /wrote phrases.deduped.removed.csv: 18 removed rows\n( {2}[23] rows: ".*", ".*"\n){3}/,
    );
    expect(linesOf(read(deduped[0])).length + linesOf(read(deduped[1])).length).toBe(65 + 2);
    const customers = ["", ".removed", ".groups"].map((part) => `customers.deduped${part}.csv`);
    const likely = await done("npx pearl dedupe data/customers.csv", customers);
    expect(likely).toContain("12 rows in, 3 groups of likely duplicates, 11 rows out");
    const grouped = await done("npx pearl cluster data/phrases.csv -c phrase -o grouped.csv", [
      "grouped.csv",
    ]);
    expect(grouped).toContain("wrote grouped.csv: 65 rows in 47 groups");
  });

  it("index and search", async () => {
    const { code, stdout, made } = await project.shell(
      "npx pearl index build data/companies.csv -c name -o companies.index",
    );
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: "companies.index: 30 rows added, 30 in all × 600 dimensions; exact\n",
    });
    expect(made.every((file) => file.startsWith("companies.index/"))).toBe(true);
    expect(await done('npx pearl search companies.index "toyota motors"')).toMatch(
      /^ {2}0\.\d+ +1 +Toyota Motor Corporation/m,
    );
    const hits = "pearl search companies.index --queries data/suppliers.csv -c supplier -k 1 -o hits.csv";
    await done(hits, ["hits.csv"]);
    expect(linesOf(read("hits.csv"))).toHaveLength(19);
    expect(JSON.parse(await done("pearl index delete companies.index --keys 1 2 --json"))).toMatchObject({
      deleted: 2,
      rows: 28,
    });
    expect(JSON.parse(await done("pearl index check companies.index --json"))).toEqual({
      path: "companies.index",
    });
  });

  it("type: phrases are phrases, and a mistyped file is an error", async () => {
    expect(await done('pearl type "New York Times"')).toMatch(/^New York Times +NP +ORG +0\.\d+/m);
    expect(await refused("pearl type nofile.csv")).toContain("nofile.csv: no such file. Check the name");
    const typed = await done("pearl type --phrase nofile.csv");
    expect(typed).toMatch(/^nofile.csv +NP/m);
    expect(await done("pearl type -- nofile.csv")).toBe(typed);
  });

  it("plot", async () => {
    const line = "npx pearl plot data/phrases.csv --color kind -o";
    expect(await done(`${line} map.html`, ["map.html"])).toContain("wrote map.html: 65 of 65 phrases");
    await done(`${line} map.svg`, ["map.svg"]);
    expect(read("map.html")).not.toMatch(/(src|href)="https?:/);
  });

  it("finetune: a plan leaves nothing, a training a model that encodes", async () => {
    const plan = await done("pearl finetune --pairs data/pairs.csv --plan");
    expect(plan).toMatch(/^model +pearl-mini, 600 dimensions, .* trainable parameters$/m);
    expect(plan).toMatch(/^data +pairs.csv: 32 pairs from the columns text, positive/m);
    expect(plan).toMatch(/^training +about /m);
    const { code, stdout, made } = await project.shell(
      "pearl finetune --pairs data/pairs.csv -o my-model --steps 2",
    );
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^wrote my-model: 32 pairs, 2 steps, loss /),
    });
    const model = [
      "README.md",
      "checksums.json",
      "config.json",
      "metrics.jsonl",
      "onnx/model.onnx",
      "training.json",
      "words.txt",
    ];
    expect(made).toEqual(model.map((file) => `my-model/${file}`));
    await done("pearl encode data/phrases.txt --model ./my-model -o mine.npy", [
      "mine.npy",
      "mine.npy.keys.csv",
    ]);
  });

  it("without a network, what needs one says so in a line", async () => {
    const missing = await project.shell(
      "pearl encode data/phrases.csv --model intfloat/e5-small-v2 -o e5.parquet",
    );
    expect(missing).toMatchObject({ code: 1, stdout: "", made: [] });
    expect(missing.stderr).toMatch(
      /^pearl: intfloat\/e5-small-v2: .*cannot be reached.*Check the network.*$/m,
    );
    expect(await refused("pearl bench --task autofj --model tfidf")).toContain(
      "`pearl data autofj` downloads the AutoFJ tables.",
    );
    expect(linesOf(await refused("pearl data autofj --data bench"))).toHaveLength(1);
  });
});

describe("tables in and out", () => {
  it("-o - goes into a pipe, and a closed pipe is no error", async () => {
    const { stdout, code, made } = await project.shell(
      "pearl encode data/phrases.txt -q -o - --format jsonl --truncate-dim 2 | tail -1",
    );
    expect({ code, made }).toEqual({ code: 0, made: [] });
    expect(Object.keys(JSON.parse(stdout))).toEqual(["phrase", "embedding"]);
    const closed = await project.shell(
      "set -o pipefail; cat data/companies.csv | pearl cluster - -c name -o - | head -1",
    );
    expect(closed).toMatchObject({
      code: 0,
      stdout: "id,name,city,group,representative,similarity\n",
      made: [],
    });
  });

  it("a ragged row names its line and its cure", async () => {
    write("ragged.csv", "name,city\nAcme, Inc.,Bonn\nSiemens AG,Berlin\n");
    const message = await refused("pearl encode ragged.csv");
    expect(message).toBe(
      "pearl: ragged.csv, line 2: 3 columns, expected 2. Quote fields that contain commas.\n",
    );
    write("ragged.csv", 'name,city\n"Acme, Inc.",Bonn\nSiemens AG,Berlin\n');
    await done("pearl encode ragged.csv -c name", ["ragged.embeddings.parquet"]);
  });

  it("a category that was not named stops a command before it loses rows", async () => {
    const rows = Array.from(
      { length: 60 },
      (_, row) => `${row},${["web", "phone", "letter"][row % 3]},P${(row * 7919) % 997}`,
    );
    write("sites.csv", `id,Source,Place\n${rows.join("\n")}\n`);
    const message = await refused("pearl cluster sites.csv");
    expect(message).toMatch(/Place +60 +60 +P0 \| P\d+ \| P\d+/);
    const line = /^ {2}(pearl cluster .*)$/m.exec(message)?.[1];
    expect((await project.shell(line ?? "false")).code).toBe(0);
    // All columns together need no choice.
    const said = await done("pearl dedupe sites.csv", ["sites.deduped.csv", "sites.deduped.removed.csv"]);
    expect(said).toContain("60 rows in, 0 groups of duplicates, 60 rows out");
  });
});

describe("awkward tables", () => {
  it("semicolons, and Windows-1252 behind the mark of UTF-8", async () => {
    await semicolons.write(project.folder);
    await walk("firmen.csv", semicolons.column);
    expect(linesOf(read("firmen.deduped.csv"))[0]).toBe("\ufeffFirma;Ort");
  });

  it.each(awkwardTables)("$file", async ({ file, column, write }) => {
    await write(project.folder);
    await walk(file, column);
  });

  it("keep their values and types", async () => {
    const given = new Set(linesOf(read("nested.jsonl")));
    const kept = linesOf(read("nested.deduped.jsonl"));
    expect(kept.every((line) => given.has(line))).toBe(true);
    const types = await parquetTypes(join(project.folder, "lists.parquet"));
    expect(await parquetTypes(join(project.folder, "lists.deduped.parquet"))).toEqual(types);
    expect(await parquetTypes(join(project.folder, "lists.embeddings.parquet"))).toEqual({
      ...types,
      embedding: "FLOAT[]",
    });
    expect(linesOf(read("wide.deduped.csv"))[0]).toBe(linesOf(read("wide.csv"))[0]);
  });
});

/** Encodes, deduplicates and joins a table of `names`, whose column of phrases pearl finds. */
async function walk(file: string, column: string): Promise<void> {
  const stem = file.replace(/\..*/, "");
  const ending = /\.(jsonl|parquet)$/.exec(file)?.[0] ?? ".csv";
  const encoded = await done(`pearl encode ${file}`, [`${stem}.embeddings.parquet`]);
  expect(encoded.replace(/, taken for [^;]*/, "")).toContain(
    `${names.length} rows; phrases from "${column}"`,
  );
  const [kept, removed] = ["deduped", "deduped.removed"].map((part) => `${stem}.${part}${ending}`);
  const deduped = await done(`pearl dedupe ${file} --remove-likely`, [kept, removed]);
  const [, out, gone] = /(\d+) rows out\n.*: (\d+) removed row/.exec(deduped) ?? [];
  expect(Number(out) + Number(gone)).toBe(names.length);
  const named = await done(`pearl dedupe ${file} -c ${column} --remove-likely`);
  expect(named).toContain('2 rows: "Toyota Motor Corporation", "TOYOTA MOTOR CORPORATION"');
  const line = `pearl join ${file} data/suppliers.csv --on ${column}=supplier -o ${stem}.joined${ending}`;
  expect(await done(line, [`${stem}.joined${ending}`])).toMatch(/: \d+ matches for \d+ of 18 right rows/);
}
