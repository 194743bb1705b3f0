import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { augmentTable } from "../../src/augmentation/augment-table.js";
import { createAugmenter } from "../../src/augmentation/augmenter.js";
import { rulesOfTwin, type Twin } from "../../src/augmentation/rule.js";
import { type AugmentationSettings, PRESETS } from "../../src/augmentation/settings.js";
import { createRandom } from "../../src/random.js";
import { Table } from "../../src/table/table.js";
import { file, folder, quickAugmenter } from "./files.js";

const phrases = ["The New York Times", "Acme, Inc.", "University of Oxford", "J. R. R. Tolkien", "of", ""];

describe("an augmenter", () => {
  it("draws the same twins from the same seed", async () => {
    const draw = async (): Promise<Twin[]> => {
      const augmenter = await quickAugmenter();
      const random = createRandom(42);
      return Array.from({ length: 300 }, (_, index) => augmenter.augment(phrases[index % 6], random));
    };
    expect(await draw()).toEqual(await draw());
  });

  it("draws the kinds by their probabilities", async () => {
    const probabilities = { character: 6, "word-swap": 3, unchanged: 1 };
    const augmenter = await quickAugmenter({ probabilities });
    const random = createRandom(1);
    const counts = { character: 0, token: 0, phrase: 0, none: 0 };
    for (let drawn = 0; drawn < 10_000; drawn++)
      counts[augmenter.augment("alpha beta", random).granularity]++;
    // Four standard deviations of a binomial proportion in 10,000 draws are at most 0.02.
    expect(counts.character / 10_000).toBeCloseTo(0.6, 1);
    expect(Math.abs(counts.character / 10_000 - 0.6)).toBeLessThan(0.02);
    expect(Math.abs(counts.token / 10_000 - 0.3)).toBeLessThan(0.02);
    expect(Math.abs(counts.none / 10_000 - 0.1)).toBeLessThan(0.02);
  });

  it("draws another kind if the first does not apply, or keeps the phrase, by the settings", async () => {
    const probabilities = { "word-swap": 0.5, character: 0.5 };
    const random = createRandom(1);
    const share = async (whenNothingApplies: "redraw" | "unchanged"): Promise<number> => {
      const augmenter = await quickAugmenter({ probabilities, whenNothingApplies });
      const twins = Array.from({ length: 1000 }, () => augmenter.augment("single", random));
      return twins.filter(({ rule, text }) => rule === "unchanged" && text === "single").length / 1000;
    };
    expect(await share("redraw")).toBe(0);
    expect(Math.abs((await share("unchanged")) - 0.5)).toBeLessThan(0.07);
  });

  it("draws dropout by its own probability even if other kinds are drawn again", async () => {
    const augmenter = await quickAugmenter({ probabilities: { year: 0.8, character: 0.1, dropout: 0.1 } });
    const random = createRandom(2);
    const twins = Array.from({ length: 4000 }, () => augmenter.augment("red wine", random));
    const share = twins.filter(({ rule }) => rule === "dropout").length / 4000;
    expect(Math.abs(share - 0.1)).toBeLessThan(0.02);
    expect(twins.filter(({ rule }) => rule === "unchanged")).toEqual([]);
  });

  it("gives the phrase itself, marked, where no rule at all applies", async () => {
    const augmenter = await quickAugmenter({ probabilities: { character: 1, "word-swap": 1 } });
    const twin = augmenter.augment("–", createRandom(1));
    expect(twin).toEqual({ text: "–", rule: "unchanged", granularity: "none" });
  });

  it("makes a typing error in a text of 100,000 characters, but no list of its copies", async () => {
    const augmenter = await quickAugmenter();
    const text = "three blind mice ".repeat(6000);
    const rules = augmenter.all(text, { count: 1 }).map((twin) => twin.rule);
    expect(rules).toContain("drop-character");
    expect(rules).not.toContain("number-word");
  });

  it("adjusts some of a preset's probabilities, and checks them too", async () => {
    const { settings } = await quickAugmenter({ preset: "names", adjust: { surname: 0, year: 0.7 } });
    expect(settings.probabilities).toMatchObject({ surname: 0, year: 0.7, nickname: 0.5 });
    expect(Object.keys(settings.probabilities)).toEqual(Object.keys(PRESETS.names.probabilities));
    const twins = async (adjust: { surname: number }) => {
      const augmenter = await quickAugmenter({ preset: "names", probabilities: { surname: 1 }, adjust });
      return augmenter.augment("Ada Lovelace", createRandom(1), { type: "PERSON" }).text;
    };
    expect(await twins({ surname: 1 })).toBe("Lovelace");
    await expect(twins({ surname: 0 })).rejects.toThrow("every probability is 0");
    await expect(twins({ surname: 2 })).rejects.toThrow("must be from 0 to 1, not 2");
  });

  it("marks SimCSE's twin as dropout", async () => {
    const augmenter = await quickAugmenter({ preset: "simcse" });
    const twin = augmenter.augment("red wine", createRandom(1));
    expect(twin).toEqual({ text: "red wine", rule: "dropout", granularity: "none" });
  });

  it("lists the outcomes of every rule, never the phrase itself and nothing twice", async () => {
    const augmenter = await quickAugmenter();
    for (const phrase of phrases) {
      const twins = augmenter.all(phrase);
      for (const { text } of twins) expect(text).not.toBe(phrase);
      expect(new Set(twins.map(({ rule, text }) => `${rule} ${text}`)).size).toBe(twins.length);
    }
    expect(augmenter.all("Acme, Inc.").find(({ rule }) => rule === "legal-form")?.text).toBe("Acme");
  });

  it("has settings that survive JSON and structured cloning, for workers", async () => {
    const settings: AugmentationSettings = { preset: "pearl", wordNet: "off", probabilities: { year: 1 } };
    const augmenter = await createAugmenter(JSON.parse(JSON.stringify(settings)) as AugmentationSettings);
    expect(JSON.parse(JSON.stringify(augmenter.settings))).toEqual(augmenter.settings);
    expect(structuredClone(augmenter.settings)).toEqual(augmenter.settings);
    expect(augmenter.augment("Summer Olympics 2012", createRandom(1)).rule).toBe("year");
  });

  it("has the published probabilities as presets", () => {
    expect(PRESETS.pearl.probabilities).toEqual({
      character: 0.3,
      synonym: 0.2,
      paraphrase: 0.3,
      "word-swap": 0.1,
      unchanged: 0.1,
    });
    expect(PRESETS["pearl-head"].probabilities).toEqual({
      character: 0.1,
      synonym: 0.3,
      paraphrase: 0.5,
      "word-swap": 0.05,
      unchanged: 0.05,
    });
  });

  it("reports wrong settings", async () => {
    const settings = (given: unknown) => createAugmenter(given as AugmentationSettings);
    await expect(settings({ preset: "best" })).rejects.toThrow(/unknown preset "best": use house, pearl/);
    await expect(settings({ combine: "all" })).rejects.toThrow('combine must be one or each, not "all"');
    await expect(settings({ probabilities: { typo: 1 } })).rejects.toThrow(
      /unknown augmentation "typo": use char/,
    );
    await expect(settings({ probabilities: { character: -1 } })).rejects.toThrow(/at least 0, not -1/);
    await expect(settings({ probabilities: { character: 0 } })).rejects.toThrow(/every probability is 0/);
    await expect(settings({ wordNet: "off", paraphraseFiles: ["none.tsv"] })).rejects.toThrow(/none\.tsv/);
  });
});

