/** The batches of PEARL (section 3): phrases with their hard negatives, each with a twin made by augmentation. */
import { epochOrders, type Random, sampleWithout } from "../random.js";
import type { PearlSettings } from "./presets.js";

export interface BatchRow {
  readonly text: string;
  readonly positive: string;
  /** Index of their type's label; -1 where unknown. */
  readonly type: number;
}

export interface BatchData {
  readonly phrases: readonly string[];
  readonly negatives: ReadonlyMap<string, readonly { readonly negative: string }[]>;
  /** A phrase's positive, made by augmentation. */
  twinOf(phrase: string, random: Random): string;
  typeOf(phrase: string): number;
}

export interface BatchSettings extends Pick<PearlSettings, "anchors" | "hardNegatives"> {
  readonly seed: number;
}

/** Draws the rows of batches. A batch depends on the data, the settings, its number and `random` alone. */
export function batchRows(
  { phrases, negatives, twinOf, typeOf }: BatchData,
  { anchors, hardNegatives, seed }: BatchSettings,
): (index: number, random: Random) => BatchRow[] {
  const orderOf = epochOrders(phrases.length, seed);
  /** Anchors, each followed by hard negatives, which are anchors too. */
  function* anchorsOf(index: number, random: Random): Generator<string> {
    for (let i = index * anchors; i < (index + 1) * anchors; i++) {
      const epoch = Math.floor(i / phrases.length);
      const phrase = phrases[orderOf(epoch)[i % phrases.length]];
      yield phrase;
      if (hardNegatives === 0) continue;
      for (const { negative } of sampleWithout(negatives.get(phrase) ?? [], hardNegatives, random))
        yield negative;
    }
  }
  const rowOf = (text: string, random: Random): BatchRow => ({
    ...{ text, positive: twinOf(text, random), type: typeOf(text) },
  });
  return (index, random) => Array.from(anchorsOf(index, random), (text) => rowOf(text, random));
}
