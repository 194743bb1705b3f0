import { distance } from "fastest-levenshtein";
import { describe, expect, it } from "vitest";
import { characterRules } from "../../src/augmentation/augmenter.js";
import { type CharacterSettings, keyboardNeighbours } from "../../src/augmentation/character.js";
import type { Rule, RuleName } from "../../src/augmentation/rule.js";
import { createRandom } from "../../src/random.js";

const house: CharacterSettings = { digits: "keep", minimumWordLength: 3, randomCharacters: "same-kind" };
const published: CharacterSettings = {
  digits: "change",
  minimumWordLength: 4,
  randomCharacters: "published",
};
const phrases = [
  "The New York Times",
  "acute myocardial infarction",
  "NASA 2012 report",
  "McDonald's Corp.",
  "Jean-Paul Sartre",
  "Müller & Söhne",
  "Лев Толстой",
  "東京都庁",
  "été français",
  "warm clear corner",
];

function ruleNamed(name: RuleName, settings = house): Rule {
  return characterRules(settings).find((rule) => rule.name === name) as Rule;
}

/** Many twins of every phrase by one rule. */
function twinsBy(name: RuleName, settings = house): { phrase: string; twin: string }[] {
  const random = createRandom(7);
  const rule = ruleNamed(name, settings);
  return phrases.flatMap((phrase) =>
    Array.from({ length: 60 }, () => rule.draw(phrase, random, {})).flatMap((twin) =>
      twin === undefined ? [] : [{ phrase, twin }],
    ),
  );
}

/** What a rule makes of a phrase in 500 draws. */
function manyDraws(name: RuleName, phrase: string): Set<string | undefined> {
  const random = createRandom(11);
  const rule = ruleNamed(name);
  return new Set(Array.from({ length: 500 }, () => rule.draw(phrase, random, {})));
}

const letters = (text: string) => [...text.toLowerCase()].sort().join("");
const capitalPositions = (text: string) =>
  [...text].map((character) => (character === character.toLowerCase() ? "-" : "C")).join("");

describe("each character rule", () => {
  it.each([
    ["drop-character", 1, -1],
    ["insert-character", 1, 1],
    ["keyboard-neighbour", 1, 0],
    ["random-character", 1, 0],
  ] as const)("%s changes one character, and the length by what it says", (name, edits, growth) => {
    const twins = twinsBy(name);
    expect(twins.length).toBeGreaterThan(400);
    for (const { phrase, twin } of twins) {
      expect(distance(phrase.toLowerCase(), twin.toLowerCase()), `${phrase} → ${twin}`).toBe(edits);
      expect(twin.length - phrase.length, twin).toBe(growth);
    }
  });

  it("swap-characters transposes two neighbours and keeps every letter", () => {
    const twins = twinsBy("swap-characters");
    expect(twins.length).toBe(600);
    for (const { phrase, twin } of twins) {
      expect(letters(twin)).toBe(letters(phrase));
      const first = [...phrase.toLowerCase()].findIndex((letter, at) => letter !== twin.toLowerCase()[at]);
      const restored = [...twin.toLowerCase()];
      [restored[first], restored[first + 1]] = [restored[first + 1], restored[first]];
      expect(restored.join(""), `${phrase} → ${twin}`).toBe(phrase.toLowerCase());
    }
  });

  it("ocr-confusion misreads one character or one pair: at most two edits", () => {
    const twins = twinsBy("ocr-confusion");
    expect(twins.length).toBeGreaterThan(300);
    const edits = twins.map(({ phrase, twin }) => distance(phrase, twin));
    expect(Math.min(...edits)).toBe(1);
    expect(Math.max(...edits)).toBe(2);
    const seen = manyDraws("ocr-confusion", "warm corner");
    for (const misread of ["warrn corner", "wann corner", "warm comer", "vvarm corner", "warm c0rner"]) {
      expect(seen.has(misread), misread).toBe(misread !== "wann corner");
    }
  });

  it("keyboard-neighbour puts a touching letter in a letter's place", () => {
    for (const { phrase, twin } of twinsBy("keyboard-neighbour")) {
      const at = [...phrase].findIndex((letter, index) => letter !== twin[index]);
      expect(keyboardNeighbours(phrase[at])).toContain(twin[at].toLowerCase());
      expect(twin[at]).toMatch(/\p{L}/u);
    }
  });

  it.each(["swap-characters", "keyboard-neighbour", "random-character"] as const)(
    "%s keeps the pattern of capitals",
    (name) => {
      for (const { phrase, twin } of twinsBy(name))
        expect(capitalPositions(twin)).toBe(capitalPositions(phrase));
    },
  );

  it("a dropped capital passes its case to the next letter", () => {
    const twins = manyDraws("drop-character", "The New York Times");
    expect(twins).toContain("He New York Times");
    for (const twin of twins) expect(twin).toMatch(/^\p{Lu}.* \p{Lu}.* \p{Lu}.* \p{Lu}/u);
  });

  it.each(characterRules(house).map((rule) => rule.name))(
    "%s leaves digits and short words alone",
    (name) => {
      for (const { phrase, twin } of twinsBy(name)) {
        if (phrase === "NASA 2012 report") expect(twin).toContain(" 2012 ");
      }
      const random = createRandom(1);
      for (const phrase of ["", "  ", "of", "747", "12:30", "– !", "👩‍👩‍👧"]) {
        expect(ruleNamed(name).draw(phrase, random, {})).toBeUndefined();
      }
    },
  );

  it.each(characterRules(house).map((rule) => rule.name))("%s draws the same from the same seed", (name) => {
    expect(twinsBy(name)).toEqual(twinsBy(name));
  });

  it("keeps a script: Cyrillic and Chinese get no Latin letters", () => {
    for (const name of ["insert-character", "random-character", "keyboard-neighbour"] as const) {
      for (const { phrase, twin } of twinsBy(name)) {
        if (/[\p{Script=Cyrillic}\p{Script=Han}]/u.test(phrase))
          expect(twin).not.toMatch(/\p{Script=Latin}/u);
      }
    }
  });

  it("never separates a letter from its accents or an emoji from its joiners", () => {
    const phrase = "cafe\u0301 \u{1f469}\u200d\u{1f469}\u200d\u{1f467} latte\u0301";
    const random = createRandom(3);
    for (const rule of characterRules(house)) {
      for (let drawn = 0; drawn < 50; drawn++) {
        const twin = rule.draw(phrase, random, {});
        if (twin === undefined) continue;
        expect(twin).toContain("\u{1f469}\u200d\u{1f469}\u200d\u{1f467}");
        expect(twin).not.toMatch(/(?:^| )\u0301/);
      }
    }
  });
});

