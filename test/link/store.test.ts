/** Where a store's database puts what has no room in memory. */
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Store, withStore } from "../../src/link/store.js";
import { workFolder } from "./linking.js";

const { path } = workFolder("store");
const memory = { bytes: 1e9, folder: path("temporary") };
mkdirSync(memory.folder);

/** Fills a table of 40 MB in 20 MB of memory. @returns the folders that hold the rest */
async function overflow(store: Store): Promise<string[]> {
  await store.query("SET memory_limit = '20MB'");
  const lines = (function* () {
    for (let row = 0; row < 150_000; row++) yield [row, `${Math.sin(row)}`.repeat(14)];
  })();
  await store.makeTemporary("new_lines", "row INTEGER, text VARCHAR", lines);
  return readdirSync(memory.folder);
}

describe("a store within a limit of memory", () => {
  it("uses the limit's folder, and leaves nothing there", async () => {
    const [folder, ...more] = await withStore(path("store"), "any", overflow, memory);
    expect(more).toEqual([]);
    expect(folder).toMatch(/^pearl-store-[0-9a-f]{16}$/);
    expect(readdirSync(memory.folder)).toEqual([]);
    expect(readdirSync(path("."))).not.toContain("store.tmp");
  });

  it("takes over what a killed run left", async () => {
    const [folder] = await withStore(path("store"), "any", overflow, memory);
    mkdirSync(join(memory.folder, folder));
    writeFileSync(join(memory.folder, folder, "duckdb_temp_storage_DEFAULT-0.tmp"), "left");
    expect(await withStore(path("store"), "any", overflow, memory)).toEqual([folder]);
    expect(readdirSync(memory.folder)).toEqual([]);
  });
});
