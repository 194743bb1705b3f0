/** Drops or shortens middle names: "John Fitzgerald Kennedy" to "John Kennedy", "John F. Kennedy", "John F Kennedy". */
import type { Draw } from "../../../pearl/augmentation/rule.js";
import { initialOf, isInitial, personNameOf } from "../../phrase/initials.js";

export const shortenMiddleName =
  (givenNames: ReadonlySet<string>): Draw =>
  (phrase, random, { type }) => {
    const name = personNameOf(phrase, type, givenNames);
    if (name === undefined || name.given.length < 2) return undefined;
    const [first, ...middle] = name.given;
    // "J. R. R. Tolkien" is never written with some of these only.
    if (isInitial(first)) return undefined;
    if (random() < 0.6) return `${first} ${name.family}`;
    const initials = middle.map(initialOf).join(" ");
    const text = `${first} ${random() < 0.5 ? initials : initials.replaceAll(".", "")} ${name.family}`;
    return text === phrase ? `${first} ${name.family}` : text;
  };
