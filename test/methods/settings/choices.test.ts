import { describe, expect, it } from "vitest";
import { createRules } from "../../../src/augmentation/augmenter.js";
import { resolveSettings } from "../../../src/augmentation/settings.js";
import { baseVariants, removableParts, without } from "../../../src/methods/settings/choices.js";
import { presets, scheduleOf } from "../../../src/methods/settings/method-settings.js";
import { pearlSchedule } from "../../../src/pearl/presets.js";

const pearl = presets["pearl-small"];
const kinds = (settings: typeof pearl) =>
  settings.augmentation === "none" ? [] : Object.keys(settings.augmentation.probabilities ?? {});

describe("without", () => {
  it.each(removableParts)("takes %s out and nothing else", (part) => {
    const left = without(pearl, part);
    const changed = Object.keys(pearl).filter(
      (key) =>
        JSON.stringify(left[key as keyof typeof pearl]) !== JSON.stringify(pearl[key as keyof typeof pearl]),
    );
    expect(changed).toHaveLength(1);
    expect(without(left, part)).toEqual(left);
  });

  it("keeps the proportions of the augmentations that are left, and knows when none is", () => {
    expect(kinds(without(pearl, "character-augmentation"))).toEqual([
      "synonym",
      "paraphrase",
      "word-swap",
      "unchanged",
    ]);
    expect(kinds(without(pearl, "token-augmentation"))).toEqual(["character", "paraphrase", "unchanged"]);
    expect(kinds(without(pearl, "phrase-augmentation"))).not.toContain("paraphrase");
    const only = { ...pearl, augmentation: { probabilities: { character: 1 } } };
    expect(without(only, "character-augmentation").augmentation).toBe("none");
  });

  it("takes out what an adjustment had put in", () => {
    const augmentation = { preset: "names", adjust: { surname: 0.3, character: 0.1 } } as const;
    const left = without({ ...pearl, augmentation }, "phrase-augmentation").augmentation;
    const { probabilities } = resolveSettings(left === "none" ? {} : left);
    expect(probabilities).toMatchObject({ character: 0.1, abbreviation: 0.22 });
    expect(probabilities).not.toHaveProperty("surname");
  });

  it("assigns every augmentation rule to a part that can be left out", async () => {
    const rules = await createRules(resolveSettings({ wordVectors: "off" }));
    for (const { name, granularity } of rules.filter((rule) => rule.granularity !== "none")) {
      const alone = { ...pearl, augmentation: { preset: "names", probabilities: { [name]: 1 } } } as const;
      expect(without(alone, `${granularity as "token"}-augmentation`).augmentation, name).toBe("none");
    }
  });
});

describe("baseVariants", () => {
  it("names files of bases whose names differ in signs alone apart", () => {
    const names = baseVariants(presets["pearl-small"], ["a/b", "a-b", "none"]).map(({ name }) => name);
    expect(names).toEqual(["a-b", "a-b-trained", "a-b-2", "a-b-2-trained", "none-trained"]);
  });
});

describe("scheduleOf", () => {
  it("ends the schedule with the run", () => {
    const schedule = { kind: "warm-up-cosine-to-the-end", warmUp: 100, floor: 0.1 } as const;
    expect(scheduleOf({ schedule }, 5000)).toEqual({
      kind: "warm-up-cosine",
      warmUp: 100,
      steps: 5000,
      floor: 0.1,
    });
    expect(scheduleOf({ schedule }, 50)).toMatchObject({ warmUp: 5, steps: 50 });
    expect(scheduleOf(pearl, 50)).toBe(pearl.schedule);
  });

  it("knows schedules by name, and a warm-up in steps or as a fraction of the run", () => {
    expect(scheduleOf({ schedule: "constant" }, 80)).toEqual({ kind: "constant" });
    const linear = scheduleOf({ schedule: "linear", warmUp: 0.1 }, 80);
    expect(linear).toEqual({ kind: "warm-up-linear", warmUp: 8, steps: 80 });
    expect(scheduleOf({ schedule: "cosine", warmUp: 20 }, 80)).toMatchObject({ warmUp: 20, steps: 80 });
    expect(scheduleOf({ ...pearl, warmUp: 100 }, 80)).toEqual({ ...pearlSchedule, warmUp: 80 });
  });
});
