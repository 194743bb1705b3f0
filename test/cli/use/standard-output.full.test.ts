/** `-o -` and `-`: tables through pipes, with everything else on standard error. */
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { query } from "../../table/folder.js";
import { entry, run } from "../run-cli.js";
import { pearl } from "../run-here.js";

let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), "pearl-pipe-"));
  await writeFile(
    join(cwd, "names.jsonl"),
    '{"id":1,"name":"Acme"}\n{"id":2,"name":"ACME"}\n{"id":3,"name":"Toyota"}\n',
  );
  await pearl(["index", "build", "names.jsonl", "-c", "name", "-m", "pearl-strings", "-o", "names.index"], {
    cwd,
  });
});
afterAll(() => rm(cwd, { recursive: true, force: true }));

const commands = [
  ["encode", "names.jsonl", "-c", "name", "-m", "pearl-strings", "--truncate-dim", "2"],
  ["dedupe", "names.jsonl", "-c", "name", "-m", "none", "--no-removed"],
  ["cluster", "names.jsonl", "-c", "name", "-m", "none"],
  ["join", "names.jsonl", "-", "--on", "name", "-m", "none"],
  ["search", "names.index", "Acme"],
  ["type", "names.jsonl", "-c", "name"],
  ["augment", "names.jsonl", "-c", "name", "--no-wordnet"],
];
const input = '{"name":"Acme"}\n';

describe("-o -", () => {
  it.each(commands)(
    "writes the table of pearl %s to standard output, its messages to standard error",
    async (...words) => {
      const before = await readdir(cwd);
      const csv = await pearl([...words, "-o", "-"], { cwd, input });
      expect(csv.code).toBe(0);
      expect(csv.stdout.split("\n")[0]).toMatch(/^\w+(,\w+)+$/);
      expect(csv.stderr).not.toContain("wrote -");
      const json = await pearl([...words, "-o", "-", "--format", "jsonl", "-q"], { cwd, input });
      const rows = json.stdout.trimEnd().split("\n");
      for (const row of rows) expect(JSON.parse(row)).toBeTypeOf("object");
      expect(rows.length).toBeGreaterThan(0);
      expect(json.stderr).toBe("");
      expect(await readdir(cwd)).toEqual(before);
    },
  );

  it("is what -o /dev/stdout means", async () => {
    const { stdout } = await pearl(["cluster", "names.jsonl", "-m", "none", "-o", "/dev/stdout"], { cwd });
    expect(stdout.trimEnd().split("\n")).toHaveLength(4);
  });

  it("streams Parquet through a pipe", async () => {
    for (const words of [commands[0], commands[1]]) {
      const piped = `"$0" "$1" ${words.join(" ")} -o - --format parquet -q > piped.parquet`;
      expect(await run("bash", ["-c", piped, process.execPath, entry], { cwd })).toMatchObject({ code: 0 });
      const [[id]] = await query(`SELECT max(id) FROM '${join(cwd, "piped.parquet")}'`);
      expect(id).toBe("3");
    }
  });

  it("keeps its temporary files in the folder of --temp", async () => {
    const words = ["cluster", "names.jsonl", "-c", "name", "-m", "none", "-o", "-", "--format", "parquet"];
    const environment = { TMPDIR: join(cwd, "missing") };
    expect(await pearl([...words, "--temp", "."], { cwd, environment })).toMatchObject({ code: 0 });
    expect(await pearl(words, { cwd, environment })).toMatchObject({ code: 1 });
  });

  it("keeps the report of augment --json out of the table", async () => {
    const words = ["augment", "names.jsonl", "-c", "name", "--no-wordnet"];
    const piped = await pearl([...words, "-o", "-", "--json"], { cwd });
    expect(piped.stdout.trimEnd().split("\n")).toHaveLength(4);
    const named = await pearl([...words, "-o", "twins.csv", "--json", "-q"], { cwd });
    expect(JSON.parse(named.stdout)).toMatchObject({ path: "twins.csv", phrases: 3, twins: 3 });
    await rm(join(cwd, "twins.csv"));
  });

  it("refuses what cannot go through a pipe", async () => {
    for (const output of ["-", "/dev/stdout", "/dev/null"]) {
      const npy = await pearl([...commands[0], "-o", output, "--format", "npy"], { cwd });
      expect(npy, output).toMatchObject({ code: 2, stdout: "" });
    }
    const resumed = await pearl([...commands[0], "-o", "-", "--resume"], { cwd });
    expect(resumed).toMatchObject({ code: 2, stdout: "" });
  });

  it("ends quietly when the reader closes the pipe", async () => {
    const rows = Array.from({ length: 30_000 }, (_, row) => `{"name":"company ${row}"}`).join("\n");
    await writeFile(join(cwd, "many.jsonl"), rows);
    const piped = `set -o pipefail; "$0" "$1" augment many.jsonl --no-wordnet -q -o - | head -1`;
    const environment = { TMPDIR: await mkdtemp(join(cwd, "temporary-")) };
    const shell = ["-c", piped, process.execPath, entry];
    const { code, stdout, stderr } = await run("bash", shell, { cwd, environment });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toBe("phrase,twin,rule,granularity\n");
    expect(await readdir(environment.TMPDIR)).toEqual([]);
  });
});

