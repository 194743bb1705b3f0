/** `pearl classify` as users run it. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../setup/new-folder.js";
import { pearl } from "../run-here.js";

describe("pearl classify", () => {
  it("learns from a table, and finds the kinds of phrases and rows", async () => {
    const folder = newFolder();
    const kinds = join(folder, "kinds.json");
    const trained = await pearl([
      ...["classify", "train", "data/phrases.csv", "-o", kinds, "--reject", "0.6"],
      ...["--examples-per-class", "1", "--json", join(folder, "report.json")],
    ]);
    expect(trained.code, trained.stderr).toBe(0);
    expect(trained.stdout).toMatch(/the mean of each kind: \d+\.\d % right, probably \d+\.\d % to \d+\.\d %/);
    expect(trained.stdout).toMatch(/at --reject 0\.6: [\s\S]*deviation over 10 draws[\s\S]*wrote .*8 kinds/);
    const { kinds: sizes } = JSON.parse(readFileSync(join(folder, "report.json"), "utf8"));
    expect(sizes).toContainEqual({ name: "person", examples: 9 });

    const phrases = await pearl(["classify", "Lake Garda", "Toyota Motor", "--with", kinds, "--json"]);
    const found = phrases.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(found.map(({ kind }) => kind)).toEqual(["place", "company"]);

    const output = join(folder, "out.csv");
    const table = await pearl(["classify", "data/companies.csv", "--with", kinds, "-o", output]);
    expect(table.stdout).toContain("30 rows");
    expect(readFileSync(output, "utf8").split("\n")[0]).toBe("id,name,city,kind,probability");
  });

  it("refuses wrong usage before it writes anything", async () => {
    const folder = newFolder();
    const kinds = join(folder, "kinds.json");
    expect(await pearl(["classify", "Paris", "--with", kinds])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`pearl classify train EXAMPLES -o ${kinds}`),
    });
    expect(await pearl(["classify", "Paris"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--with"),
    });
    const few = ["classify", "train", "data/phrases.csv", "-o", kinds, "--examples-per-class", "50"];
    expect((await pearl(few)).code).toBe(1);
    expect(existsSync(kinds)).toBe(false);
  });
});
