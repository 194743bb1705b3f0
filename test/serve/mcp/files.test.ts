/** Files that an assistant writes: new ones, also where another program makes one of the name meanwhile. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { confinedFiles } from "../../../src/serve/mcp/files.js";

const root = mkdtempSync(join(tmpdir(), "pearl-mcp-files-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

it("appear when the work ends, and never over a file that came meanwhile", async () => {
  const files = await confinedFiles(root);
  const write = (made: readonly string[]): void => {
    for (const path of made) writeFileSync(path, "ours");
  };
  await files.create(["a.csv", "a.removed.csv"], async (made) => {
    write(made);
    expect(readdirSync(root)).not.toContain("a.csv");
  });
  expect(readFileSync(join(root, "a.removed.csv"), "utf8")).toBe("ours");
  const late = files.create(["b.csv", "b.removed.csv"], async (made) => {
    write(made);
    writeFileSync(join(root, "b.removed.csv"), "theirs");
  });
  await expect(late).rejects.toThrow("b.removed.csv already exists. Name a new file.");
  expect(readFileSync(join(root, "b.removed.csv"), "utf8")).toBe("theirs");
  expect(readdirSync(root).sort()).toEqual(["a.csv", "a.removed.csv", "b.removed.csv"]);
});
