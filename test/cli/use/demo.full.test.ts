/** `pearl demo` is a first try: tables of its own, a command to repeat, and never a file overwritten. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../setup/new-folder.js";
import { pearl } from "../run-here.js";

describe("pearl demo", () => {
  it("joins two tables in a new folder, with a command that gives the same again, and explains a match", async () => {
    const cwd = newFolder();
    const { code, stdout } = await pearl(["demo", "--json", "report.json"], { cwd });
    expect(code).toBe(0);
    const folder = join(cwd, "pearl-demo");
    const report = JSON.parse(readFileSync(join(cwd, "report.json"), "utf8"));
    expect(report.pairs).toHaveLength(report.matches);
    expect(report.pairs).toContainEqual(
      expect.objectContaining({ supplier: "SIEMENS A.G.", company: "Siemens AG" }),
    );
    expect(report.unmatched).toContain("Bernini Pasta");
    expect(readdirSync(folder).sort()).toEqual(["companies.csv", "joined.csv", "suppliers.csv"]);
    expect(stdout).toMatch(/^SIEMENS A\.G\. +Siemens AG +[01]\.\d\d$/m);
    expect(stdout).toMatch(/found no company that is likely enough: .*Bernini Pasta/);
    expect(stdout).toMatch(/explains each match\. .* = .*:\n {2}\S/);
    for (const next of ["pearl join LEFT.csv", "pearl dedupe TABLE.csv"]) expect(stdout).toContain(next);

    const joined = readFileSync(join(folder, "joined.csv"), "utf8");
    const [, command] = /^ {2}npx pearl (join .*)$/m.exec(stdout) ?? [];
    rmSync(join(folder, "joined.csv"));
    expect(await pearl(command.split(" "), { cwd: folder })).toMatchObject({ code: 0 });
    expect(readFileSync(join(folder, "joined.csv"), "utf8")).toBe(joined);
  });

  it("overwrites nothing, and takes the name of another folder", async () => {
    const cwd = newFolder();
    writeFileSync(join(cwd, "pearl-demo"), "mine");
    const refused = await pearl(["demo"], { cwd });
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toContain("pearl-demo is a file: name a new folder for the output.");
    expect(readFileSync(join(cwd, "pearl-demo"), "utf8")).toBe("mine");
    const quiet = await pearl(["demo", "my try", "--quiet"], { cwd });
    expect(quiet).toMatchObject({ code: 0, stderr: "", stdout: expect.stringContaining('cd "my try"\n') });
    expect(readdirSync(join(cwd, "my try"))).toContain("joined.csv");
  });
});