describe("the settings of the published code", () => {
  it("change digits, and draw letters of either case, digits and signs", () => {
    const twins = twinsBy("random-character", published);
    expect(twins.some(({ phrase, twin }) => phrase === "NASA 2012 report" && !twin.includes(" 2012 "))).toBe(
      true,
    );
    const drawn = new Set(
      twins.map(({ phrase, twin }) => [...twin].find((character, at) => character !== phrase[at])),
    );
    expect([...drawn].some((character) => /[!@#$%^&*()_+]/.test(character ?? ""))).toBe(true);
    expect([...drawn].some((character) => /[A-Z]/.test(character ?? ""))).toBe(true);
  });

  it("leave words of fewer than four characters alone", () => {
    const random = createRandom(1);
    for (const rule of characterRules(published)) {
      for (let drawn = 0; drawn < 20; drawn++) {
        const twin = rule.draw("the new york", random, {});
        if (twin !== undefined) expect(twin.startsWith("the new ")).toBe(true);
      }
    }
  });
});

const sorted = (text: string) => [...text].sort().join("");

describe("keyboard neighbours", () => {
  it("are the keys that touch on QWERTY, letters for a letter and digits for a digit", () => {
    expect(sorted(keyboardNeighbours("g"))).toBe("bfhtvy");
    expect(sorted(keyboardNeighbours("q"))).toBe("aw");
    expect(sorted(keyboardNeighbours("m"))).toBe("jkn");
    expect(sorted(keyboardNeighbours("5"))).toBe("46");
  });

  it("are mutual, and never the key itself", () => {
    for (const key of "1234567890qwertyuiopasdfghjklzxcvbnmйцукенгшщзхъфывапролджэячсмитьбю") {
      const near = keyboardNeighbours(key);
      expect(near, key).not.toBe("");
      expect(near, key).not.toContain(key);
      for (const other of near) expect(keyboardNeighbours(other), `${key} and ${other}`).toContain(key);
    }
  });

  it("are those of the lower-case letter for a capital; other characters have none", () => {
    expect(keyboardNeighbours("G")).toBe(keyboardNeighbours("g"));
    expect(keyboardNeighbours("東")).toBe("");
    expect(keyboardNeighbours("!")).toBe("");
  });
});
