/** Keeps the most frequent of many phrases, in memory of a fixed bound. */

import { LEXICAL_CLASSES, type LexicalClass } from "../../pearl/phrase-types.js";
import type { CountedPhrase } from "./phrase-runs.js";

/** A phrase with its total count, and the class it was met as most often. */
export interface RankedPhrase {
  readonly phrase: string;
  readonly lexicalClass: LexicalClass;
  readonly count: number;
}

/** Phrases by falling count, equal ones in UTF-16 order: an order without ties. */
export class PhraseRanking {
  private kept: RankedPhrase[] = [];
  private dropped = 0;

  /** @param maximum phrases to keep */
  constructor(private readonly maximum: number) {}

  add({ phrase, counts }: CountedPhrase): void {
    let best = 0;
    let total = 0;
    for (let index = 0; index < counts.length; index++) {
      total += counts[index];
      if (counts[index] > counts[best]) best = index;
    }
    this.kept.push({ phrase, lexicalClass: LEXICAL_CLASSES[best], count: total });
    if (this.kept.length >= 2 * this.maximum) this.cut();
  }

  /** The ranked phrases, and how many were left out for lack of room. */
  finish(): { phrases: RankedPhrase[]; dropped: number } {
    this.cut();
    return { phrases: this.kept, dropped: this.dropped };
  }

  private cut(): void {
    this.kept.sort((left, right) => right.count - left.count || (left.phrase < right.phrase ? -1 : 1));
    this.dropped += Math.max(0, this.kept.length - this.maximum);
    this.kept.length = Math.min(this.kept.length, this.maximum);
  }
}
