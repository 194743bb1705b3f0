/** English inflection, enough to put a synonym into the form of the word it replaces, or to say that it cannot. */
import { pluralOf as nounPlural, singularOf } from "./noun-forms.js";

/** A word's form: what has to be done to a lemma to get it. */
export type Form = "base" | "plural" | "third-person" | "past" | "participle";

/** A lemma that may underlie a word, with the form that leads back to it. */
export interface Analysis {
  readonly lemma: string;
  readonly form: Form;
}

/**
 * What a lower-case word, or a run of words, may be a form of, itself first; each gives the word again when it is
 * inflected. Of several words the last may be a plural ("motor vehicles") or the first a verb ("carried out").
 */
export function analyses(text: string): Analysis[] {
  const found: Analysis[] = [{ lemma: text, form: "base" }];
  const tryForm = (lemma: string, form: Form): void => {
    const isNew = lemma !== text && !found.some((known) => known.lemma === lemma && known.form === form);
    if (isNew && inflect(lemma, form) === text) found.push({ lemma, form });
  };
  const last = text.lastIndexOf(" ") + 1;
  const noun = text.slice(last);
  if (/^[a-z]{2,}$/.test(noun)) tryForm(text.slice(0, last) + singularOf(noun), "plural");
  const space = text.indexOf(" ");
  const verb = space < 0 ? text : text.slice(0, space);
  const rest = text.slice(verb.length);
  for (const [suffix, form] of verbSuffixes) {
    if (!verb.endsWith(suffix) || verb.length < suffix.length + 2) continue;
    const stem = verb.slice(0, -suffix.length);
    // carri-ed, hopp-ed, hop-ed (of hope), walk-ed
    for (const lemma of [stem.replace(/i$/, "y"), stem.replace(/([a-z])\1$/, "$1"), `${stem}e`, stem]) {
      tryForm(lemma + rest, form);
    }
  }
  return found;
}

const verbSuffixes: readonly (readonly [string, Form])[] = [
  ["es", "third-person"],
  ["s", "third-person"],
  ["ed", "past"],
  ["ing", "participle"],
];

/**
 * A lemma in a form, or undefined where the regular form would be wrong: past tenses of irregular verbs. In a lemma
 * of several words the noun is the last ("motor vehicles"), the verb the first ("carried out").
 */
export function inflect(lemma: string, form: Form): string | undefined {
  if (form === "base") return lemma;
  const words = lemma.split(" ");
  const at = form === "plural" ? words.length - 1 : 0;
  const inflected = form === "plural" ? pluralOf(words[at]) : verbForm(words[at], form);
  if (inflected === undefined) return undefined;
  words[at] = inflected;
  return words.join(" ");
}

/** "automobiles", "Berliners"; undefined where the noun is its own plural, or an abbreviation ("Dr.", "MD"). */
function pluralOf(noun: string): string | undefined {
  if (!/^[\p{L}'-]*\p{Ll}$/u.test(noun)) return undefined;
  const plural = nounPlural(noun);
  return plural === noun ? undefined : plural;
}

function verbForm(verb: string, form: "third-person" | "past" | "participle"): string | undefined {
  if (!/^[a-z]+$/.test(verb) || verb === "be") return undefined;
  const consonantY = /[^aeiou]y$/.test(verb);
  if (form === "third-person") {
    if (verb === "have") return "has";
    if (consonantY) return `${verb.slice(0, -1)}ies`;
    return /(?:s|x|z|ch|sh|o)$/.test(verb) ? `${verb}es` : `${verb}s`;
  }
  if (form === "past") {
    if (irregular.has(verb) || irregular.has(verb.replace(/^(?:re|un|out|over|under|fore|mis|with)/, ""))) {
      return undefined;
    }
    if (consonantY) return `${verb.slice(0, -1)}ied`;
    return verb.endsWith("e") ? `${verb}d` : `${doubled(verb)}ed`;
  }
  if (verb.endsWith("ie")) return `${verb.slice(0, -2)}ying`;
  if (/[^eoy]e$/.test(verb)) return `${verb.slice(0, -1)}ing`;
  return `${doubled(verb)}ing`;
}

/** "hop" is "hopp" before an ending, "open" is "open": only a stressed last syllable doubles its consonant. */
function doubled(verb: string): string {
  const isShort = /^[^aeiou]*(?:qu)?[aeiou][^aeiouwxy]$/.test(verb);
  return isShort || stressedAtTheEnd.has(verb) ? verb + verb[verb.length - 1] : verb;
}

const stressedAtTheEnd = new Set(
  (
    "abet acquit admit allot annul begin commit compel concur confer control deter dispel distil embed emit enrol equip excel " +
    "expel forbid forget fulfil impel incur infer instil occur omit outfit patrol permit prefer propel rebel rebut recur refer " +
    "regret remit repel submit transfer transmit"
  ).split(" "),
);

const irregular = new Set(
  (
    "arise awake bear beat become begin bend bet bind bite bleed blow break breed bring build burn burst buy cast " +
    "catch choose cling come cost creep cut deal dig do draw dream drink drive eat fall feed feel fight find flee " +
    "fling fly forbid forget forgive freeze get give go grind grow hang have hear hide hit hold hurt keep kneel know " +
    "lay lead lean leap learn leave lend let lie light lose make mean meet mow pay put quit read rid ride ring rise " +
    "run saw say see seek sell send set sew shake shed shine shoot show shrink shut sing sink sit sleep slide sling " +
    "slit smell sow speak speed spell spend spill spin spit split spoil spread spring stand steal stick sting stink " +
    "stride strike string strive swear sweep swell swim swing take teach tear tell think throw thrust tread understand " +
    "wake wear weave weep wet win wind wring write"
  ).split(" "),
);
