/** The paper's rule: a character becomes that of a neighbouring key; letters become letters, digits digits. */
import { pick } from "../rule.js";
import { type Edit, inCaseOf } from "./character-edit.js";

/** Keys that touch on QWERTY and ЙЦУКЕН. */
const neighbours = new Map(
  (
    "1:2 2:13 3:24 4:35 5:46 6:57 7:68 8:79 9:80 0:9 " +
    "q:wa w:qeas e:wrsd r:etdf t:ryfg y:tugh u:yihj i:uojk o:ipkl p:ol a:qwsz s:weadzx d:ersfxc f:rtdgcv " +
    "g:tyfhvb h:yugjbn j:uihknm k:iojlm l:opk z:asx x:sdzc c:dfxv v:fgcb b:ghvn n:hjbm m:jkn " +
    "й:цф ц:йуфы у:цкыв к:уева е:кнап н:егпр г:ншро ш:гщол щ:шзлд з:щхдж х:зъжэ ъ:хэ ф:йцыя ы:цуфвяч " +
    "в:укыачс а:кевпсм п:енарми р:нгпоит о:гшрлть л:шщодьб д:щзлжбю ж:зхдэю э:хъж я:фыч ч:ывяс с:вачм " +
    "м:апси и:прмт т:роиь ь:олтб б:лдью ю:джб"
  )
    .split(" ")
    .map((keys) => [keys[0], keys.slice(2)]),
);

/** The keys next to that of a letter or digit, in lower case; "" for any other character. */
export const keyboardNeighbours = (character: string): string =>
  neighbours.get(character.toLowerCase()) ?? "";

export const replaceByNeighbour: Edit = ({ units, places }, random) => {
  const able = places.filter((place) => keyboardNeighbours(units[place]) !== "");
  if (able.length === 0) return false;
  const place = pick(able, random);
  units[place] = inCaseOf(units[place], pick(keyboardNeighbours(units[place]), random));
  return true;
};
