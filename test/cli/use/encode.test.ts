/** `pearl encode` as users run it: the compiled program in a folder of its own. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { pearl } from "../run-here.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pearl-encode-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("pearl encode with bad input: one clear line, the right code, no output", () => {
  it("a directory", async () => {
    const { code, stderr } = await pearl(["encode", "."], { cwd: folder });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/directory|folder/) });
    expect(existsSync(join(folder, "..embeddings.parquet"))).toBe(false);
  });
});
