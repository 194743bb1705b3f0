import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { presets, readPreset } from "../../../src/methods/settings/method-settings.js";
import { newFolder } from "../../training/pairs-folder.js";

describe("presets", () => {
  it("hold PEARL's published numbers", () => {
    expect(presets["pearl-small"]).toMatchObject({
      ...{
        base: "intfloat/e5-small-v2",
        characters: { from: "pretrained-love", width: 96 },
        hardNegatives: 2,
        anchors: 5,
      },
      ...{ learningRate: 3e-5, temperature: 0.07, epochs: 2, averageWithBase: 0.5 },
      schedule: { kind: "exponential", factor: 0.98, every: 2000 },
    });
    expect(presets["pearl-base"]).toMatchObject({ base: "intfloat/e5-base-v2", characters: { width: 288 } });
  });

  it("can be changed by a file; its unknown settings are named", async () => {
    const file = (text: string) => {
      const path = join(newFolder(), "mine.yaml");
      writeFileSync(path, text);
      return path;
    };
    const mine = await readPreset(file("preset: from-scratch\nepochs: 7\nsynonymShares: { names: 2 }\n"));
    expect(mine).toEqual({ ...presets["from-scratch"], epochs: 7, synonymShares: { names: 2 } });
    await expect(readPreset(file("epoch: 7\n"))).rejects.toThrow(/unknown setting "epoch". Use base, shape/);
    await expect(readPreset(file("- 1\n"))).rejects.toThrow(/expected settings/);
    await expect(readPreset(file("preset: best\n"))).rejects.toThrow(/preset best is not one of pearl-small/);
    await expect(readPreset("best")).rejects.toThrow(/neither a preset .* nor a file/);
  });
});
