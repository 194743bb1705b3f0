import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { presets, readPreset } from "../../../src/methods/settings/method-settings.js";
import { settingsFault } from "../../../src/methods/settings/schema.js";
import { newFolder } from "../../setup/new-folder.js";

const file = (text: string) => {
  const path = join(newFolder(), "mine.yaml");
  writeFileSync(path, text);
  return path;
};

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
    const mine = await readPreset(file("preset: from-scratch\nepochs: 7\nsynonymShares: { names: 2 }\n"));
    expect(mine).toEqual({ ...presets["from-scratch"], epochs: 7, synonymShares: { names: 2 } });
    await expect(readPreset(file("epoch: 7\n"))).rejects.toThrow(
      /unknown setting "epoch". Did you mean epochs\?$/,
    );
    await expect(readPreset(file("- 1\n"))).rejects.toThrow(/expected settings/);
    await expect(readPreset(file("preset: best\n"))).rejects.toThrow(/preset best is not one of pearl-small/);
    await expect(readPreset("best")).rejects.toThrow(/neither a preset .* nor a file/);
  });

  it("keep what a file leaves out of a setting, except the heads of another width", async () => {
    const { shape, ...mine } = await readPreset(
      file(
        "preset: from-scratch\npartLosses: { phrase: 1 }\nshape: { hidden: 96 }\nschedule: { kind: constant }\n",
      ),
    );
    expect(mine.partLosses).toEqual({ phrase: 1, characters: 0.5 });
    expect(mine.schedule).toEqual({ kind: "constant" });
    expect(shape).toEqual({ hidden: 96, layers: 2, vocabulary: 16_000, maximumLength: 24 });
  });

  it.each([
    ["partLosses: { phras: 1 }", 'unknown setting "partLosses.phras". Did you mean partLosses.phrase?'],
    ["partLosses: { words: 1 }", 'unknown setting "partLosses.words". Use phrase, characters'],
    ["schedule: cosin", 'schedule must be constant or linear or cosine, or settings, not "cosin"'],
    ["warmUp: 1.5", "warmUp must be a whole number of steps, or a fraction of the run below 1, not 1.5"],
    ["weightDecay: -1", "weightDecay must be a number of at least 0, not -1"],
    ["partLosses: { phrase: -1 }", "the setting partLosses.phrase must be a number of at least 0, not -1"],
    ["partLosses: 1", "the setting partLosses must have phrase, characters, not 1"],
    ["contexts: { spans: 4 }", "the setting contexts.weight is missing. Give it"],
    ["meanShares: { characters: 0.5, meaning: 0.5, weight: 1 }", "the setting meanShares.types is missing"],
    [
      "augmentation: { probabilitys: {} }",
      'unknown setting "augmentation.probabilitys". Did you mean augmentation.probabilities?',
    ],
    ["augmentation: { combine: all }", 'augmentation.combine must be one or each, not "all"'],
    [
      "augmentation: { paraphraseFiles: para.tsv }",
      'augmentation.paraphraseFiles must be a list of files, not "para.tsv"',
    ],
    ["hardGroupBy: { names: middle }", 'hardGroupBy.names must be rarest or last or first, not "middle"'],
    ["schedule: { kind: cosine }", 'schedule.kind must be constant or exponential or .*, not "cosine"'],
    ["schedule: { kind: exponential, factor: 0.9 }", "the setting schedule.every is missing"],
    ["characters: love", 'characters must be none, or settings, not "love"'],
    ["dropout: 1", "dropout must be a number of at least 0 and below 1, not 1"],
    ["countPower: 2", "countPower must be a number between 0 and 1, not 2"],
    ["augmentPairs: { names: often }", 'augmentPairs.names must be a number between 0 and 1, not "often"'],
    ["temperature: .nan", "temperature must be a number above 0, not NaN"],
  ])("refuse %s in a file", async (text, message) => {
    const path = file(`preset: from-scratch\n${text}\n`);
    await expect(readPreset(path)).rejects.toThrow(new RegExp(`mine\\.yaml: .*${message}`));
  });

  it("have settings that a file may hold", () => {
    for (const preset of Object.values(presets)) expect(settingsFault(preset)).toBeUndefined();
    const recipe = parse(readFileSync("models/pearl-mini/recipe.yaml", "utf8"));
    const { preset: _, ...settings } = recipe.finetune.settings;
    expect(settingsFault({ ...presets["from-scratch"], ...settings })).toBeUndefined();
  });
});
