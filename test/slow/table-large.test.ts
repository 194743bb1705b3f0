/** Large tables are processed in bounded memory, and a full disk gives one clear line. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { mountSmallDisk } from "./small-disk.js";

const folder = mkdtempSync(join(tmpdir(), "pearl-large-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function measured(...options: string[]): { peakMemoryMB: number; rowsPerSecond: number } {
  const json = join(folder, "result.json");
  execFileSync(process.execPath, ["benchmarks/table-speed.mjs", "--json", json, ...options], {
    stdio: "pipe",
  });
  return JSON.parse(execFileSync("cat", [json]).toString());
}

describe("memory", () => {
  it("stays under 1 GB for 1,000,000 rows of 256 numbers", () => {
    expect(measured("--rows", "1000000").peakMemoryMB).toBeLessThan(1000);
  });
  it("stays under 1.5 GB for 5,000,000 short rows", () => {
    expect(measured("--rows", "5000000", "--dimension", "16").peakMemoryMB).toBeLessThan(1500);
  });
  it.each(["csv", "jsonl", "npy"])("stays under 1 GB for 300,000 rows written as %s", (format) => {
    expect(measured("--rows", "300000", "--format", format).peakMemoryMB).toBeLessThan(1000);
  });
});

it("has more keys than a map of JavaScript has room for", () => {
  const script = `
    import { KeyRows } from "./dist/search/store/folder-store.js";
    const rows = new KeyRows();
    for (let row = 0; row <= 2 ** 24; row++) rows.set(String(row), row);
    console.log(rows.get("0"), rows.get(String(2 ** 24)));`;
  const words = ["--max-old-space-size=4096", "--input-type=module", "-e", script];
  expect(execFileSync(process.execPath, words).toString()).toBe("0 16777216\n");
});

it("has a sample of more accepted pairs than a map has room for", () => {
  const script = `
    import { auditOf } from "./dist/match/estimates/audit.js";
    const accepted = Int32Array.from({ length: 2 ** 24 + 1 }, (_, pair) => pair);
    const level = { table: { left: accepted, right: accepted }, probability: accepted, accepted };
    console.log(auditOf(() => [level], new Map()).open(0.9).length);`;
  expect(execFileSync(process.execPath, ["--input-type=module", "-e", script]).toString()).toBe("100\n");
});

const small = join(folder, "small");
const { isMounted } = mountSmallDisk(small, "4m");

describe.skipIf(!isMounted)("a full disk (skipped where no file system can be mounted)", () => {
  const script = `
    import { EmbeddingWriter, Table } from "./dist/index.js";
    const [input, output, dimension, workFolder] = process.argv.slice(1);
    try {
      const table = await Table.open(input, { workFolder });
      const writer = await EmbeddingWriter.create(table, output, { dimension: Number(dimension), fingerprint: "f" });
      const rows = table.description.rowCount;
      for (let row = 0; row < rows; row += 1000) {
        await writer.append(new Float32Array(Math.min(1000, rows - row) * dimension).fill(0.123456));
      }
      await writer.finish();
      console.log("finished");
    } catch (error) {
      console.log(error.name, error.message);
    }`;
  const input = join(folder, "input.csv");
  writeFileSync(
    input,
    `id,name\n${Array.from({ length: 20_000 }, (_, row) => `${row},name ${row}\n`).join("")}`,
  );
  const run = (output: string, dimension: number, workFolder = folder, from = input) =>
    execFileSync(process.execPath, [
      "--input-type=module",
      "-e",
      script,
      from,
      output,
      String(dimension),
      workFolder,
    ]).toString();

  it.each([
    ["while vectors come in", "out.parquet", 100],
    ["while the text is written", "out.csv", 40],
    ["while the keys are written", "out.npy", 52],
  ])("is named %s, and nothing stands under the final name", (_, name, dimension) => {
    const output = join(small, name);
    expect(run(output, dimension)).toMatch(/^TableError .*no space left on the disk\. Free some/);
    expect(existsSync(output)).toBe(false);
    rmSync(`${output}.partial`, { recursive: true });
  });
  it("is named while the table is read", () => {
    const large = join(folder, "large.csv");
    writeFileSync(large, `id,name\n${"1,some name or other\n".repeat(400_000)}`);
    expect(run(join(folder, "other.parquet"), 2, small, large)).toMatch(
      /^TableError .*no space left on the disk/,
    );
    expect(readdirSync(small)).toEqual([]);
  });
});
