/** Folders of temporary files, and what is done with those that killed processes left. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import {
  inTemporaryFolder,
  makeTemporaryFolder,
} from "../../../src/files/object-storage/temporary-folder.js";
import { newFolder } from "../../setup/new-folder.js";

/** Leaves what a killed process leaves: its lock names a process that has ended. */
function abandon(folder: string): void {
  const pid = Number(execFileSync(process.execPath, ["-p", "process.pid"]));
  const lock = JSON.parse(readFileSync(join(folder, "lock"), "utf8"));
  writeFileSync(join(folder, "lock"), JSON.stringify({ ...lock, pid }));
}

it("removes the folders of killed processes, and no others", async () => {
  const parent = newFolder();
  const [dead, alive] = [
    await makeTemporaryFolder(parent, "table"),
    await makeTemporaryFolder(parent, "job"),
  ];
  writeFileSync(join(dead, "table.db"), "cells");
  abandon(dead);
  const foreign = join(parent, "pearl-tables-mine");
  cpSync(dead, foreign, { recursive: true });
  const unlocked = join(parent, "pearl-table-aaaaaa");
  mkdirSync(unlocked);
  // each folder is looked through once by a process
  const other = newFolder();
  cpSync(parent, other, { recursive: true });
  const inOther = (path: string) => join(other, path.slice(parent.length));
  await makeTemporaryFolder(other, "output");
  expect(existsSync(inOther(dead))).toBe(false);
  expect([alive, foreign, unlocked].map(inOther).filter(existsSync)).toHaveLength(3);
});

it("finds the folder of a process that was killed with -9 a moment ago", async () => {
  const parent = newFolder();
  const module = join(process.cwd(), "dist/files/object-storage/temporary-folder.js");
  const script = `import { makeTemporaryFolder as make } from ${JSON.stringify(module)};
    console.log(await make(process.argv[1], "table")); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script, parent]);
  const [folder] = (await once(child.stdout, "data")).map((text) => String(text).trim());
  child.kill("SIGKILL");
  await once(child, "close");
  expect(existsSync(folder)).toBe(true);
  await makeTemporaryFolder(parent, "table");
  expect(existsSync(folder)).toBe(false);
});

it("gives work an empty folder, which ends with it", async () => {
  const used = await inTemporaryFolder(async (folder) => {
    expect(readdirSync(folder)).toEqual([]);
    return folder;
  });
  expect(existsSync(used)).toBe(false);
});
