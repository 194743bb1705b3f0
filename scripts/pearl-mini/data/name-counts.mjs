/** How often names stand alone in texts: training repeats names that are read often. */
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";

const capital = /^\p{Lu}/u;
const sentenceEnd = /[.!?:;]["'”’)]*$/;
/** "U.S." and "J." do not end a sentence. */
const abbreviation = /^(?:\p{Lu}\.)+$/u;
const bare = (word) => word.replace(/^[("'“‘[]+/, "").replace(/(?:['’]s)?[,;:!?)"'”’\]]*$/, "");

/**
 * Counts names in texts, where a name is a whole run of words with a capital, so that "John Smith" does not count
 * for "John". The first word of a sentence has a capital anyway, and starts no run.
 * @param paths texts, a paragraph a line
 * @returns a map from each name that occurs to its count
 */
export async function countNames(paths) {
  const counts = new Map();
  for (const path of paths)
    for await (const line of createInterface({ input: createReadStream(path) }))
      for (const name of runsOfCapitals(line)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

function* runsOfCapitals(line) {
  let run = [];
  let first = true;
  for (const raw of `${line} .`.split(" ")) {
    const word = bare(raw);
    const starts = capital.test(word);
    if (starts && !(first && run.length === 0)) run.push(word);
    else if (run.length > 0) {
      yield nameOf(run);
      run = [];
    }
    // a run ends where punctuation follows it
    const closed = !raw.startsWith(word) || !raw.endsWith(word);
    if (run.length > 0 && closed) {
      yield nameOf(run);
      run = [];
    }
    first = sentenceEnd.test(raw) && !abbreviation.test(word);
    if (first && run.length > 0) {
      yield nameOf(run);
      run = [];
    }
  }
}

/** Joins the words; a full stop after the last belongs to the sentence, unless the word is an abbreviation. */
const nameOf = (words) => {
  const last = words[words.length - 1];
  const ended = abbreviation.test(last) ? last : last.replace(/\.$/, "");
  return [...words.slice(0, -1), ended].join(" ");
};
