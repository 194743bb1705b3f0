/** Phrases from tables with their class, type and count: the rows of one phrase are put together. */

import { type FineType, LEXICAL_CLASSES } from "../pearl/phrase-types.js";
import type { TablePhrase } from "./phrase-tables.js";

interface Gathered {
  readonly counts: number[];
  types?: Map<FineType, number>;
}

/** Table phrases by phrase; their classes and types are weighed by count. */
export class GatheredPhrases {
  readonly #byPhrase = new Map<string, Gathered>();

  add({ phrase, lexicalClass, type, count }: TablePhrase): void {
    let entry = this.#byPhrase.get(phrase);
    if (entry === undefined) {
      entry = { counts: LEXICAL_CLASSES.map(() => 0) };
      this.#byPhrase.set(phrase, entry);
    }
    entry.counts[LEXICAL_CLASSES.indexOf(lexicalClass)] += count;
    if (type === undefined) return;
    entry.types ??= new Map();
    entry.types.set(type, (entry.types.get(type) ?? 0) + count);
  }

  /** How often the tables have a phrase in each class; undefined where they do not have it. */
  countsOf(phrase: string): readonly number[] | undefined {
    return this.#byPhrase.get(phrase)?.counts;
  }

  /** The type that most rows of a phrase give it; of two equally common, the one that comes first in the tables. */
  typeOf(phrase: string): FineType | undefined {
    let best: FineType | undefined;
    let most = 0;
    for (const [type, count] of this.#byPhrase.get(phrase)?.types ?? []) {
      if (count <= most) continue;
      best = type;
      most = count;
    }
    return best;
  }

  phrases(): IterableIterator<string> {
    return this.#byPhrase.keys();
  }
}
