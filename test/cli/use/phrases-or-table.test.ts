/** Arguments that are phrases or a table: a mistyped file name is never taken for a phrase. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { looksLikeFile } from "../../../src/cli/use/phrases-or-table.js";
import { newFolder } from "../../setup/new-folder.js";

const cwd = newFolder();
mkdirSync(join(cwd, "data"), { recursive: true });
writeFileSync(join(cwd, "names.csv"), "name\nParis\n");

describe("an argument that is a phrase or a table", () => {
  it.each([
    ...[
      "names.csv",
      "my names.tsv.gz",
      "a.jsonl",
      "b.PARQUET",
      "list.txt",
      "sheet.xlsx",
      "shop.db",
      "shop?table=customers",
      "./x",
      "../x",
      "/x",
    ],
    ...[`${cwd}/nothing`],
  ])("%s looks like a file", async (text) => expect(await looksLikeFile(text)).toBe(true));

  it.each(["Paris", "AC/DC", "St. Paul", "Node.js", "and/or", "Booking.com", "1/2 cup", "u.s.", "C++ / C"])(
    "%s is a phrase",
    async (text) => expect(await looksLikeFile(text)).toBe(false),
  );
});
