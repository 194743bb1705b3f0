/** English inflection: puts a synonym into the form of the word that it replaces, or reports that it cannot. */
import { wordList, wordSet } from "../text/word-lists.js";
import { capitalised } from "./rule.js";

export type Form = "base" | "plural" | "third-person" | "past" | "participle";

/** A possible lemma of a word, with the form that leads back to the word. */
export interface Analysis {
  readonly lemma: string;
  readonly form: Form;
}

const verbSuffixes: readonly (readonly [string, Form])[] = [
  ["es", "third-person"],
  ["s", "third-person"],
  ["ed", "past"],
  ["ing", "participle"],
];

/**
 * What a lower-case word, or several words, may be a form of, itself first; each gives the word again when it is
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
  const [verb] = text.split(" ", 1);
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

/**
 * A lemma in a form, or undefined where it has none or the regular one would be wrong. In a lemma of several words the
 * noun is the last ("motor vehicles"), the verb the first ("carried out").
 */
export function inflect(lemma: string, form: Form): string | undefined {
  if (form === "base") return lemma;
  const words = lemma.split(" ");
  const at = form === "plural" ? words.length - 1 : 0;
  const inflected = form === "plural" ? pluralOf(words[at]) : verbForm(words[at], form);
  return inflected && words.with(at, inflected).join(" ");
}

/** "automobiles", "Berliners"; undefined where the noun is its own plural, or an abbreviation ("Dr.", "MD"). */
function pluralOf(noun: string): string | undefined {
  if (!/^[\p{L}'-]*\p{Ll}$/u.test(noun)) return undefined;
  const regular = changed(noun.toLowerCase(), plurals()) ?? replaced(noun, toPlural);
  const plural = noun[0] === noun[0].toLowerCase() ? regular.toLowerCase() : capitalised(regular);
  return plural === noun ? undefined : plural;
}

/** The singular of a lower-case noun; a word that is not a plural may come out wrong. */
const singularOf = (noun: string): string => changed(noun, singulars()) ?? replaced(noun, toSingular);

const changed = (noun: string, table: ReadonlyMap<string, string>): string | undefined =>
  unchangingNouns().has(noun) ? noun : table.get(noun);

function replaced(noun: string, rules: readonly EndingRule[]): string {
  const rule = rules.find(([ending]) => ending.test(noun));
  return rule ? noun.replace(...rule) : noun;
}

function verbForm(verb: string, form: "third-person" | "past" | "participle"): string | undefined {
  if (!/^[a-z]+$/.test(verb) || verb === "be") return undefined;
  const withoutY = /[^aeiou]y$/.test(verb) ? verb.slice(0, -1) : undefined;
  if (form === "third-person") {
    if (verb === "have") return "has";
    if (withoutY !== undefined) return `${withoutY}ies`;
    return /(?:s|x|z|ch|sh|o)$/.test(verb) ? `${verb}es` : `${verb}s`;
  }
  if (form === "past") {
    if (irregularVerbs().has(verb) || irregularVerbs().has(verb.replace(prefix, ""))) return undefined;
    if (withoutY !== undefined) return `${withoutY}ied`;
    return verb.endsWith("e") ? `${verb}d` : `${doubled(verb)}ed`;
  }
  if (verb.endsWith("ie")) return `${verb.slice(0, -2)}ying`;
  return /[^eoy]e$/.test(verb) ? `${verb.slice(0, -1)}ing` : `${doubled(verb)}ing`;
}

const prefix = /^(?:re|un|out|over|under|fore|mis|with)/;

/** "hop" is "hopp" before an ending, "open" is "open": only a stressed last syllable doubles its consonant. */
function doubled(verb: string): string {
  const isShort = /^[^aeiou]*(?:qu)?[aeiou][^aeiouwxy]$/.test(verb);
  return isShort || stressedAtTheEnd().has(verb) ? verb + verb[verb.length - 1] : verb;
}

const stressedAtTheEnd = wordSet("stressed-verbs");
const irregularVerbs = wordSet("irregular-verbs");
const unchangingNouns = wordSet("unchanging-nouns");
const plurals = wordList("irregular-nouns", (entries) => new Map(entries as [string, string][]));
const singulars = wordList(
  "irregular-nouns",
  (entries) => new Map(entries.map(([singular, plural]) => [plural, singular])),
);

const latinA = "antenn|formul|nebul|vertebr|vit";
const latinUs = "octop|vir|radi|nucle|fung|cact|stimul|alumn|calcul|hippopotam|macrofung|phoet|syllab|troph";

/** An ending and its replacement; the first that matches counts. */
type EndingRule = readonly [ending: RegExp, replacement: string];

const toPlural: readonly EndingRule[] = [
  [/([aeiou]y)$/, "$1s"],
  [/y$/, "ies"],
  [/ife$/, "ives"],
  [new RegExp(`(${latinA})a$`, "i"), "$1ae"],
  [new RegExp(`(${latinUs})us$`, "i"), "$1i"],
  [/(buffal|tomat|tornad)o$/i, "$1oes"],
  [/sis$/, "ses"],
  [/(matr|vert|ind|cort)(?:ix|ex)$/i, "$1ices"],
  [/sses$/, "sses"],
  [/(x|ch|ss|sh|s|z)$/, "$1es"],
  [/^(?!talis|.*hu)(.*)man$/i, "$1men"],
  [/$/, "s"],
];

const toSingular: readonly EndingRule[] = [
  [/ves$/, "f"],
  [/nses$/, "nse"],
  [/([^v])ies$/, "$1y"],
  [new RegExp(`(${latinA})ae$`), "$1a"],
  [new RegExp(`(${latinUs})i$`), "$1us"],
  [/(buffal|tomat|tornad)oes$/, "$1o"],
  [/(analy|naly|synop|parenthe|diagno|the)ses$/, "$1sis"],
  [/(vert|ind|cort)ices$/, "$1ex"],
  [/(matr|append)ices$/, "$1ix"],
  [/(x|ch|ss|sh|s|z)es$/, "$1"],
  [/men$/, "man"],
  [/ss$/, "ss"],
  [/s$/, ""],
];
