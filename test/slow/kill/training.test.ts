/** Five times kill -9 at random points of a 200-step run: each resumed run ends at the same bytes. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { createRandom } from "../../../src/random.js";
import { makeOracleModel } from "../../encoder/oracle-model.js";
import { newFolder } from "../../setup/new-folder.js";
import { somePairs, writeTable } from "../../training/pairs-folder.js";

const entry = fileURLToPath(new URL("../../../dist/cli/main.js", import.meta.url));

/** Runs `pearl finetune`; kills it after some milliseconds where given. @returns the exit code, or null if killed */
function run(parameters: readonly string[], killAfter?: number): Promise<number | null> {
  const child = spawn(process.execPath, [entry, "finetune", ...parameters], { stdio: "ignore" });
  const timer = killAfter === undefined ? undefined : setTimeout(() => child.kill("SIGKILL"), killAfter);
  return new Promise((resolve) => {
    child.on("close", (code) => {
      clearTimeout(timer);
      resolve(code);
    });
  });
}

describe("pearl finetune under kill -9", () => {
  it("ends at the same weights, bit for bit, as without a kill", { timeout: 600_000 }, async () => {
    const folder = newFolder();
    const settings = [
      ...["--base", makeOracleModel("encoder.folded.onnx"), "--seed", "3", "--lr", "1e-3", "--quiet"],
      ...["--pairs", writeTable(somePairs(200), ["text", "positive", "negative", "type"])],
      ...["--batch-size", "20", "--epochs", "20", "--checkpoint-every", "7", "--device", "cpu"],
    ];
    const started = performance.now();
    expect(await run([...settings, "-o", join(folder, "straight")])).toBe(0);
    const duration = performance.now() - started;
    const random = createRandom(1);
    let kills = 0;
    for (let trial = 0; kills < 5; trial++) {
      const output = join(folder, `killed-${trial}`);
      const code = await run([...settings, "-o", output, "--resume"], random() * duration);
      if (code === 0) continue;
      kills++;
      // every second one is killed again after it resumed
      if (kills % 2 === 0) await run([...settings, "-o", output, "--resume"], random() * duration);
      const rest = await run([...settings, "-o", output, "--resume"]);
      // 1: the second run had finished the model before it was killed
      expect([0, 1]).toContain(rest);
      for (const file of ["onnx/model.onnx", "training.json"])
        expect(readFileSync(join(output, file)), `${file}, trial ${trial}`).toEqual(
          readFileSync(join(folder, "straight", file)),
        );
    }
  });
});
