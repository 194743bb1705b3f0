/** Training on WebGPU with weights resident there, on a GPU or on SwiftShader (scripts/install-swiftshader.sh). */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { finetune } from "../../../src/methods/pairs/finetune.js";
import { encodeModel } from "../../../src/onnx/io/file.js";
import { createOrtSession } from "../../../src/runtime/ort-session.js";
import { makeOracleModel } from "../../encoder/oracle-model.js";
import { maskFeeds, maskGraph } from "../../onnx/rewrite/mask-graph.js";
import { newFolder } from "../../setup/new-folder.js";
import { expectTwentyAdamSteps } from "../../training/oracle-claims.js";
import { oracleProgram } from "../../training/oracle-task.js";
import { somePairs, writeTable } from "../../training/pairs-folder.js";
import { expectSameTraining } from "../../training/same-training.js";
import { webgpuWorks } from "./webgpu-device.js";

const works = await webgpuWorks();
const device = "webgpu";

describe.skipIf(!works)("training on WebGPU", () => {
  it("reaches the weights of training in memory: clipped, in chunks and resumed", () =>
    expectSameTraining({ clipNorm: 0.05 }, { device }, 1e-4));

  it("20 Adam steps end at PyTorch's weights", () =>
    expectTwentyAdamSteps(oracleProgram(), "in one pass", { device }));

  it("drops the CPU's elements", async () => {
    const [cpu, gpu] = await Promise.all(
      (["cpu", device] as const).map(async (on) => {
        const session = await createOrtSession(encodeModel(maskGraph(3, 0.1)), { device: on });
        const masks = await session.run(maskFeeds(2 ** 31 - 2, [5, 12, 40, 33]));
        await session.release();
        return masks;
      }),
    );
    expect(gpu).toEqual(cpu);
  });

  it("pearl finetune has the same losses as on the CPU", async () => {
    const pairs = writeTable(somePairs(24), ["text", "positive", "negative", "type"]);
    const base = makeOracleModel("encoder.folded.onnx");
    const lossesOn = async (where: "cpu" | "webgpu") => {
      const output = join(newFolder(), "tuned");
      await finetune({ base, pairs, output, epochs: 2, batchSize: 12, learningRate: 1e-3, device: where });
      const lines = readFileSync(join(output, "metrics.jsonl"), "utf8").trim().split("\n");
      return lines.map((line) => JSON.parse(line).loss);
    };
    const [cpu, gpu] = [await lossesOn("cpu"), await lossesOn(device)];
    expect(gpu).toHaveLength(4);
    gpu.forEach((loss, i) => expect(Math.abs(loss - cpu[i])).toBeLessThan(1e-4));
  });
});
