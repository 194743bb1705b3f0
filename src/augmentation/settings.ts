/** How often each augmentation is used, and from which resources: plain data that a worker can receive. */
import { ArgumentError, UsageError } from "../errors.js";
import type { CharacterSettings } from "./character.js";
import { RULE_GROUPS, RULE_NAMES, type RuleGroup, type RuleName } from "./rule.js";
import type { WordVectorSettings } from "./word-vector.js";

/**
 * The alphabet and the fallback of the published code: a phrase is kept where the drawn kind does not apply. The
 * resources are ours: WordNet instead of the published synonym file, rules and files instead of Parrot's paraphrases.
 */
const published = {
  whenNothingApplies: "unchanged",
  digits: "change",
  minimumWordLength: 4,
  randomCharacters: "published",
  wordSwap: "any",
} as const;

/**
 * The probability of each kind or single rule. With `combine: "one"` only proportions count, so that they need not add
 * up to 1. With `combine: "each"` every kind is drawn by its own probability.
 */
export type Probabilities = Partial<Record<RuleGroup | RuleName, number>>;

/** Settings of an augmenter: a plain object, so that it can be written as JSON and sent to a worker. */
export interface AugmentationSettings extends Partial<CharacterSettings> {
  /** Gives the defaults of all other settings. Default "house". */
  readonly preset?: PresetName;
  readonly probabilities?: Probabilities;
  /** Replaces some of the preset's probabilities; 0 leaves a kind out. Default: none. */
  readonly adjust?: Probabilities;
  /**
   * Whether one kind makes a twin, or each kind is drawn, in the order of `probabilities`, and edits what the ones
   * before it made.
   */
  readonly combine?: "one" | "each";
  /**
   * With `combine: "one"`: whether another kind is drawn where one does not apply, or the phrase stays unchanged. With
   * `combine: "each"`: whether all are drawn again, at most three times, while nothing has changed.
   */
  readonly whenNothingApplies?: "redraw" | "unchanged";
  /** Which words are swapped: neighbours, or as in the published code any two tokens. */
  readonly wordSwap?: "neighbours" | "any";
  /** Whether WordNet gives synonyms (it takes about a second to read). Default "use". */
  readonly wordNet?: "use" | "off";
  /** Near words by word vectors. Default "off". */
  readonly wordVectors?: "off" | WordVectorSettings;
  /** Tables of phrase and paraphrase, used both ways. */
  readonly paraphraseFiles?: readonly string[];
  /** Tables of phrase and synonym, such as a corpus folder's synonyms.tsv, used both ways. */
  readonly synonymFiles?: readonly string[];
  /** Tables of short and long form. */
  readonly acronymFiles?: readonly string[];
}

/** Settings with every default filled in. */
export type ResolvedSettings = Required<AugmentationSettings>;

const defaults = {
  adjust: {},
  wordNet: "use",
  wordVectors: "off",
  paraphraseFiles: [],
  synonymFiles: [],
  acronymFiles: [],
  combine: "one",
  whenNothingApplies: "redraw",
  digits: "keep",
  minimumWordLength: 3,
  randomCharacters: "same-kind",
  wordSwap: "neighbours",
} as const;

/** Settings that are words, with the words of each. */
export const settingWords = {
  combine: ["one", "each"],
  whenNothingApplies: ["redraw", "unchanged"],
  wordNet: ["use", "off"],
  digits: ["keep", "change"],
  randomCharacters: ["same-kind", "published"],
  wordSwap: ["neighbours", "any"],
} as const satisfies {
  readonly [Name in keyof AugmentationSettings]?: readonly AugmentationSettings[Name][];
};

/** Settings that are lists of files. */
export const settingFiles = ["paraphraseFiles", "synonymFiles", "acronymFiles"] as const;

