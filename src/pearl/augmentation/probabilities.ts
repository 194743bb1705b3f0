/** How often PEARL augments a phrase in each way (section 3), as its published code does. */

/**
 * The alphabet and the fallback of the published code: a phrase is kept where the drawn kind does not apply. The
 * resources are ours: WordNet instead of the published synonym file, rules and files instead of Parrot's paraphrases.
 */
export const published = {
  whenNothingApplies: "unchanged",
  digits: "change",
  minimumWordLength: 4,
  randomCharacters: "published",
  wordSwap: "any",
} as const;

export const paperSettings = {
  /** PEARL with its character encoder (commit 1d34340). */
  pearl: {
    ...published,
    probabilities: { character: 0.3, synonym: 0.2, paraphrase: 0.3, "word-swap": 0.1, unchanged: 0.1 },
  },
  /** PEARL as its repository is today, without the character encoder. */
  "pearl-head": {
    ...published,
    probabilities: { character: 0.1, synonym: 0.3, paraphrase: 0.5, "word-swap": 0.05, unchanged: 0.05 },
  },
} as const;
