/**
 * Legal forms of companies are dropped or changed: "Acme, Inc." becomes "Acme", "Acme Inc.", "Acme Incorporated"; "NV
 * Philips" becomes "Philips NV".
 */
import { inWholeCaseOf } from "../../pearl/augmentation/letter-case.js";
import type { List } from "../../pearl/augmentation/rule.js";
import { wordList } from "../../text/word-lists.js";

const afterComma = /^(?:Inc|Ltd|LLC|LLP|LP|Co\., Ltd)/;

/** Forms that also come before the name: "NV Philips", "AB Volvo", "PT Astra". */
const atFront = ["NV", "AB", "BV", "SA", "AG", "PT", "OAO", "OOO", "PJSC", "JSC"];

/** All spellings of each spelling's form; the first two are written, the others only recognised. */
const formOf = wordList(
  "legal-forms",
  (forms) =>
    new Map(forms.flatMap((form) => form.map((spelling) => [spelling.toLowerCase(), form] as const))),
);
const mostWords = 4;
const lastWord = (text: string): string => text.slice(text.lastIndexOf(" ") + 1).toLowerCase();
const lastWords = wordList("legal-forms", (forms) => new Set(forms.flat().map(lastWord)));

export const changeLegalForm: List = (phrase, { type }) => {
  if (!phrase.includes(" ") || (type !== undefined && type !== "ORG" && type !== "OTHER")) return [];
  const front = atFront.find((form) => phrase.startsWith(`${form} `));
  if (front !== undefined) {
    const name = phrase.slice(front.length + 1);
    return [name, `${name} ${front}`];
  }
  if (!lastWords().has(lastWord(phrase))) return [];
  const words = phrase.split(" ");
  for (let count = Math.min(mostWords, words.length - 1); count > 0; count--) {
    const spelling = words.slice(-count).join(" ");
    const form = formOf().get(spelling.toLowerCase());
    // Capitals are optional, but a small "co" or "as" is a word.
    if (form !== undefined && (spelling.length > 2 || form.includes(spelling)))
      return [...rewritten(phrase, words.slice(0, -count).join(" ").replace(/,$/, ""), form)];
  }
  return [];
};

function* rewritten(phrase: string, name: string, form: readonly string[]): Generator<string> {
  // What is left of "The Company" or "a Limited" does not name a company.
  if (/^(?:the|a|an|and|of|our|this)$/i.test(name)) return;
  const cased = (text: string): string => inWholeCaseOf(phrase, text);
  // Without its form, "The Hershey Company" is "Hershey".
  yield name.replace(/^the /i, "");
  for (const other of form.slice(0, 2)) yield `${name} ${cased(other)}`;
  if (afterComma.test(form[0])) yield `${name}, ${cased(form[0])}`;
  const bare = form[0].replace(/[.,]/g, "");
  yield `${name} ${cased(bare)}`;
  if (atFront.includes(bare)) yield `${bare} ${name}`;
}
