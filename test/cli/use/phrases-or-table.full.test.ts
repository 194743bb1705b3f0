/** The slow tests beside phrases-or-table.test.ts. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../setup/new-folder.js";
import { pearl } from "../run-here.js";

const cwd = newFolder();
mkdirSync(join(cwd, "data"), { recursive: true });
writeFileSync(join(cwd, "names.csv"), "name\nParis\n");

describe("an argument that is a phrase or a table", () => {
  it.each([["type"], ["augment"]])(
    "pearl %s names a file that does not exist, and takes it as a phrase if told so",
    async (command) => {
      for (const name of ["nofile.csv", "data/nofile"]) {
        const wrong = await pearl([command, name], { cwd });
        expect(wrong).toMatchObject({ code: 1, stdout: "" });
        expect(wrong.stderr).toContain(`${name}: no such file.`);
        const cure = /--phrase "(.*)"/.exec(wrong.stderr)?.[1] ?? "";
        const cured = await pearl([command, "--phrase", cure, "--json"], { cwd });
        expect(cured.code).toBe(0);
        expect(cured.stdout).toContain(name);
        const dashes = await pearl([command, "--json", "--", name], { cwd });
        expect(dashes).toMatchObject({ code: 0, stdout: cured.stdout });
      }
      const two = await pearl([command, "names.csv", "Paris"], { cwd });
      expect(two).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("names.csv is a table: give one table alone"),
      });
    },
  );

  it("pearl search points to --queries", async () => {
    await pearl(["index", "build", "names.csv", "-o", "names.index"], { cwd });
    const wrong = await pearl(["search", "names.index", "names.csv"], { cwd });
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('use --queries "names.csv"') });
    const cured = await pearl(["search", "names.index", "--queries", "names.csv"], { cwd });
    expect(cured.stdout).toContain("Paris");
    expect((await pearl(["search", "names.index", "--phrase", "names.csv"], { cwd })).code).toBe(0);
    expect((await pearl(["search", "names.index", "--", "names.csv"], { cwd })).code).toBe(0);
  });
});
