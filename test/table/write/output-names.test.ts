/** Which names are refused, as an input's or as given twice. */
import { linkSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { refuseOverwriting } from "../../../src/table/write/output-names.js";

const folder = mkdtempSync(join(tmpdir(), "pearl-names-"));
afterAll(() => rmSync(folder, { recursive: true }));
const path = (name: string) => join(folder, name);
writeFileSync(path("in.csv"), "name\n");
symlinkSync(path("in.csv"), path("symbolic.csv"));
linkSync(path("in.csv"), path("hard.csv"));

describe("an output that is an input", () => {
  it.each(["in.csv", "./in.csv", "symbolic.csv", "hard.csv"])("is refused as %s", (name) => {
    const output = `${folder}/${name}`;
    expect(() => refuseOverwriting([path("other.csv"), path("in.csv")], [undefined, output])).toThrow(
      `${output} is an input. Choose another output name.`,
    );
  });

  it("is refused where the input is a table of it", () => {
    expect(() => refuseOverwriting([`${path("in.csv")}?table=t`], [path("hard.csv")])).toThrow("is an input");
  });
});

describe("a table of a file as output", () => {
  it("is refused with the formats that are written", () => {
    expect(() => refuseOverwriting([], ["shop.db?table=t.csv"])).toThrow(
      "shop.db?table=t.csv: pearl writes no databases. Name a .csv, .tsv, .jsonl, .parquet or .xlsx file.",
    );
    refuseOverwriting([], ["postgres://h/db?table=t"]);
  });
});

describe("two outputs of one name", () => {
  it("are refused, also before either is there", () => {
    const names = [path("new.csv"), undefined, `${folder}/./new.csv`];
    expect(() => refuseOverwriting([path("in.csv")], names)).toThrow(
      `Two outputs are named ${names[2]}. Choose different names.`,
    );
  });

  it("are accepted where nothing can be lost", () => {
    expect(() => refuseOverwriting([], ["-", "-"])).toThrow(
      "Two outputs are named -. Choose different names.",
    );
    refuseOverwriting(["-", path("in.csv")], ["-", "/dev/null", "/dev/null", path("in.csv/new.csv")]);
  });
});
