/** kill -9 at random moments of building, adding and deleting: the index opens with every acknowledged row. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createRandom } from "../../../src/random.js";
import { VectorIndex } from "../../../src/search/vector-index.js";
import { entry } from "../../cli/run-cli.js";

const folder = mkdtempSync(join(tmpdir(), "pearl-index-kill-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const dimension = 96;

/** A vector computed from its row, which reveals rows with a wrong vector. Most of it lies along 32 axes. */
const vectorOf = (row: number): number[] =>
  Array.from(
    { length: dimension },
    (_, index) =>
      (((Math.sin(row * 12.9898 + index * 78.233) * 43758.5453) % 1) - 0.1) * (index < 32 ? 1 : 0.1),
  );

/** Adds rows for ever, tidies up now and then, deletes every hundredth row, and prints each acknowledgement. */
const script = `
  import { VectorIndex } from "./dist/search/vector-index.js";
  const [path] = process.argv.slice(1);
  const options = { dimension: ${dimension}, columns: ["number"], keyColumn: "number", backend: "hnsw" };
  const index = await VectorIndex.open(path).catch(() => VectorIndex.create(path, options));
  const keys = [];
  for await (const { key } of index.entries()) keys.push(Number(key));
  let row = Math.max(-1, ...keys) + 1;
  const vectorOf = ${vectorOf.toString().replaceAll("dimension", String(dimension))};
  for (let batch = 0; ; batch++) {
    const rows = Array.from({ length: 1 + (batch * 37) % 400 }, (_, index) => row + index);
    await index.add({ vectors: Float32Array.from(rows.flatMap(vectorOf)), cells: rows.map((number) => [String(number)]) });
    row += rows.length;
    process.stdout.write("rows " + row + "\\n");
    const victims = rows.filter((number) => number % 100 === 0).map(String);
    await index.delete({ keys: victims });
    process.stdout.write(victims.map((key) => "deleted " + key + "\\n").join(""));
    if (batch % 10 === 9) await index.optimise();
  }
`;

async function runAndKill(
  parameters: readonly string[],
  milliseconds: number,
  input?: string,
): Promise<string> {
  const child = spawn(process.execPath, parameters, { cwd: input ?? process.cwd() });
  let text = "";
  child.stdout.on("data", (data) => {
    text += data;
  });
  let errors = "";
  child.stderr.on("data", (data) => {
    errors += data;
  });
  const ended = new Promise<void>((resolve) => child.on("close", () => resolve()));
  // Counted from the first output, so that a slow start of the process takes nothing from it.
  await Promise.race([ended, new Promise((resolve) => child.stdout.once("data", resolve))]);
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
  child.kill("SIGKILL");
  await ended;
  expect(errors).toBe("");
  return text;
}

describe("an index whose writer is killed", () => {
  it("keeps every acknowledged row and deletion through 12 kills", async () => {
    const path = join(folder, "killed");
    const random = createRandom(7);
    let acknowledged = 0;
    const deleted = new Set<string>();
    for (let kill = 0; kill < 12; kill++) {
      const text = await runAndKill(["--input-type=module", "-e", script, path], random() * 900);
      for (const [, count] of text.matchAll(/^rows (\d+)$/gm))
        acknowledged = Math.max(acknowledged, Number(count));
      for (const [, key] of text.matchAll(/^deleted (\d+)$/gm)) deleted.add(key);
      const index = await VectorIndex.open(path);
      await index.verify();
      const keys = new Set<string>();
      for await (const { key, cells } of index.entries()) {
        if (cells.length !== 1 || cells[0] !== key) throw new Error(`row ${key} holds ${cells}`);
        keys.add(key);
      }
      const all = Array.from({ length: acknowledged }, (_, row) => String(row));
      // An interrupted deletion may have happened or not; an acknowledged one has.
      expect(all.filter((key) => deleted.has(key) && keys.has(key))).toEqual([]);
      expect(all.filter((key) => Number(key) % 100 !== 0 && !keys.has(key))).toEqual([]);
      const asked = Array.from({ length: 5 }, () => Math.floor(random() * acknowledged)).filter(
        (row) => row % 100 > 0,
      );
      const hits = await index.search(Float32Array.from(asked.flatMap(vectorOf)), { k: 1 });
      hits.forEach(([hit], query) => {
        expect(hit.score).toBeCloseTo(1, 4);
        expect(hit.key).toBe(String(asked[query]));
      });
      await index.close();
    }
    expect(acknowledged).toBeGreaterThan(1000);
    expect(deleted.size).toBeGreaterThan(10);
  }, 300_000);

  it("is finished by --resume with the same rows as without a kill", async () => {
    const rows = 40_000;
    const names = Array.from({ length: rows }, (_, row) => `name ${row} of ${(row * 7919) % rows}`);
    writeFileSync(join(folder, "names.txt"), `${names.join("\n")}\n`);
    const build = [entry, "index", "build", "names.txt", "-o", "resumed", "--backend", "exact", "-q"];
    for (let kill = 0; kill < 3; kill++) {
      const child = spawn(process.execPath, [...build, "--resume"], { cwd: folder, stdio: "ignore" });
      const ended = new Promise((resolve) => child.on("close", resolve));
      await new Promise((resolve) => setTimeout(resolve, 1200 + kill * 300));
      child.kill("SIGKILL");
      await ended;
      const index = await VectorIndex.open(join(folder, "resumed")).catch(() => undefined);
      if (index === undefined) continue;
      let count = 0;
      for await (const { cells } of index.entries()) expect(cells[0]).toBe(names[count++]);
      await index.close();
    }
    const child = spawn(process.execPath, [...build, "--resume"], { cwd: folder, stdio: "ignore" });
    await new Promise((resolve) => child.on("close", resolve));
    const index = await VectorIndex.open(join(folder, "resumed"));
    expect((await index.describe()).unfinished).toBeUndefined();
    await index.verify();
    let count = 0;
    for await (const { key, cells } of index.entries()) {
      expect([key, ...cells]).toEqual([String(count + 1), names[count]]);
      count++;
    }
    expect(count).toBe(rows);
    await index.close();
  }, 300_000);
});
