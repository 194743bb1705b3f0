/** A writer killed with SIGKILL at any moment leaves no output, and the next run ends with the same file. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";

const rows = 40_000;
const dimension = 256;
const folder = mkdtempSync(join(tmpdir(), "pearl-kill-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const input = join(folder, "input.csv");
writeFileSync(input, `id,name\n${Array.from({ length: rows }, (_, row) => `${row},name ${row}\n`).join("")}`);

/** Writes vectors computed from their rows, and prints its progress. */
const script = `
  import { EmbeddingWriter, Table } from "./dist/index.js";
  const [input, output, resume] = process.argv.slice(1);
  const table = await Table.open(input, { workFolder: ${JSON.stringify(folder)} });
  const writer = await EmbeddingWriter.create(table, output, { dimension: ${dimension}, fingerprint: "f", resume });
  console.log("resumed", writer.rowsDone);
  for (let row = writer.rowsDone; row < ${rows}; ) {
    const count = Math.min(500, ${rows} - row);
    await writer.append(Float32Array.from({ length: count * ${dimension} }, (_, i) => row + i / ${dimension}));
    row += count;
  }
  console.log("finishing");
  await writer.finish();
  await table.close();
  console.log("finished");
`;

function start(output: string, resume: string): { child: ChildProcess; ended: Promise<string> } {
  const child = spawn(process.execPath, ["--input-type=module", "-e", script, input, output, resume]);
  let text = "";
  child.stdout?.on("data", (data) => {
    text += data;
  });
  child.stderr?.pipe(process.stderr);
  return { child, ended: new Promise((resolve) => child.on("close", () => resolve(text))) };
}

async function run(output: string, resume: string): Promise<string> {
  return await start(output, resume).ended;
}

/** Kills the writer after a time, counted from the start or from the moment it begins to finish. */
async function killed(output: string, after: "start" | "finishing", milliseconds: number): Promise<string> {
  const { child, ended } = start(output, "continue");
  await new Promise<void>((resolve) => {
    if (after === "start") resolve();
    else child.stdout?.on("data", (data) => String(data).includes("finishing") && resolve());
    child.on("close", () => resolve());
  });
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
  child.kill("SIGKILL");
  return await ended;
}

describe.each(["parquet", "csv", "npy"])("%s", (extension) => {
  it("survives six kills while writing and four while finishing", async () => {
    const expected = join(folder, `expected.${extension}`);
    expect(await run(expected, "start-over")).toContain("finished");
    const output = join(folder, `killed.${extension}`);
    let furthest = 0;
    for (let kill = 0; kill < 10; kill++) {
      const text =
        kill < 6
          ? await killed(output, "start", 150 + kill * 100)
          : await killed(output, "finishing", (kill - 6) * 20);
      const resumed = Number(/resumed (\d+)/.exec(text)?.[1] ?? furthest);
      expect(resumed).toBeGreaterThanOrEqual(furthest);
      furthest = resumed;
      if (text.includes("finished") || existsSync(output)) {
        // Too late to be killed: the output must be whole, and the next run starts anew.
        expect(readFileSync(output).equals(readFileSync(expected))).toBe(true);
        rmSync(output);
        furthest = 0;
      }
    }
    expect(await run(output, "continue")).toContain("finished");
    expect(readFileSync(output).equals(readFileSync(expected))).toBe(true);
    expect(existsSync(`${output}.partial`)).toBe(false);
  });
});
