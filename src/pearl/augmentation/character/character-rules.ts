/** The rules at character granularity, after nlpaug: the paper's four, a random character, and scanners' errors. */
import type { DrawnRule } from "../rule.js";
import { type CharacterSettings, characterRule } from "./character-edit.js";
import { dropCharacter } from "./drop-character.js";
import { insertCharacter } from "./insert-character.js";
import { replaceByNeighbour } from "./keyboard-neighbour.js";
import { confuseAsScanner } from "./ocr-confusion.js";
import { replaceAtRandom } from "./random-character.js";
import { swapCharacters } from "./swap-characters.js";

/** In the order of RULE_GROUPS.character. */
export function characterRules(settings: CharacterSettings): DrawnRule[] {
  return [
    characterRule("swap-characters", swapCharacters, settings),
    characterRule("drop-character", dropCharacter, settings),
    characterRule("insert-character", insertCharacter, settings),
    characterRule("keyboard-neighbour", replaceByNeighbour, settings),
    characterRule("random-character", replaceAtRandom, settings),
    characterRule("ocr-confusion", confuseAsScanner, settings),
  ];
}
