/** kill -9 while golden records are written: no file is under its name before it is whole. */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { entry, pearl } from "../../cli/run-cli.js";

const folder = mkdtempSync(join(tmpdir(), "pearl-golden-kill-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const path = (name: string): string => join(folder, name);
const lines = Array.from(
  { length: 60_000 },
  (_, row) => `${row >> 1},text ${row} ${"of a long note ".repeat(8)}`,
);
writeFileSync(path("t.csv"), `code,note\n${lines.join("\n")}\n`);
const outputs = ["golden.csv", "origins.jsonl", "kept.csv"];
const parameters =
  "dedupe t.csv -c code --remove-likely -m none -q --no-removed -o kept.csv --golden golden.csv --golden-json origins.jsonl".split(
    " ",
  );

it("golden records and their origins are whole, or not there", async () => {
  expect((await pearl(parameters, { cwd: folder })).code).toBe(0);
  const whole = Object.fromEntries(outputs.map((name) => [name, readFileSync(path(name), "utf8")]));
  expect(whole["golden.csv"].split("\n").length).toBe(30_002);
  for (const during of outputs) {
    for (const name of readdirSync(folder)) if (name !== "t.csv") rmSync(path(name));
    const child = spawn(process.execPath, [entry, ...parameters], { cwd: folder, stdio: "ignore" });
    const ended = new Promise((resolve) => child.on("close", resolve));
    while (child.exitCode === null && !readdirSync(folder).some((name) => name.startsWith(`${during}.`)))
      await new Promise((resolve) => setTimeout(resolve, 1));
    child.kill("SIGKILL");
    await ended;
    expect(child.signalCode, during).toBe("SIGKILL");
    expect(existsSync(path(during)), during).toBe(false);
    for (const name of outputs.slice(0, outputs.indexOf(during)))
      expect(readFileSync(path(name), "utf8") === whole[name], name).toBe(true);
  }
}, 120_000);
