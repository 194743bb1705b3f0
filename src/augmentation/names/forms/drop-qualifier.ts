/** Drops any qualifier of a name: "Mercury (planet)" to "Mercury". */
import type { List } from "../../../pearl/augmentation/rule.js";
import { namePartsOf } from "../name-parts.js";

export const dropQualifier: List = (phrase, { type }) => {
  const { words, tail } = namePartsOf(phrase);
  // The rule of initials reverses "Smith, John"; here only Smith would be left.
  if (tail === "" || (type === "PERSON" && tail.startsWith(","))) return [];
  const name = words.join(" ");
  return name.length > 2 ? [name] : [];
};
