/** Singular and plural of English nouns: words that do not change, irregular ones, and rules for endings. */

const unchanging = new Set(
  (
    "bison bream carp chassis christmas cod corps debris deer diabetes equipment elk fish flounder gallows graffiti " +
    "headquarters herpes highjinks homework information mackerel mews money news rice rabies salmon series sheep " +
    "shrimp species swine tennis trout tuna whiting wildebeest"
  ).split(" "),
);

const irregular = (
  "child:children man:men person:people sex:sexes mouse:mice ox:oxen foot:feet tooth:teeth goose:geese " +
  "ephemeris:ephemerides cloth:clothes hero:heroes torso:torsi leaf:leaves wolf:wolves calf:calves half:halves " +
  "knife:knives loaf:loaves life:lives wife:wives shelf:shelves thief:thieves yourself:yourselves"
)
  .split(" ")
  .map((pair) => pair.split(":") as [string, string]);
const plurals = new Map(irregular);
const singulars = new Map(irregular.map(([singular, plural]) => [plural, singular]));

const latinA = "antenn|formul|nebul|vertebr|vit";
const latinUs = "octop|vir|radi|nucle|fung|cact|stimul|alumn|calcul|hippopotam|macrofung|phoet|syllab|troph";
const hissing = "x|ch|ss|sh|s|z";

/** An ending and what takes its place; the first that fits counts. */
type EndingRule = readonly [ending: RegExp, replacement: string];

const toPlural: readonly EndingRule[] = [
  [/([aeiou]y)$/i, "$1s"],
  [/y$/i, "ies"],
  [/ife$/i, "ives"],
  [new RegExp(`(${latinA})a$`, "i"), "$1ae"],
  [new RegExp(`(${latinUs})us$`, "i"), "$1i"],
  [/(buffal|tomat|tornad)o$/i, "$1oes"],
  [/sis$/i, "ses"],
  [/(matr|vert|ind|cort)(?:ix|ex)$/i, "$1ices"],
  [/sses$/i, "sses"],
  [new RegExp(`(${hissing})$`, "i"), "$1es"],
  [/^(?!talis|.*hu)(.*)man$/i, "$1men"],
  [/$/, "s"],
];

const toSingular: readonly EndingRule[] = [
  [/ves$/i, "f"],
  [/nses$/i, "nse"],
  [/([^v])ies$/i, "$1y"],
  [new RegExp(`(${latinA})ae$`, "i"), "$1a"],
  [new RegExp(`(${latinUs})i$`, "i"), "$1us"],
  [/(buffal|tomat|tornad)oes$/i, "$1o"],
  [/(analy|naly|synop|parenthe|diagno|the)ses$/i, "$1sis"],
  [/(vert|ind|cort)ices$/i, "$1ex"],
  [/(matr|append)ices$/i, "$1ix"],
  [new RegExp(`(${hissing})es$`, "i"), "$1"],
  [/men$/i, "man"],
  [/ss$/i, "ss"],
  [/s$/i, ""],
];

/** "automobile" to "automobiles". @param noun one word, not empty */
export const pluralOf = (noun: string): string => changed(noun, plurals, toPlural);

/** "automobiles" to "automobile"; a word that is no plural may come out wrong. @param noun one word, not empty */
export const singularOf = (noun: string): string => changed(noun, singulars, toSingular);

function changed(noun: string, table: ReadonlyMap<string, string>, rules: readonly EndingRule[]): string {
  const lower = noun.toLowerCase();
  if (unchanging.has(lower)) return inCaseOf(noun, lower);
  const known = table.get(lower);
  if (known !== undefined) return inCaseOf(noun, known);
  const rule = rules.find(([ending]) => ending.test(noun));
  return inCaseOf(noun, rule ? noun.replace(...rule) : noun);
}

/** Capitals where the model begins with two, one where it begins with one, else small letters. */
function inCaseOf(model: string, text: string): string {
  if (model[0] !== model[0].toUpperCase()) return text.toLowerCase();
  const isCapitalised = model[1] !== undefined && model[1] === model[1].toLowerCase();
  return isCapitalised ? text[0].toUpperCase() + text.slice(1) : text.toUpperCase();
}
