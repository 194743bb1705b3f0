/** Says in a sentence why a pair has its score. Each part names something that the scorer was given. */
import type { MatchedWords, MissingWord, PhraseExplanation } from "./explain.js";

/** A missing word that costs less changes the odds of the pair by less than half. */
const IGNORED = 0.4;
const SHOWN_WORDS = 4;
const [RARE, COMMON] = [0.7, 0.3];

/** `"IBM Corp" ≈ "International Business Machines": initials match; "Corp" ignored (legal form)`. */
export function explanationLine(explanation: PhraseExplanation): string {
  const { left, right, isCompared, isSame, words, onlyLeft, onlyRight, embedding, types } = explanation;
  if (!isCompared) return `"${left}" and "${right}" not compared: a cell without words`;
  if (left === right) return `"${left}": equal`;
  const header = `"${left}" ≈ "${right}"`;
  if (isSame) return `${header}: equal except for case, accents, spaces and punctuation`;
  const equal = words.filter(({ kind }) => kind === "equal").map((word) => word.right);
  const parts = [
    ...(equal.length > 0 ? [`same word${equal.length > 1 ? "s" : ""} ${listed(equal)}`] : []),
    ...words.filter(({ kind }) => kind !== "equal").map(correspondence),
    ...numbers(explanation),
    ...onlyLeft.map((word) => missing(word, "left")),
    ...onlyRight.map((word) => missing(word, "right")),
    ...(embedding === undefined ? [] : [`embedding similarity ${embedding.toFixed(2)}`]),
    ...(types && types.agreement < 0.5 ? [`types differ: ${types.left.type}, ${types.right.type}`] : []),
  ];
  return `${header}: ${parts.join("; ")}`;
}

function listed(words: readonly string[]): string {
  const shown = words.slice(0, SHOWN_WORDS).map((word) => `"${word}"`);
  return shown.join(", ") + (words.length > SHOWN_WORDS ? ` and ${words.length - SHOWN_WORDS} more` : "");
}

function correspondence({ kind, left, right, likeness }: MatchedWords): string {
  const [short, long] = left.length <= right.length ? [left, right] : [right, left];
  const [one, several] = left.includes(" ") ? [right, left] : [left, right];
  if (kind === "initials") return `initials match ("${one}" for "${several}")`;
  if (kind === "joined") return `"${several}" joined as "${one}"`;
  if (kind === "abbreviated") return `"${short}" short for "${long}"`;
  if (kind === "number") return `"${left}" and "${right}" are the same number`;
  return `"${left}" spelt like "${right}" (${likeness.toFixed(2)})`;
}

function numbers({ numbers: found }: PhraseExplanation): string[] {
  if (found === "agree") return ["numbers agree"];
  if (found === "one-sided") return ["a number only on one side"];
  return found === "differ" ? ["numbers differ"] : [];
}

function missing({ word, rarity, role, cost }: MissingWord, side: "left" | "right"): string {
  const kind = role ?? (rarity >= RARE ? "rare" : rarity <= COMMON ? "common" : undefined);
  const reason = kind === undefined ? "" : ` (${kind})`;
  return Math.abs(cost) < IGNORED ? `"${word}" ignored${reason}` : `"${word}" only ${side}${reason}`;
}
