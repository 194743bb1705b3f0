/** Tables in object storage: they are read and written as the same files are. */
import { readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { writeWholeFile } from "../../src/files/whole-file.js";
import { readWholeTable } from "../../src/table/whole-table.js";
import { copyTable } from "../../src/table/write/output.js";
import { writeRows } from "../../src/table/write/text-rows.js";
import { bucket, startObjectServer } from "../files/object-storage/server.js";
import { testFolder } from "./folder.js";

const server = await startObjectServer();
const { path: folder } = testFolder();
const local = (name: string): string => join(folder, name);

/** Some rows of every kind of cell, in every format. */
const names = ["in.csv", "in.tsv", "in.jsonl", "in.parquet", "in.csv.gz"];

beforeAll(async () => {
  const rows = Array.from({ length: 50 }, (_, row) =>
    JSON.stringify({ name: row === 7 ? "" : `Zoë, "${row}"`, count: row * 3, city: row % 5 ? "Ulm" : null }),
  );
  writeFileSync(local("in.jsonl"), `${rows.join("\n")}\n`);
  for (const name of ["in.csv", "in.tsv", "in.parquet"]) await copyTable(local("in.jsonl"), local(name));
  writeFileSync(local("in.csv.gz"), gzipSync(readFileSync(local("in.csv"))));
  for (const name of names) await writeWholeFile(`${bucket}/${name}`, readFileSync(local(name)));
});

describe("a table as input", () => {
  it("gives the rows of a table of a database", async () => {
    const shop = fileURLToPath(new URL("../fixtures/shop.db", import.meta.url));
    await writeWholeFile(`${bucket}/shop.db`, readFileSync(shop));
    const [here, there] = [shop, `${bucket}/shop.db`].map((name) => readWholeTable(`${name}?table=names`));
    expect((await there).columns).toEqual((await here).columns);
  });

  it.each(names)("gives the rows of the file: %s", async (name) => {
    const [here, there] = [local(name), `${bucket}/${name}`];
    const [file, object] = [
      await readWholeTable(here, { column: "name" }),
      await readWholeTable(there, { column: "name" }),
    ];
    expect(object.columns).toEqual(file.columns);
    expect(object.typed.columns).toEqual(file.typed.columns);
    expect(object.description).toEqual({
      ...file.description,
      path: there,
      summary: file.description.summary.replace(here, there),
    });
  });

  it("is known to be Parquet by its first bytes", async () => {
    await writeWholeFile(`${bucket}/data`, readFileSync(local("in.parquet")));
    const { description } = await readWholeTable(`${bucket}/data`, { column: "name" });
    expect(description).toMatchObject({ format: "parquet", rowCount: 50 });
  });

  it("reports the bytes that are read, of all", async () => {
    for (const name of ["in.csv", "in.parquet"]) {
      const size = readFileSync(local(name)).length;
      const read: [number, number][] = [];
      await readWholeTable(`${bucket}/${name}`, {
        column: "name",
        onProgress: ({ stage, done, total }) => stage === "reading" && read.push([done, total]),
      });
      expect(read.at(-1)).toEqual([size, size]);
    }
  });

  it("is refused where it is empty, or damaged", async () => {
    await writeWholeFile(`${bucket}/empty.csv`, "");
    await expect(readWholeTable(`${bucket}/empty.csv`)).rejects.toThrow("s3://bucket/empty.csv is empty.");
    await writeWholeFile(`${bucket}/cut.parquet`, readFileSync(local("in.parquet")).subarray(0, 200));
    await expect(readWholeTable(`${bucket}/cut.parquet`)).rejects.toThrow(
      "s3://bucket/cut.parquet is not a readable Parquet file",
    );
  });
});

describe("a table as output", () => {
  it("names the folder of temporary files where that is full", async () => {
    const full = Object.assign(new Error("ENOSPC: no space left on device, write"), {
      ...{ code: "ENOSPC", syscall: "write" },
    });
    const batches = (async function* () {
      yield [["a"]];
      throw full;
    })();
    await expect(writeRows(`${bucket}/full.csv`, ["name"], batches)).rejects.toThrow(
      `${tmpdir()}: no space left on the disk that holds unfinished outputs.`,
    );
  });

  it.each(["out.csv", "out.tsv", "out.jsonl", "out.parquet"])(
    "has the bytes of the file: %s",
    async (name) => {
      await copyTable(local("in.jsonl"), local(name));
      expect(await copyTable(`${bucket}/in.jsonl`, `${bucket}/${name}`)).toBe(50);
      expect(server.content(name)?.equals(readFileSync(local(name)))).toBe(true);
    },
  );
});
