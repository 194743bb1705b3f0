/** Names of files and addresses. */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { UsageError } from "../../src/errors.js";
import {
  isObjectAddress,
  isPostgresAddress,
  refuseUnknownAddress,
  tablePlace,
} from "../../src/files/place.js";
import { writeWholeFile } from "../../src/files/whole-file.js";
import { writeWholeFolder } from "../../src/files/whole-folder.js";
import { VectorIndex } from "../../src/search/vector-index.js";
import { stemOf } from "../../src/table/format.js";
import { Table } from "../../src/table/table.js";
import { pearl } from "../cli/run-here.js";

const folder = mkdtempSync(join(tmpdir(), "pearl-place-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("a name", () => {
  it("is an address by its scheme, in letters of any case, and else a file", () => {
    expect(["s3://b/k", "S3://b/k", "gs://b/k", "s3:/b", "a/s3://b"].map(isObjectAddress)).toEqual([
      ...[true, true, false, false, false],
    ]);
    expect(["postgres://", "PostgreSQL://me@h/db", "postgres:x.csv"].map(isPostgresAddress)).toEqual([
      ...[true, true, false],
    ]);
    for (const name of ["C:\\names.csv", "c://x", "a:b.csv", "-", "names.csv", "s3://b/k", "postgres://"])
      refuseUnknownAddress(name);
  });

  it("names a sheet of a workbook, or a table of a file that no ending tells", () => {
    expect(tablePlace("a/b.XLSX?sheet=Q?table=1")).toEqual({
      ...{ file: "a/b.XLSX", part: "?sheet=Q?table=1", sheet: "Q?table=1", table: undefined },
    });
    expect(tablePlace('shop?table=old ones."x"')).toMatchObject({ file: "shop", table: 'old ones."x"' });
    expect(tablePlace("s3://b/shop.db?table=t")).toMatchObject({ file: "s3://b/shop.db", table: "t" });
    for (const file of ["names.csv?sheet=x", "postgres://h/db?table=t", "?table=t", "a.csv"])
      expect(tablePlace(file)).toEqual({ file, part: "" });
  });

  it("gives each table of a file its own beginning of default names", () => {
    const names = ["data/shop.db?table=customers", "shop.db?table=sales.old/ones", "shop.db", "a.csv.gz"];
    expect(names.map(stemOf)).toEqual(["shop.customers", "shop.sales.oldones", "shop", "a"]);
  });

  it("of an unknown kind is refused with those that are known", () => {
    for (const scheme of ["gs", "az", "hdfs", "ftp", "http", "https", "mysql", "jdbc:postgresql"])
      expect(() => refuseUnknownAddress(`${scheme}://h/x.csv`)).toThrow(
        `${scheme}://h/x.csv: pearl has no access to ${scheme}:// addresses. Name a file, or an address that begins with s3:// or postgres://.`,
      );
    expect(() => refuseUnknownAddress("file:///x.csv")).toThrow(
      "file:///x.csv: write a path, without file://",
    );
  });
});

describe("an address of an unknown kind", () => {
  it("is never a file or folder of the library", async () => {
    for (const attempt of [
      () => writeWholeFile("gs://bucket/x.json", "{}"),
      () => writeWholeFolder("gs://bucket/x", async () => {}),
      () => Table.open("ftp://host/x.csv"),
      () => VectorIndex.open("http://host/x.index"),
      () => VectorIndex.create("hdfs://host/x.index", { dimension: 2 }),
    ])
      await expect(attempt()).rejects.toThrow(UsageError);
    expect(readdirSync(".")).not.toContain("gs:");
  });

  it.each([
    ["encode names.csv -o gs://bucket/x.parquet", "gs"],
    ["encode https://me:s3cret@host/names.csv", "https"],
    ["join a.csv b.csv -o az://c/x.csv", "az"],
    ["join a.csv hdfs://h/b.csv", "hdfs"],
    ["dedupe a.csv --groups ftp://h/g.csv", "ftp"],
    ["cluster a.csv --json http://h/r.json", "http"],
    ["plot a.csv -o http://h/p.html", "http"],
    ["type Acme -m ftp://h/model", "ftp"],
    ["index build a.csv -o http://h/x", "http"],
    ["search http://h/x.index acme", "http"],
    ["review ftp://h/review.csv", "ftp"],
    ["corpus build ftp://h/text.txt -o corpus", "ftp"],
    ["finetune --pairs ftp://h/pairs.csv -o model", "ftp"],
    ["mcp --root ftp://h/", "ftp"],
  ])("is refused by pearl %s", async (line, scheme) => {
    const { code, stderr } = await pearl(line.split(" "), { cwd: folder });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining(`pearl has no access to ${scheme}:// addresses`),
    });
    expect(stderr).not.toContain("s3cret");
    expect(readdirSync(folder)).toEqual([]);
  });

  it("is a phrase where phrases are expected", async () => {
    const { code, stdout } = await pearl(["type", "http://example.com"], {
      cwd: folder,
    });
    expect({ code, stdout }).toMatchObject({ stdout: expect.stringContaining("http://example.com") });
  });
});
