/** Commands whose tables, models, indexes and parts are in object storage do what they do with files. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { writeWholeFile } from "../../src/files/whole-file.js";
import { pearl as runProcess } from "../cli/run-cli.js";
import { pearl } from "../cli/run-here.js";
import { bucket, startObjectServer } from "../files/object-storage/server.js";
import { noServer, startServer } from "../stores/postgres/server.js";

const server = await startObjectServer();
const folder = mkdtempSync(join(tmpdir(), "pearl-objects-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => {
  server.fault = () => undefined;
  server.requests.length = 0;
});

const names = Array.from({ length: 40 }, (_, row) => `${["Acme", "Toyota", "Bosch"][row % 3]} Works ${row}`);
writeFileSync(join(folder, "names.csv"), `name,city\n${names.map((name) => `${name},Ulm`).join("\n")}\n`);
const messy = names.map((name) => `${name.replace("Works", "Wroks")},Ulm`);
writeFileSync(join(folder, "messy.csv"), `name,city\n${messy.join("\n")}\n`);
for (const name of ["names.csv", "messy.csv"])
  await writeWholeFile(`${bucket}/${name}`, readFileSync(join(folder, name)));
for (const name of readdirSync("models/pearl-strings", { recursive: true, encoding: "utf8" }))
  if (/\.\w+$/.test(name))
    await writeWholeFile(`${bucket}/models/own/${name}`, readFileSync(join("models/pearl-strings", name)));

async function run(...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await pearl([...words, "-q"], { cwd: folder });
  expect(code, `pearl ${words.join(" ")}\n${stderr}`).toBe(0);
  return stdout;
}

const here = (name: string): Buffer => readFileSync(join(folder, name));

describe("encode", () => {
  it("reads table and model, and writes vectors and keys, as with files", async () => {
    await run("encode", "names.csv", "-c", "name", "-m", "pearl-strings", "-o", "local.npy");
    const model = `${bucket}/models/own`;
    await run("encode", `${bucket}/names.csv`, "-c", "name", "-m", model, "-o", `${bucket}/out/v.npy`);
    expect(server.content("out/v.npy")?.equals(here("local.npy"))).toBe(true);
    expect(server.content("out/v.npy.keys.csv")?.equals(here("local.npy.keys.csv"))).toBe(true);
  });

  it("writes parts that are merged to what one run writes", async () => {
    const settings = ["-c", "name", "-m", "pearl-strings"];
    await run("encode", "names.csv", ...settings, "-o", "whole.parquet");
    const parts = [1, 2].map((index) => `${bucket}/parts/${index}.part`);
    for (const [at, part] of parts.entries())
      await run("encode", `${bucket}/names.csv`, ...settings, "--shard", `${at + 1}/2`, "-o", part);
    await run("merge", ...parts, "-o", `${bucket}/out/whole.parquet`);
    expect(server.content("out/whole.parquet")?.equals(here("whole.parquet"))).toBe(true);
    // The merge reads the table again, and it must be the same.
    await writeWholeFile(`${bucket}/names.csv`, "name\nother\n");
    const { code, stderr } = await pearl(["merge", ...parts, "-o", "x.parquet"], { cwd: folder });
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("s3://bucket/names.csv has changed since the parts were made"),
    });
    await writeWholeFile(`${bucket}/names.csv`, here("names.csv"));
  });
});

describe("join", () => {
  it("writes parts that are merged to what one run writes, and its report", async () => {
    const tables = ["names.csv", "messy.csv"];
    const settings = ["--on", "name", "-m", "pearl-strings"];
    await run("join", ...tables, ...settings, "-o", "joined.csv");
    const stored = tables.map((name) => `${bucket}/${name}`);
    const learned = `${bucket}/join/learned.part`;
    await run("join", ...stored, ...settings, "--learn", learned);
    const parts = [1, 2].map((index) => `${bucket}/join/${index}.part`);
    for (const [at, part] of parts.entries())
      await run("join", ...stored, ...settings, "--learned", learned, "--shard", `${at + 1}/2`, "-o", part);
    const report = `${bucket}/join/report.json`;
    await run("merge", ...parts, "-o", `${bucket}/join/joined.csv`, "--json", report);
    expect(server.content("join/joined.csv")?.toString()).toBe(here("joined.csv").toString());
    expect(JSON.parse(server.content("join/report.json")!.toString())).toMatchObject({ rightRows: 40 });
    expect(existsSync(join(folder, "s3:"))).toBe(false);
  });

  it("names a part that is damaged, and one that is missing", async () => {
    const parts = [1, 2].map((index) => `${bucket}/join/${index}.part`);
    const bytes = Buffer.from(server.content("join/2.part")!);
    bytes[40] ^= 1;
    await writeWholeFile(parts[1], bytes);
    const damaged = await pearl(["merge", ...parts, "-o", "x.csv"], { cwd: folder });
    expect(damaged.stderr).toContain("s3://bucket/join/2.part is damaged: its checksum differs.");
    const missing = await pearl(["merge", parts[0], `${bucket}/join/3.part`, "-o", "x.csv"], { cwd: folder });
    expect(missing.stderr).toContain("s3://bucket/join/3.part: there is no such object.");
  });
});

describe("index", () => {
  const index = `${bucket}/indexes/names`;
  const search = (path: string) => run("search", path, "Toyota Wroks 7", "--json");

  it("is built whole, copied, and searched as one in a folder", async () => {
    const settings = ["-c", "name", "-m", "pearl-strings"];
    await run("index", "build", "names.csv", ...settings, "-o", "names.index");
    await run("index", "build", "names.csv", ...settings, "-o", index);
    expect(server.content("indexes/names/index.json")).toBeDefined();
    expect(server.content("indexes/names/lock")).toBeUndefined();
    expect(await search(index)).toBe(await search("names.index"));
    expect(JSON.parse((await pearl(["index", "info", index, "--json"])).stdout)).toMatchObject({
      path: index,
      rows: 40,
    });
    server.requests.length = 0;
    await search(index);
    expect(server.requests.filter((line) => !line.includes("list-type"))).toEqual([]);
  });

  it("does not change", async () => {
    const says = "an index in object storage does not change. Build a new one";
    for (const words of [
      ["add", index, "messy.csv"],
      ["delete", index, "--keys", "1"],
      ["check", index, "--repair"],
    ]) {
      const { code, stderr } = await pearl(["index", ...words], { cwd: folder });
      expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining(says) });
    }
    const again = await pearl(["index", "build", "names.csv", "-o", index], { cwd: folder });
    expect(again.stderr).toContain("has objects: remove them, or name another folder for the output.");
  });

  it("whose model is in object storage finds it again", async () => {
    const [model, own] = [`${bucket}/models/own`, `${bucket}/indexes/own`];
    await run("index", "build", "names.csv", "-c", "name", "-m", model, "-o", own);
    const [, expected] = (await search(index)).split('"hits":');
    expect((await search(own)).split('"hits":')[1]).toBe(expected);
  });
});

describe("an interruption", () => {
  it("ends an upload, and leaves neither an object nor parts of one", async () => {
    // More than one part of an upload.
    const rows = Array.from({ length: 12_000 }, (_, row) =>
      JSON.stringify({ name: `n${row}`, x: "y".repeat(700) }),
    );
    writeFileSync(join(folder, "large.jsonl"), rows.join("\n"));
    const words = ["encode", "large.jsonl", "-c", "name", "-m", "pearl-strings", "--truncate-dim", "2"];
    const { code, stderr } = await runProcess([...words, "-o", `${bucket}/stopped.jsonl`, "-q"], {
      cwd: folder,
      onStart: (child) => {
        server.fault = (request) => {
          if (!request.includes("partNumber=2")) return undefined;
          child.kill("SIGINT");
          return "silent";
        };
      },
    });
    expect({ code, stderr }).toMatchObject({
      code: 130,
      stderr: expect.stringContaining("interrupted by SIGINT"),
    });
    expect(server.requests.some((line) => line.includes("partNumber=1"))).toBe(true);
    expect(server.openUploads.size).toBe(0);
    expect(server.content("stopped.jsonl")).toBeUndefined();
  });
});

it("an output that cannot be written ends a command before its work", async () => {
  const { code, stderr } = await pearl(["encode", "no-such.csv", "-o", "s3://buckets/x.csv"], {
    cwd: folder,
  });
  expect({ code, stderr }).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("there is no bucket buckets."),
  });
});

it.each([
  ["ablate", "--corpus", "corpus", "-o"],
  ["augment", "names.csv", "--paraphrase-model", "none/none", "-o"],
])("an output that the command continues is refused: %s", async (...words) => {
  const { code, stderr } = await pearl([...words, `${bucket}/continued.tsv`], { cwd: folder });
  expect({ code, stderr }).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("must be a file or folder"),
  });
});

it("a trained model is uploaded when it is whole, and can be used", async () => {
  const small = "--synthetic 200 --batch-size 10 --kind ngrams --width 8 --epochs 1".split(" ");
  const output = `${bucket}/models/trained`;
  const trained = await pearl(["pretrain-characters", ...small, "-o", output, "-q"], { cwd: folder });
  expect(trained, trained.stderr).toMatchObject({ code: 0 });
  expect(server.content("models/trained/config.json")).toBeDefined();
  expect(readdirSync(folder).filter((name) => name.includes("training") || name.startsWith("s3:"))).toEqual(
    [],
  );
  await run("encode", "names.csv", "-c", "name", "-m", output, "-o", "trained.csv");
});

describe.skipIf(noServer !== undefined)("a queue of workers", () => {
  it("keeps its parts there until the merge, and writes what one run writes", async () => {
    const database = await startServer();
    const environment = { ...database.environment, ...server.environment };
    const at = { cwd: folder, environment };
    const words = ["join", "names.csv", "messy.csv", "--on", "name", "-m", "pearl-strings"];
    await run(...words, "-o", "queue-whole.csv");
    const queue = ["--queue", "postgres://", "--shards", "3", "--parts", `${bucket}/queue/`];
    const submitted = await runProcess(["submit", ...words, "-o", "queued.csv", ...queue], at);
    expect(submitted.code, submitted.stderr).toBe(0);
    const work = () => runProcess(["work", "postgres://", "--until-empty", "--threads", "1"], at);
    server.requests.length = 0;
    for (const { code, stderr } of await Promise.all([work(), work()])) expect(code, stderr).toBe(0);
    expect(here("queued.csv").toString()).toBe(here("queue-whole.csv").toString());
    const partsOf = (method: string): string[] => {
      const names = server.requests.map(
        (line) => new RegExp(`^${method} .*/([^/?]+\\.part)(?:\\?|$)`).exec(line)?.[1],
      );
      return [...new Set(names.filter((name) => name !== undefined))].sort();
    };
    const parts = ["1-of-3.part", "2-of-3.part", "3-of-3.part", "learned.part"];
    expect(partsOf("PUT")).toEqual(parts);
    expect(partsOf("DELETE")).toEqual(parts);
    expect(readdirSync(folder).filter((name) => /\.part/.test(name))).toEqual([]);
  });

  it("is given nothing where the parts cannot be written", async () => {
    server.fault = (request) => (/^POST .*\.part/.test(request) ? "denied" : undefined);
    const database = await startServer();
    const words = ["submit", "encode", "names.csv", "-m", "pearl-strings", "-o", "refused.npy"];
    const queue = ["--queue", "postgres://", "--parts", `${bucket}/closed`];
    const environment = { ...database.environment, ...server.environment };
    const refused = await runProcess([...words, ...queue], { cwd: folder, environment });
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(`${bucket}/closed/`) });
    expect(
      await database.sql("SELECT FROM information_schema.schemata WHERE schema_name = 'pearl_queue'"),
    ).toEqual([]);
  });
});
