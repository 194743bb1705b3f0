/** pearl's own architectures. */
import type { Architecture } from "./architecture.js";
import { bag, wordNgrams } from "./bag/architecture.js";
import { bilstm } from "./bilstm/architecture.js";
import { gru } from "./gru/architecture.js";
import { love } from "./love/architecture.js";
import { hashedNgrams } from "./ngrams/architecture.js";
import { words } from "./pearl-mini/architecture.js";
import { hubFeature, transformer } from "./transformer/architecture.js";

export { hubFeature };

/** All models. Those with the same kind of feature read it in the same way. */
export const architectures: Architecture[] = [
  ...[transformer, hashedNgrams, love, bilstm, gru, bag, wordNgrams, words],
];
