/** Without usearch, which has no build for some platforms, every command loads and an index is searched exactly. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { VectorIndex } from "../../../src/search/vector-index.js";
import { entry } from "../../cli/run-cli.js";
import { withoutUsearch } from "./no-usearch.js";

const root = mkdtempSync(join(tmpdir(), "pearl-without-usearch-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const dimension = 4;
const vectors = Float32Array.from({ length: 20 * dimension }, (_, place) => Math.sin(place * place));
const rows = { vectors, cells: Array.from({ length: 20 }, () => []) };

/** Runs a program in which usearch is absent; `VectorIndex` is the built library's. */
function runWithout(program: string): { status: number | null; output: unknown; stderr: string } {
  const library = pathToFileURL(join(import.meta.dirname, "../../../dist/index.js")).href;
  const code = `const { VectorIndex } = await import(${JSON.stringify(library)});\n${program}`;
  const args = [...withoutUsearch(root), "--input-type=module", "-e", code];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  return { status, output: stdout === "" ? undefined : JSON.parse(stdout), stderr };
}

/** Runs `pearl` without usearch. */
function pearl(...parameters: string[]) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [...withoutUsearch(root), entry, ...parameters],
    {
      cwd: root,
      encoding: "utf8",
    },
  );
  return { status, stdout, stderr };
}

describe("without usearch", () => {
  it("every command loads", () => {
    const { status, stdout, stderr } = pearl("--help");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    for (const command of ["encode", "index", "search", "doctor"]) expect(stdout).toContain(`  ${command} `);
  });

  it("an index with a graph opens and is searched exactly, with a note that says why", async () => {
    const path = join(root, "index");
    await (await VectorIndex.build(path, [rows], { dimension, backend: "hnsw" })).close();
    const { output, stderr } = runWithout(`
      const index = await VectorIndex.open(${JSON.stringify(path)});
      const [[hit]] = await index.search(new Float32Array(${JSON.stringify([...vectors.slice(0, dimension)])}));
      const { searchedBy, note } = await index.describe();
      await index.optimise();
      await index.close();
      console.log(JSON.stringify({ key: hit.key, searchedBy, note }));`);
    expect(stderr).toBe("");
    expect(output).toMatchObject({ key: "1", searchedBy: "exact" });
    expect((output as { note: string }).note).toMatch(
      /searched exactly.*needs the package usearch.*No native build/,
    );
  });

  it("a build with the backend hnsw is refused before any work, and the message gives the cure", () => {
    const { status, stderr } = runWithout(
      `await VectorIndex.create(${JSON.stringify(join(root, "new"))}, { dimension: 4, backend: "hnsw" });`,
    );
    expect(status).not.toBe(0);
    expect(stderr).toMatch(/MissingDataError: the backend hnsw needs the package usearch.*backend exact/);
  });
});
