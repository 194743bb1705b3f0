/** When a device fails during encoding (simulated by test/runtime/fake-webgpu.cjs), the CPU finishes and nothing is lost. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readManifest } from "../../../src/files/shards/part-file.js";
import { pearl } from "../../cli/run-cli.js";
import { makeOracleModel } from "../../encoder/oracle-model.js";
import { fakeWebgpu } from "../../runtime/fake-webgpu.js";
import { newFolder } from "../../setup/new-folder.js";
import { somePairs } from "../../training/pairs-folder.js";

const phrases = somePairs(1500).map(([text]) => text);
const folder = newFolder();
const table = join(folder, "phrases.txt");
writeFileSync(table, phrases.join("\n"));
const model = makeOracleModel("encoder.folded.onnx");

async function encode(device: string, environment: Record<string, string> = {}) {
  const args = ["encode", table, "-m", model, "-o", "-", "--format", "jsonl", "--batch-size", "40"];
  const outcome = await pearl([...args, "--device", device], { environment });
  expect(outcome.code, outcome.stderr).toBe(0);
  const rows = outcome.stdout.trim().split("\n");
  return { stderr: outcome.stderr, rows: rows.map((line) => JSON.parse(line)) };
}

describe("encoding on a device that fails", () => {
  it.each([
    ["once", { failAt: 12 }],
    ["for good", { failAt: 30, lost: true }],
  ])("gives the CPU's vectors for every phrase, and says so in one line: %s", async (_, fake) => {
    const [cpu, fallen] = [await encode("cpu"), await encode("webgpu", fakeWebgpu(fake))];
    expect(fallen.stderr.match(/fail.*/g)).toEqual([
      "failed (device lost (a test)): encoding continues on the CPU",
    ]);
    expect(fallen.stderr).toContain(
      "\nwebgpu failed (device lost (a test)): encoding continues on the CPU\n",
    );
    expect(fallen.rows.map(({ phrase }) => phrase)).toEqual(phrases);
    expect(cpu.rows).toHaveLength(phrases.length);
    fallen.rows.forEach(({ embedding }, row) => {
      for (const [i, value] of cpu.rows[row].embedding.entries())
        expect(Math.abs(embedding[i] - value)).toBeLessThan(1e-5);
    });
  });

  it("names both devices in the part of a shard", async () => {
    const part = join(folder, "fallen.part");
    const args = ["encode", table, "-m", model, "--shard", "1/1", "-o", part, "--device", "webgpu"];
    const { code, stderr } = await pearl(args, { environment: fakeWebgpu({ failAt: 3 }) });
    expect(code, stderr).toBe(0);
    expect((await readManifest(part)).model).toMatch(/^\w{16} on webgpu, from row 1 on cpu$/);
  });

  it("opens a model on the CPU that the device which auto chose cannot run", async () => {
    const fake = fakeWebgpu({ refused: "run", delay: { cpu: 200 } });
    const { stderr } = await encode("auto", { ...fake, XDG_CACHE_HOME: folder });
    expect(stderr).toContain("device auto: webgpu, ");
    expect(stderr).toContain(", on cpu\n");
    expect(stderr).toContain("  not webgpu: refused (a test)\n");
  });

  it.each([
    ["open", /^pearl: device webgpu does not work here: refused \(a test\)\. Use --device auto or cpu\.$/m],
    [
      "run",
      /^pearl: pearl-oracle-\w+ does not run on device webgpu: refused \(a test\)\. Use --device cpu\.$/m,
    ],
  ] as const)("ends where a named device cannot %s the model", async (refused, message) => {
    const parameters = ["encode", table, "-m", model, "-o", "-", "--device", "webgpu"];
    const { code, stderr } = await pearl(parameters, { environment: fakeWebgpu({ refused }) });
    expect(code).toBe(1);
    expect(stderr).toMatch(message);
  });
});