describe("an augmenter whose rules combine", () => {
  const names = ["The New York Times", "Springfield, Illinois", "Acme Manufacturing, Inc.", "of", "", "–"];

  it("draws each rule by its own probability", async () => {
    const probabilities = { "drop-qualifier": 0.6, "word-swap": 0.3 };
    const augmenter = await quickAugmenter({ preset: "names", probabilities });
    const random = createRandom(3);
    const counts: Record<string, number> = {};
    for (let drawn = 0; drawn < 10_000; drawn++) {
      const { text } = augmenter.augment("alpha beta (gamma)", random);
      counts[text] = (counts[text] ?? 0) + 1;
    }
    // .6 × .7 drop alone, .6 × .3 drop and swap, the rest keeps its brackets; four deviations are at most .02.
    expect(Math.abs(counts["alpha beta"] / 10_000 - 0.42)).toBeLessThan(0.02);
    expect(Math.abs(counts["beta alpha"] / 10_000 - 0.18)).toBeLessThan(0.02);
  });

  it("names every rule that was applied, in the order of the probabilities, and the coarsest granularity", async () => {
    const probabilities = { "drop-qualifier": 1, abbreviation: 1, "drop-character": 1, year: 1 };
    const augmenter = await quickAugmenter({ preset: "names", probabilities });
    const twin = augmenter.augment("Smith & Ng (makers)", createRandom(1));
    expect(twin.text).toMatch(/^\p{L}{4} and Ng$/u);
    expect(twin).toMatchObject({
      rule: "drop-qualifier",
      further: ["abbreviation", "drop-character"],
      granularity: "phrase",
    });
    expect(rulesOfTwin(twin)).toEqual(["drop-qualifier", "abbreviation", "drop-character"]);
  });

  it("reports unchanged exactly where the text is the phrase", async () => {
    const augmenter = await createAugmenter({ preset: "names" });
    const random = createRandom(8);
    for (let drawn = 0; drawn < 3000; drawn++) {
      const phrase = names[drawn % names.length];
      const twin = augmenter.augment(phrase, random);
      expect(twin.text === phrase).toBe(twin.rule === "unchanged");
      expect(twin.granularity === "none").toBe(twin.rule === "unchanged");
      if (phrase !== "") expect(twin.text.trim()).not.toBe("");
    }
  });

  it("draws again while nothing has changed, with whenNothingApplies redraw", async () => {
    const share = async (whenNothingApplies: "redraw" | "unchanged"): Promise<number> => {
      const settings = { preset: "names", whenNothingApplies, probabilities: { character: 0.5 } } as const;
      const augmenter = await quickAugmenter(settings);
      const random = createRandom(4);
      const twins = Array.from({ length: 4000 }, () => augmenter.augment("Casablanca", random));
      return twins.filter(({ rule }) => rule === "unchanged").length / 4000;
    };
    expect(Math.abs((await share("unchanged")) - 0.5)).toBeLessThan(0.04);
    expect(Math.abs((await share("redraw")) - 0.0625)).toBeLessThan(0.02);
  });

  it("leaves the phrase as it is where dropout is drawn", async () => {
    const augmenter = await quickAugmenter({ preset: "names", probabilities: { character: 1, dropout: 1 } });
    const twin = augmenter.augment("red wine", createRandom(1));
    expect(twin).toEqual({ text: "red wine", rule: "dropout", granularity: "none" });
  });

  it("knows persons by their type, draws the same from the same seed, and reads no WordNet", async () => {
    const augmenter = await createAugmenter({ preset: "names" });
    expect(augmenter.rules).not.toContain("wordnet-synonym");
    const drawAll = (type?: "PERSON" | "ORG") => {
      const random = createRandom(6);
      return Array.from({ length: 400 }, () => augmenter.augment("Bob Zoltan Quux", random, { type }));
    };
    const used = (twins: readonly Twin[]) => new Set(twins.flatMap((twin) => rulesOfTwin(twin)));
    for (const rule of ["nickname", "middle-name", "initials"] as const) {
      expect(used(drawAll("PERSON"))).toContain(rule);
      expect(used(drawAll("ORG"))).not.toContain(rule);
    }
    expect(drawAll("PERSON")).toEqual(drawAll("PERSON"));
  });

  it("refuses a probability above 1", async () => {
    const settings: AugmentationSettings = { preset: "names", probabilities: { year: 2 } };
    await expect(quickAugmenter(settings)).rejects.toThrow(/of year must be from 0 to 1, not 2/);
  });

  it("names its rules together in a table, and counts each", async () => {
    const augmenter = await quickAugmenter({
      preset: "names",
      probabilities: { "drop-qualifier": 1, "word-swap": 1 },
    });
    const table = await Table.open(file("named.txt", "red wine (drink)\nbeer\n"));
    try {
      const output = join(folder, "named.tsv");
      const report = await augmentTable(table, output, augmenter);
      expect(await readFile(output, "utf8")).toContain("wine red\tdrop-qualifier+swap-words\tphrase\n");
      expect(report.byRule).toMatchObject({ "drop-qualifier": 1, "swap-words": 1, unchanged: 1 });
      expect(report.byGranularity).toEqual({ character: 0, token: 0, phrase: 1, none: 1 });
    } finally {
      await table.close();
    }
  });
});
