/** Mixtures of pairs in a recipe: common settings with overrides. */
import { expect, it } from "vitest";

const script = new URL("../../../scripts/pearl-mini/recipe.mjs", import.meta.url).href;
const { mixedSettings, readRecipe } = (await import(script)) as {
  mixedSettings: (finetune: object) => Record<string, unknown>[];
  readRecipe: () => { finetune: { settings: object; mixtures: object[] } };
};

const settings = { preset: "from-scratch", typeWeight: 1, runs: ["a", "b"], shares: { names: 2, words: 3 } };

it("gives the common settings if there are no mixtures", () => {
  expect(mixedSettings({ settings })).toEqual([settings]);
});

it("overrides values, whole lists, and single keys of objects", () => {
  const mixtures = [{}, { typeWeight: 2, runs: ["c"], shares: { words: 5, glosses: 1 } }];
  expect(mixedSettings({ settings, mixtures })).toEqual([
    settings,
    {
      preset: "from-scratch",
      typeWeight: 2,
      runs: ["c"],
      shares: { names: 2, words: 5, glosses: 1 },
    },
  ]);
});

it("names the trained side of the model for each source in every mixture of pearl-mini", () => {
  for (const mixed of mixedSettings(readRecipe().finetune)) {
    const { synonymShares, synonymSides } = mixed as Record<string, object>;
    expect(Object.keys(synonymSides).sort()).toEqual(Object.keys(synonymShares).sort());
  }
});