describe("--format", () => {
  it("wins over the ending of a file's name", async () => {
    await pearl(["cluster", "names.jsonl", "-c", "name", "-o", "groups.out", "--format", "parquet"], { cwd });
    expect(await query(`SELECT count(*) FROM read_parquet('${join(cwd, "groups.out")}')`)).toEqual([["3"]]);
    const odd = await pearl(["cluster", "names.jsonl", "-o", "groups.out"], { cwd });
    expect(odd.stderr).toContain("groups.out: rows are written as .csv, .tsv, .jsonl, .parquet or .xlsx");
  });
});

describe("-o - of what other commands read by its name", () => {
  it.each([
    ...[
      "distill pearl-small",
      "classify train names.jsonl",
      "tag train names.jsonl",
      "corpus build names.jsonl",
    ],
    ...["finetune --pairs names.jsonl", "pretrain names.jsonl", "pretrain-characters --words names.jsonl"],
  ])("is refused by %s, which would have written a file or folder called -", async (words) => {
    expect(await pearl([...words.split(" "), "-o", "-"], { cwd })).toMatchObject({
      ...{ code: 2, stdout: "" },
      stderr: expect.stringMatching(/^pearl: -o -: other commands read .* Name it, such as -o [a-z.-]+\n$/),
    });
    expect(await readdir(cwd)).not.toContain("-");
  });
});

describe("--format without -o", () => {
  it.each(["search names.index Acme", "type Acme", "cluster names.jsonl", "classify Acme --with kinds.json"])(
    "is refused by %s, which prints for people",
    async (words) => {
      expect(await pearl([...words.split(" "), "--format", "jsonl"], { cwd })).toMatchObject({
        ...{ code: 2, stdout: "" },
        stderr:
          "pearl: --format is for tables, and without -o none is written: add -o FILE, or -o - for standard output\n",
      });
    },
  );
});

describe("--json FILE", () => {
  it("gives the report of a run to a program", async () => {
    await pearl(["dedupe", "names.jsonl", "-c", "name", "-o", "-", "--json", "report.json"], { cwd });
    expect(JSON.parse(await readFile(join(cwd, "report.json"), "utf8"))).toMatchObject({
      ...{ version: expect.any(String), seconds: expect.any(Number), rows: 3, kept: 3, likely: 1 },
    });
    const piped = "encode - --format tsv -o - --truncate-dim 1 --json encoded.json";
    const { stdout } = await pearl(piped.split(" "), { cwd, input: "phrase\nAcme\n" });
    expect(stdout).toMatch(/^phrase\tembedding\nAcme\t\[/);
    expect(JSON.parse(await readFile(join(cwd, "encoded.json"), "utf8"))).toMatchObject({
      rows: 1,
      path: "-",
    });
  });
});
