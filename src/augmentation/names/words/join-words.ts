/** Joins two words: "Face Book" to "FaceBook" or "Face-Book". */
import { editWords } from "../name-parts.js";

export const joinWords = editWords(2, (words, random) => {
  const place = Math.floor(random() * (words.length - 1));
  const between = random() < 0.25 ? "-" : "";
  words.splice(place, 2, words[place] + between + words[place + 1]);
  return true;
});
