/** Pearl's own rule: spellings that stand for one sound: ph and f, ou and u, ü and ue; as names are when they are heard or transcribed. */
import { type DrawnRule, pick } from "../rule.js";
import { inCaseOf } from "./units.js";

/** Written for one another anywhere in a word, both ways. */
const anywhere = (
  "ph:f ch:kh ch:tch sh:sch sh:ch c:k y:j w:v kw:qu ts:tz z:s ks:x zh:j dj:j gu:g i:y kh:h " +
  "ü:ue ö:oe ä:ae ß:ss ø:oe å:aa æ:ae œ:oe ü:u ö:o ä:a é:e è:e ñ:n ç:c á:a í:i ó:o ú:u š:s č:c ž:z ł:l ø:o å:a"
).split(" ");
/** Inside a word only: double letters, vowels, silent letters. Nothing after the colon: the letter goes. */
const inside = (
  "ck:k ou:u ou:oo oo:u ee:i ea:ee oe:o ae:a ie:ei ai:ei ei:ey ov:off er:re or:our gh:g th:t h: e: " +
  "ll:l ss:s tt:t nn:n mm:m pp:p rr:r ff:f dd:d"
).split(" ");
/** Only in this direction, since a plain letter seldom hides an accent. */
const oneWay = /[à-ž]/;

interface Spelling {
  readonly from: string;
  readonly to: string;
  readonly startsWord: boolean;
}

const spellings: readonly Spelling[] = [...spellingsOf(anywhere, true), ...spellingsOf(inside, false)];

function spellingsOf(pairs: readonly string[], startsWord: boolean): Spelling[] {
  return pairs.flatMap((pair) => {
    const [from, to] = pair.split(":");
    const isOneWay = to === "" || oneWay.test(from);
    return [{ from, to, startsWord }, ...(isOneWay ? [] : [{ from: to, to: from, startsWord }])];
  });
}

const leastLetters = 4;
const longWord = /\p{L}{4,}/gu;

/**
 * The rule: one spelling of a sound becomes another in one word of at least four letters. A spelling is drawn among
 * those that occur in the word, each with the same chance.
 */
export const transliterationRule: DrawnRule = {
  name: "transliteration",
  granularity: "character",
  draw: (phrase, random) => {
    if (phrase.length < leastLetters) return undefined;
    const words = phrase.match(longWord);
    if (words === null) return undefined;
    const drawn = Math.floor(random() * words.length);
    const word = words[drawn];
    const lower = word.toLowerCase();
    // Places in the small letters are the word's own only where no letter changes its length (İ).
    if (lower.length !== word.length) return undefined;
    const able = spellings.filter(({ from, startsWord }) => lower.indexOf(from, startsWord ? 0 : 1) >= 0);
    if (able.length === 0) return undefined;
    const { from, to, startsWord } = pick(able, random);
    const at = lower.indexOf(from, startsWord ? 0 : 1);
    const respelt = word.slice(0, at) + cased(word, at, from, to) + word.slice(at + from.length);
    let start = -1;
    for (let index = 0; index <= drawn; index++)
      start = phrase.indexOf(words[index], start < 0 ? 0 : start + words[index - 1].length);
    return phrase.slice(0, start) + respelt + phrase.slice(start + word.length);
  },
};

/** What comes in, letter by letter in the case of what it stands for; "Ph" to "F", "F" to "Ph" but "FX" to "PHX". */
function cased(word: string, at: number, from: string, to: string): string {
  let text = "";
  for (let index = 0; index < to.length; index++) {
    const model = index < from.length ? word[at + index] : (word[at + index] ?? word[at + from.length - 1]);
    text += inCaseOf(model, to[index]);
  }
  return text;
}
