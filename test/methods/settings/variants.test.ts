/** The trainings that an ablation compares. */
import { describe, expect, it } from "vitest";
import { baseVariants, gridSettings, gridVariants } from "../../../src/methods/settings/choices.js";
import { presets } from "../../../src/methods/settings/method-settings.js";

const settings = presets["pearl-small"];

describe("gridVariants", () => {
  it("change one setting at a time and leave all others", () => {
    for (const setting of gridSettings) {
      const value = setting === "dropout" ? 0.5 : 1;
      const [{ name, settings: changed, against }] = gridVariants(settings, [{ setting, value }]);
      expect([name, against]).toEqual([`${setting}=${value}`, "whole"]);
      const differing = Object.entries(changed).filter(
        ([key, value]) => JSON.stringify(value) !== JSON.stringify(settings[key as keyof typeof settings]),
      );
      expect(differing.length, setting).toBe(setting === "type-weight" ? 0 : 1);
    }
    const [width] = gridVariants(settings, [{ setting: "character-width", value: 32 }]);
    expect(width.settings.characters).toEqual({ from: "pretrained-love", width: 32 });
  });

  it("refuse values that a setting cannot have", () => {
    for (const [setting, value] of [
      ["temperature", 0],
      ["anchors", 2.5],
      ["average", 1.1],
      ["dropout", 1],
      ["type-weight", -1],
    ] as const)
      expect(() => gridVariants(settings, [{ setting, value }])).toThrow(`cannot set ${setting} to ${value}`);
    const odd = { ...settings, augmentation: { combine: "all" as "one" } };
    expect(() => gridVariants(odd, [{ setting: "temperature", value: 0.1 }])).toThrow(
      "augmentation.combine must be one or each",
    );
    const bare = { ...settings, characters: "none" } as const;
    expect(() => gridVariants(bare, [{ setting: "character-width", value: 8 }])).toThrow(/needs a character/);
  });
});

describe("baseVariants", () => {
  it("have names of their own, also where a base is called as another one after its training", () => {
    for (const bases of [
      ["m", "m-trained"],
      ["m-trained", "m"],
      ["a/b", "a-b", "a-b-2"],
      ["m", "m", "m-trained"],
    ]) {
      const names = baseVariants(settings, bases).map(({ name }) => name);
      expect(new Set(names).size, `${names}`).toBe(2 * bases.length);
    }
  });

  it("score each base as it is before it is trained, except none", () => {
    const found = baseVariants(settings, ["org/bert", "none"]).map(({ settings: own, ...rest }) => ({
      ...rest,
      base: own.base,
    }));
    expect(found).toEqual([
      { name: "org-bert", untrained: true, base: "org/bert" },
      { name: "org-bert-trained", against: "org-bert", base: "org/bert" },
      { name: "none-trained", base: "none" },
    ]);
  });
});
