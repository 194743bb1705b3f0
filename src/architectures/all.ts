/** pearl's own architectures. */
import type { Architecture } from "./architecture.js";
import { characterArchitecture } from "./characters/architecture.js";
import { hashedNgrams } from "./ngrams/architecture.js";
import { words } from "./pearl-mini/architecture.js";
import { hubFeature, transformer } from "./transformer/architecture.js";

export { hubFeature };

/** Encoders of characters; what builds their graphs is loaded in training alone. */
const characterArchitectures = [
  characterArchitecture("love", async () => (await import("./love/love.js")).love),
  characterArchitecture("bilstm", async () => (await import("./bilstm/bilstm.js")).bilstm),
  characterArchitecture("bag", async () => (await import("./bag/bag.js")).bag),
  // a new part of this name has the n-grams of whole phrases
  {
    ...characterArchitecture("ngrams", async () => (await import("./bag/bag.js")).wordNgrams),
    parts: undefined,
  },
];

/** All models. Those with the same kind of feature read it in the same way. */
export const architectures: Architecture[] = [transformer, hashedNgrams, ...characterArchitectures, words];
