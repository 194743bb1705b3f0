/** Folders that appear whole, and what a killed process leaves beside them. */
import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { folderSize } from "../../src/files/disk.js";
import { checkIsFree, copyPresent, removePartialFolders } from "../../src/files/whole-folder.js";
import { newFolder } from "../setup/new-folder.js";

const folder = newFolder();

describe("checkIsFree", () => {
  it("names the file that is in the way", async () => {
    const file = join(folder, "file");
    writeFileSync(file, "");
    for (const target of [file, join(file, "below")])
      await expect(checkIsFree(target)).rejects.toThrow(`${file} is a file: name a new folder`);
    rmSync(file);
  });
});

describe("removePartialFolders", () => {
  it("removes the temporary folders of one target, and nothing else", async () => {
    const others = ["model", "model.training", "model.partial", "model2.0123456789ab.partial"];
    for (const name of [...others, "model.0123456789ab.partial"]) mkdirSync(join(folder, name));
    await removePartialFolders(join(folder, "model"));
    expect(readdirSync(folder).sort()).toEqual([...others].sort());
  });
});

describe("copyPresent and folderSize", () => {
  it("copy the files that exist into subfolders, and count bytes, links included", async () => {
    const [source, target] = [join(folder, "source"), join(folder, "target")];
    mkdirSync(join(source, "1_Pooling"), { recursive: true });
    writeFileSync(join(source, "1_Pooling", "config.json"), "12345");
    await copyPresent(["1_Pooling/config.json", "vocab.txt"], source, target);
    expect(readdirSync(target)).toEqual(["1_Pooling"]);
    symlinkSync("1_Pooling/config.json", join(target, "link"));
    expect(await folderSize(target)).toBe(10);
    expect(await folderSize(join(folder, "absent"))).toBe(0);
  });
});
