/** Files that appear whole: what the old file's name, mode and kind become. */
import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeFolder, moveFile, replaceFile, writeWholeFile } from "../../src/files/whole-file.js";
import { newFolder } from "../setup/new-folder.js";

const folder = newFolder();

const ways: Readonly<Record<string, (path: string, text: string) => Promise<unknown>>> = {
  replaceFile: (path, text) => replaceFile(path, (temporary) => writeFile(temporary, text)),
  moveFile: async (path, text) => {
    writeFileSync(join(folder, "finished"), text);
    await moveFile(join(folder, "finished"), path);
    rmSync(join(folder, "finished"), { force: true });
  },
  writeWholeFile,
};

describe.each(Object.keys(ways))("%s", (way) => {
  const own = join(folder, way);
  mkdirSync(join(own, "far"), { recursive: true });

  it("keeps a file's mode, and a link to it", async () => {
    const [file, link] = [join(own, "far", "file"), join(own, "link")];
    writeFileSync(file, "old");
    chmodSync(file, 0o640);
    symlinkSync(join("far", "file"), link);
    await ways[way](link, "new");
    expect(readFileSync(file, "utf8")).toBe("new");
    expect(statSync(file).mode & 0o777).toBe(0o640);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readdirSync(own).sort()).toEqual(["far", "link"]);
    expect(readdirSync(join(own, "far"))).toEqual(["file"]);
  });

  it.skipIf(process.platform === "win32")("writes into a pipe, which stays one", async () => {
    const pipe = join(own, "pipe");
    execFileSync("mkfifo", [pipe]);
    const reader = spawn("cat", [pipe]);
    let read = "";
    reader.stdout.on("data", (chunk) => {
      read += chunk;
    });
    const ended = new Promise((resolve) => reader.on("close", resolve));
    const text = "a line\n".repeat(50_000);
    await ways[way](pipe, text);
    await ended;
    expect(read === text).toBe(true);
    expect(lstatSync(pipe).isFIFO()).toBe(true);
    expect(readdirSync(own).filter((name) => name.startsWith("pipe"))).toEqual(["pipe"]);
  });
});

describe("makeFolder", () => {
  it("makes all folders of a path, also two at a time, and takes those that exist", async () => {
    const path = join(folder, "made", "by", "two");
    await Promise.all([makeFolder(path), makeFolder(path), makeFolder(`${path}/`)]);
    expect(statSync(path).isDirectory()).toBe(true);
    await makeFolder(path);
  });

  it("fails below a file", async () => {
    writeFileSync(join(folder, "taken"), "");
    await expect(makeFolder(join(folder, "taken", "below"))).rejects.toThrow("EEXIST");
  });

  it.skipIf(process.platform !== "linux")("ends where no name can be made", async () => {
    await expect(makeFolder("/proc/pearl/below")).rejects.toThrow("ENOENT");
  });
});