/** Ready-made settings. */
export const PRESETS = {
  /** Ours: PEARL's kinds, with some punctuation; another kind is drawn where one does not apply. */
  house: {
    probabilities: {
      character: 0.3,
      synonym: 0.2,
      paraphrase: 0.3,
      "word-swap": 0.1,
      punctuation: 0.03,
      dropout: 0.07,
    },
  },
  /** PEARL with its character encoder (section 3; commit 1d34340). */
  pearl: {
    ...published,
    probabilities: { character: 0.3, synonym: 0.2, paraphrase: 0.3, "word-swap": 0.1, unchanged: 0.1 },
  },
  /** PEARL as its repository is today, without the character encoder. */
  "pearl-head": {
    ...published,
    probabilities: { character: 0.1, synonym: 0.3, paraphrase: 0.5, "word-swap": 0.05, unchanged: 0.05 },
  },
  /**
   * How two tables write one name differently: several rules may edit a name, first those for its qualifier and for
   * persons, then for words, then for characters. It needs no WordNet; entity types let the rules for persons apply
   * more often.
   */
  names: {
    combine: "each",
    whenNothingApplies: "unchanged",
    minimumWordLength: 4,
    wordNet: "off",
    probabilities: {
      acronym: 0.2,
      // A third of what `qualifier` makes drops the qualifier too: in all, 35 % are dropped and 20 % moved.
      "drop-qualifier": 0.25,
      qualifier: 0.4,
      "middle-name": 0.6,
      // Before nicknames, so that "William" becomes "W." and not the "B." of Bill.
      initials: 0.2,
      nickname: 0.5,
      surname: 0.1,
      year: 0.1,
      "of-phrase": 0.05,
      "number-word": 0.2,
      "legal-form": 0.22,
      abbreviation: 0.22,
      "shorten-word": 0.09,
      "drop-short-word": 0.14,
      "add-suffix": 0.12,
      "insert-word": 0.1,
      "word-swap": 0.07,
      "drop-end-word": 0.06,
      "join-words": 0.05,
      "shuffle-words": 0.04,
      "split-word": 0.04,
      character: 0.35,
      transliteration: 0.15,
      "first-letters": 0.02,
      "add-qualifier": 0.1,
      // Last, so that it applies to what the others made.
      "letter-case": 0.2,
    },
  },
  /** LOVE's attacks on single words (Chen et al. 2022); the synonym falls back to the word itself. */
  love: {
    ...published,
    probabilities: {
      "swap-characters": 0.07,
      "drop-character": 0.07,
      "insert-character": 0.07,
      "keyboard-neighbour": 0.07,
      synonym: 0.36,
      unchanged: 0.36,
    },
  },
  /** SimCSE (Gao et al. 2021): the phrase itself with another dropout mask. */
  simcse: { probabilities: { dropout: 1 } },
  /** EdaCSE (after AEDA, Karimi et al. 2021): punctuation marks between the words. */
  edacse: { probabilities: { punctuation: 1 } },
} as const satisfies Record<string, Partial<ResolvedSettings>>;

export type PresetName = keyof typeof PRESETS;

/** Fills in the defaults. @throws UsageError for an unknown rule; ArgumentError for an unknown preset or word, or a number out of range */
export function resolveSettings(settings: AugmentationSettings = {}): ResolvedSettings {
  const preset = settings.preset ?? "house";
  if (!Object.hasOwn(PRESETS, preset)) {
    throw new ArgumentError(`unknown preset "${preset}": use ${Object.keys(PRESETS).join(", ")}`);
  }
  const given = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
  const whole: ResolvedSettings = { ...defaults, ...PRESETS[preset], ...given, preset };
  for (const [name, words] of Object.entries(settingWords)) {
    const value = whole[name as keyof typeof settingWords];
    if (!(words as readonly string[]).includes(value))
      throw new ArgumentError(`${name} must be ${words.join(" or ")}, not ${JSON.stringify(value)}`);
  }
  for (const name of settingFiles)
    if (!Array.isArray(whole[name]))
      throw new ArgumentError(`${name} must be a list of files, not ${JSON.stringify(whole[name])}`);
  const probabilities = { ...whole.probabilities, ...whole.adjust };
  checkProbabilities(probabilities, whole.combine === "each" ? 1 : Number.MAX_VALUE);
  const { minimumWordLength: length } = whole;
  if (!(Number.isInteger(length) && length >= 1)) {
    throw new ArgumentError(`minimumWordLength must be a whole number of at least 1, not ${length}`);
  }
  return { ...whole, probabilities };
}

function checkProbabilities(probabilities: Probabilities, most: number): void {
  for (const [name, probability] of Object.entries(probabilities)) {
    if (rulesOf(name) === undefined) {
      const known = [...Object.keys(RULE_GROUPS), ...RULE_NAMES];
      throw new UsageError(`unknown augmentation "${name}": use ${known.join(", ")}`);
    }
    if (!(probability >= 0 && probability <= most)) {
      const range = most === 1 ? "from 0 to 1" : "at least 0";
      throw new ArgumentError(`the probability of ${name} must be ${range}, not ${probability}`);
    }
  }
  if (Object.values(probabilities).every((probability) => probability === 0))
    throw new ArgumentError("every probability is 0: give one augmentation a probability above 0");
}

/** The rules of a group, or the rule itself; undefined for an unknown name. */
export function rulesOf(name: string): readonly RuleName[] | undefined {
  if (Object.hasOwn(RULE_GROUPS, name)) return RULE_GROUPS[name as RuleGroup];
  return RULE_NAMES.some((rule) => rule === name) ? [name as RuleName] : undefined;
}
