/** A person by the surname alone: "Ludwig van Beethoven" to "Beethoven". */
import type { List } from "../../../pearl/augmentation/rule.js";
import { personNameOf } from "../../phrase/initials.js";

export const surnameAlone =
  (givenNames: ReadonlySet<string>): List =>
  (phrase, { type }) => {
    const family = personNameOf(phrase, type, givenNames)?.family;
    return family === undefined ? [] : [family.slice(family.lastIndexOf(" ") + 1)];
  };
