/** Folders that appear whole, and what a killed process leaves beside them. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { removePartialFolders } from "../../src/files/whole-folder.js";

const folder = mkdtempSync(join(tmpdir(), "pearl-whole-folder-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("removePartialFolders", () => {
  it("removes the temporary folders of one target, and nothing else", async () => {
    const others = ["model", "model.training", "model.partial", "model2.0123456789ab.partial"];
    for (const name of [...others, "model.0123456789ab.partial"]) mkdirSync(join(folder, name));
    await removePartialFolders(join(folder, "model"));
    expect(readdirSync(folder).sort()).toEqual([...others].sort());
  });
});
