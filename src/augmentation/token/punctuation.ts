/** AEDA's rule (not among the paper's): punctuation marks between words. */
import { type Draw, pick } from "../../pearl/augmentation/rule.js";

/** Those of AEDA (Karimi et al. 2021), which EdaCSE uses too. */
const marks = [".", ";", "?", ":", "!", ","];

/** Adds one mark, or up to a third as many as there are words, before words or at the end, as separate words. */
export const addPunctuation: Draw = (phrase, random) => {
  if (phrase.trim() === "") return undefined;
  const words = phrase.split(" ");
  const most = Math.max(1, Math.floor(words.length / 3));
  const count = 1 + Math.floor(random() * most);
  for (let added = 0; added < count; added++) {
    words.splice(Math.floor(random() * (words.length + 1)), 0, pick(marks, random));
  }
  return words.join(" ");
};
