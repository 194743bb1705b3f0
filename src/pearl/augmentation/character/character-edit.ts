/** What the character rules share: one edit in one word, its case pattern kept (after nlpaug). */
import type { Random } from "../../../random.js";
import type { DrawnRule, RuleName } from "../rule.js";
import type { ResolvedSettings } from "../settings.js";
import { kindOf, LETTER, OTHER, type UnitKind, type Units, unitsOf } from "./units.js";

/** What the character rules take from the settings. */
export type CharacterSettings = Pick<ResolvedSettings, "digits" | "minimumWordLength" | "randomCharacters">;

/** A phrase taken apart, and the places where a character may be changed. */
export interface Taken {
  readonly units: Units;
  readonly kinds: readonly UnitKind[];
  /** Positions of letters (and of digits, where they may change) in words that are long enough. */
  readonly places: readonly number[];
}

/** A change of one phrase; it may change `units` in place, and returns false where it does not apply. */
export type Edit = (taken: Taken, random: Random, settings: CharacterSettings) => boolean;

/** A rule of one edit in a phrase; digits are left alone where the settings keep them. */
export function characterRule(name: RuleName, edit: Edit, settings: CharacterSettings): DrawnRule {
  return {
    name,
    granularity: "character",
    draw: (phrase, random) => {
      const taken = takeApart(phrase, settings);
      if (taken.places.length === 0 || !edit(taken, random, settings)) return undefined;
      const text = taken.units.join("");
      return text === phrase || text.trim() === "" ? undefined : text;
    },
  };
}

function takeApart(phrase: string, { digits, minimumWordLength }: CharacterSettings): Taken {
  const units = unitsOf(phrase);
  const kinds = units.map(kindOf);
  const places: number[] = [];
  let start = 0;
  for (let end = 0; end <= units.length; end++) {
    if (end < units.length && kinds[end] !== OTHER) continue;
    if (end - start >= minimumWordLength) {
      for (let place = start; place < end; place++) {
        if (kinds[place] === LETTER || digits === "change") places.push(place);
      }
    }
    start = end + 1;
  }
  return { units, kinds, places };
}
