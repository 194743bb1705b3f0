/** Character encoders that add up what a word has: its characters, or its hashed n-grams. */
import { characterArchitecture } from "../characters/architecture.js";

export const bag = characterArchitecture("bag", async () => (await import("./bag.js")).bag);

export const wordNgrams = {
  ...characterArchitecture("ngrams", async () => (await import("./bag.js")).wordNgrams),
  // a new part of this name has the n-grams of whole phrases
  parts: undefined,
};
