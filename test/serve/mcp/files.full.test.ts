/** Files that an assistant writes: new ones, also where another program makes one of the name meanwhile. */
import { spawnSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
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

it("are named with a table or a sheet of them, which leads nowhere else", async () => {
  const files = await confinedFiles(root);
  writeFileSync(join(root, "shop.db"), "");
  const real = join(realpathSync(root), "shop.db");
  expect(await files.existing("./shop.db?table=../x")).toBe(`${real}?table=../x`);
  await expect(files.existing("../shop.db?table=x")).rejects.toThrow("there is no such file");
});

it("are regular: a pipe, also one inside an index, is refused before it is opened", async () => {
  mkdirSync(join(root, "an.index", "generation-1"), { recursive: true });
  for (const pipe of ["pipe.csv", "an.index/generation-1/vectors"]) spawnSync("mkfifo", [join(root, pipe)]);
  symlinkSync("pipe.csv", join(root, "link.csv"));
  writeFileSync(join(root, "table.csv"), "name\nIBM\n");
  const files = await confinedFiles(root);
  for (const path of ["pipe.csv", "link.csv"])
    await expect(files.existing(path)).rejects.toThrow(
      `${path} is a pipe, socket or device: name a regular file.`,
    );
  const shown = await files.existing("postgres://me:s3cret@host/db?table=x").catch(String);
  expect(shown).toContain("postgres://me:***@host/db?table=x: there is no such file");
  await expect(files.existingFolder("an.index")).rejects.toThrow(/generation-1\/vectors is a pipe/);
  expect(await files.existing("table.csv")).toBe(join(realpathSync(root), "table.csv"));
});
