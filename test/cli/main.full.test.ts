/** The slow tests beside main.test.ts. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pearl } from "./run-cli.js";
import { pearl as pearlHere } from "./run-here.js";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "pearl-cli-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A script that Node loads before pearl, to cause errors that are hard to cause from outside. */
function preload(name: string, source: string): Record<string, string> {
  const path = join(folder, `${name}.cjs`);
  writeFileSync(path, source);
  return { NODE_OPTIONS: `--require ${path}` };
}

describe("help and version", () => {
  it("prints the package's version", async () => {
    const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
    expect(await pearl(["--version"])).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: "" });
  });

  it("lists the commands, each with help and examples", async () => {
    const { code, stdout, stderr } = await pearl(["--help"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    // the list comes from a file of the build; `pearl help` loads every command
    expect(stdout).toBe((await pearl(["help"])).stdout);
    const commands = [...stdout.split("Commands:")[1].matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name);
    expect(commands).toEqual(expect.arrayContaining(["encode", "models", "doctor"]));
    for (const command of commands.filter((name) => name !== "help" && name !== "pearl")) {
      const help = await pearlHere([command, "--help"]);
      expect(help.code, command).toBe(0);
      expect(help.stdout, command).toMatch(new RegExp(`Examples:\\n  pearl ${command} `));
    }
  });

  it("loads no native library to print help", async () => {
    const list = join(folder, "loaded.txt");
    const environment = preload(
      "list-libraries",
      `process.on("exit", () => require("fs").writeFileSync(${JSON.stringify(list)},
         process.report.getReport().sharedObjects.join("\\n")));`,
    );
    await pearl(["--help"], { environment });
    const loaded = readFileSync(list, "utf8");
    expect(loaded).not.toBe("");
    expect(loaded).not.toMatch(/\.node$/m);
  });

  it("prints help on stderr and exits with 2 without a command", async () => {
    const { code, stdout, stderr } = await pearl([]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("Commands:");
  });
});

describe("wrong usage", () => {
  it.each([
    ["encode", "--dims", "9999", "must be between 1 and 600, not 9999"],
    ["cluster", "--k", "99", "is 99, but there are only 63 different phrases. Choose a smaller k."],
  ])("names an option of %s as it was typed: %s %s", async (command, option, value, message) => {
    const output = join(folder, "never.csv");
    const parameters = [command, "data/phrases.csv", "-c", "phrase", option, value, "-q", "-o", output];
    expect(await pearlHere(parameters)).toMatchObject({ code: 2, stderr: `pearl: ${option} ${message}\n` });
  });
});

describe("trouble", () => {
  it("prints one line and exits with 1 for bad input", async () => {
    const { code, stderr } = await pearl(["models", "/nowhere/at-all"]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: "pearl: /nowhere/at-all: no such model folder\n" });
  });

  it("shows the stack with PEARL_DEBUG=1", async () => {
    const { stderr } = await pearl(["models", "/nowhere"], { environment: { PEARL_DEBUG: "1" } });
    expect(stderr).toMatch(/ModelError: .*\n {4}at /);
  });

  it("prints one line for an unexpected error", async () => {
    const environment = preload(
      "break-output",
      `process.stdout.write = () => { throw new TypeError("the output is broken"); };`,
    );
    const { code, stderr } = await pearl(["models"], { environment });
    expect(code).toBe(1);
    expect(stderr).toBe("pearl: the output is broken (unexpected; set PEARL_DEBUG=1 for the stack)\n");
  });

  it("ends quietly if the reader closes the pipe", async () => {
    const { code, stderr } = await pearl(["models"], { onStart: (child) => child.stdout?.destroy() });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });
});
