/** Files that no command writes over: those that its arguments and options name. */
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { refuseOwnInputs } from "../../src/cli/addresses.js";
import { pearl } from "./run-here.js";

const folder = mkdtempSync(join(tmpdir(), "pearl-overwriting-"));
afterAll(() => rmSync(folder, { recursive: true }));
const path = (name: string) => join(folder, name);
const table = "name\nAcme Inc.\nBorealis Shipping\n";
for (const name of ["left.csv", "right.csv", "review.csv"]) writeFileSync(path(name), table);

symlinkSync(folder, path("also"));

const words = [path("left.csv"), [path("right.csv")], "a phrase"];

describe("what a command reads", () => {
  it.each([
    [{ output: path("right.csv") }, "right.csv is an input"],
    [{ json: path("left.csv") }, "left.csv is an input"],
    [{ review: path("review.csv"), reviewOut: path("review.csv") }, "review.csv is an input"],
    [{ labels: [path("review.csv")], output: path("review.csv") }, "review.csv is an input"],
    [{ pairs: [`${path("review.csv")}=2`], json: path("review.csv") }, "review.csv is an input"],
    [{ store: path("left.csv") }, "left.csv is the store"],
    [{ output: path("new.npy"), json: path("new.npy.keys.csv") }, "Two outputs are named"],
    [{ output: path("new"), format: "npy", json: path("new.keys.csv") }, "Two outputs are named"],
    [{ output: path("new.csv"), explainOut: path("new.csv") }, "Two outputs are named"],
    [{ output: path("new.csv"), store: path("new.csv") }, "new.csv is the store"],
    [{ output: path("also/new.csv"), store: path("new.csv") }, "new.csv is the store"],
    [{ output: path("new.csv.wal"), store: path("new.csv") }, "new.csv is the store"],
  ])("is not written over: %o", (options, message) => {
    expect(() => refuseOwnInputs(words, options)).toThrow(message);
  });

  it.each([
    ["s3://shop/names.csv", { output: "S3://shop/names.csv/" }],
    ["postgres://me@db/shop?table=names", { output: "postgres://me@db/shop?table=names" }],
    ["s3://shop/names.npy.keys.csv", { output: "s3://shop/names.npy" }],
    ["new.csv", { queries: "s3://shop/queries.csv", json: "s3://shop/queries.csv" }],
  ])("is not written over where it is no file: %s %o", (word, options) => {
    expect(() => refuseOwnInputs([word], options)).toThrow(/ is an input/);
  });

  it("may have the name of a phrase, a switch or a model", () => {
    refuseOwnInputs(words, {
      json: true,
      output: "a phrase",
      model: path("new.csv"),
      groups: path("new.csv"),
    });
  });

  it("is not written over by the keys of an .npy file", async () => {
    writeFileSync(path("names.npy.keys.csv"), table);
    const words = ["encode", "names.npy.keys.csv", "--no-header", "-o", "names.npy"];
    const { code, stderr } = await pearl(words, { cwd: folder });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: "pearl: names.npy.keys.csv is an input. Choose another output name.\n",
    });
    // The keys are written for .npy alone.
    refuseOwnInputs([path("names.npy.keys.csv")], { output: path("names.npy"), format: "csv" });
  });

  it.each([
    ["join", "left.csv", "right.csv", "-o", "right.csv"],
    ["search", "left.csv", "--queries", "right.csv", "-o", "right.csv"],
    ["type", "right.csv", "-o", "right.csv"],
    ["tag", "right.csv", "--with", "left.csv", "-o", "right.csv"],
    ["encode", "right.csv", "--json", "right.csv", "-o", "new.parquet"],
  ])("is refused by the command line: %s", async (...parameters) => {
    const { code, stderr } = await pearl(parameters, { cwd: folder });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: "pearl: right.csv is an input. Choose another output name.\n",
    });
    expect(readFileSync(path("right.csv"), "utf8")).toBe(table);
  });
});
