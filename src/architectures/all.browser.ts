/** In a browser: how the models that pearl makes read phrases; training code is left out. */
import { ModelError } from "../errors.js";
import type { Architecture, Feature } from "./architecture.js";
import { characters } from "./characters/reading.js";
import { hashedNgrams } from "./ngrams/reading.js";
import { words } from "./pearl-mini/reading.js";
import { tokens } from "./transformer/reading.js";

export const architectures: Architecture[] = [tokens, hashedNgrams, characters, words];

/** @throws ModelError */
export async function hubFeature(path: string): Promise<Feature> {
  throw new ModelError(`${path}/config.json has no section "pearl": a browser runs models that pearl made`);
}
