/** The WebAssembly runtime in processes of their own: int8, `pearl doctor`, and a training. */
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { pearl } from "../../cli/run-cli.js";
import { makeOracleModel } from "../../encoder/oracle-model.js";
import { differenceInWebAssembly, web } from "../../runtime/in-webassembly.js";

describe("without onnxruntime-node", () => {
  it("gives native vectors in int8, on two threads", async () => {
    expect(await differenceInWebAssembly({ precision: "int8", threads: 2 })).toBeLessThan(1e-3);
  });

  it("says in pearl doctor which runtime works, and how to get the native one", async () => {
    const { stdout } = await pearl(["doctor"], { environment: web });
    expect(stdout).toMatch(/with onnxruntime-web [\d.]+, WebAssembly: slower; docs\/dependencies\.md/);
    expect(stdout).toContain("webgpu: does not work (it needs onnxruntime-node, which is not installed)");
  });

  it("trains to the native runtime's loss, and the record names the runtime", async () => {
    const base = makeOracleModel("encoder.folded.onnx");
    const folder = mkdtempSync(join(tmpdir(), "pearl-web-"));
    const losses = await Promise.all(
      [{}, web].map(async (environment, i) => {
        const output = join(folder, `model-${i}`);
        const { code, stderr } = await pearl(
          [
            "finetune",
            "--base",
            base,
            "--pairs",
            "data/pairs.csv",
            "-o",
            output,
            "--epochs",
            "1",
            "--batch-size",
            "8",
          ],
          { environment },
        );
        expect(code, stderr).toBe(0);
        const record = JSON.parse(readFileSync(join(output, "training.json"), "utf8"));
        return { loss: record.result.loss as number, runtime: record.runtime as string };
      }),
    );
    expect(losses[1].runtime).toMatch(/^onnxruntime-web \d/);
    expect(losses[1].loss).toBeCloseTo(losses[0].loss, 4);
  });
});
