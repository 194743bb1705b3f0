/** What one table adds to a name and another leaves out: a suffix, a qualifier, a word inside; and qualifiers dropped. */
import type { EntityType } from "../phrase-types.js";
import { inWholeCaseOf } from "./letter-case.js";
import { namePartsOf, nameWordRule } from "./name-words.js";
import { type DrawnRule, type ListedRule, pick } from "./rule.js";

/** What names of a kind end in, and what sets namesakes of the kind apart. */
interface Additions {
  readonly suffixes: readonly string[];
  readonly qualifiers: readonly string[];
}

const people: Additions = {
  suffixes: ["Jr.", "Sr.", "Jr", "II", "III"],
  qualifiers:
    "actor actress politician footballer musician singer writer artist cricketer bishop judge soldier".split(
      " ",
    ),
};
const organisations: Additions = {
  suffixes:
    "Inc Inc. Ltd Co Co. Corp LLC Company Group Holdings Association Society Club FC GmbH SA plc International".split(
      " ",
    ),
  qualifiers: [
    "company",
    "band",
    "newspaper",
    "club",
    "UK",
    "USA",
    "Canada",
    "London",
    "New York",
    "Germany",
  ],
};
const places: Additions = {
  suffixes: ["City", "County", "District", "Province", "Region", "Station", "Township", "Island"],
  qualifiers:
    "city village river district island USA UK Canada California Texas Ontario France Germany India Japan Australia England".split(
      " ",
    ),
};
const works: Additions = {
  suffixes: ["film", "album", "season", "series", "(remastered)", "Volume 1"],
  qualifiers: ["film", "album", "song", "novel", "TV series", "video game", "play", "single", "soundtrack"],
};
const all: Additions = {
  suffixes: [
    ...people.suffixes,
    ...organisations.suffixes,
    ...places.suffixes,
    "film",
    "album",
    "season",
    "University",
  ],
  qualifiers: [
    ...people.qualifiers,
    ...organisations.qualifiers,
    ...places.qualifiers,
    ...works.qualifiers,
    "ship",
    "disambiguation",
  ],
};

const additionsByType: Partial<Record<EntityType, Additions>> = {
  PERSON: people,
  ORG: organisations,
  GPE: places,
  LOC: places,
  FAC: places,
  WORK_OF_ART: works,
};

function additionsOf(type?: EntityType): Additions {
  return (type === undefined ? undefined : additionsByType[type]) ?? all;
}

const inserted = "the new of and national old great first royal international american united city".split(
  " ",
);

/** "Acme" to "Acme Ltd", "Springfield" to "Springfield County": by the entity type where it is known. */
export const addSuffixRule: DrawnRule = nameWordRule("add-suffix", 1, (words, random, { type }) => {
  const suffix = pick(additionsOf(type).suffixes, random);
  if (words[words.length - 1].toLowerCase() === suffix.toLowerCase()) return false;
  words.push(inWholeCaseOf(words.join(" "), suffix));
  return true;
});

/** A word that many names have, anywhere in this one; small before the first word only where all is small. */
export const insertWordRule: DrawnRule = nameWordRule("insert-word", 2, (words, random) => {
  const place = Math.floor(random() * (words.length + 1));
  const word = pick(inserted, random);
  const name = words.join(" ");
  const isTitle = word.length > 3 || place === 0;
  words.splice(place, 0, inWholeCaseOf(name, isTitle ? word[0].toUpperCase() + word.slice(1) : word));
  return true;
});

/** "Mercury" to "Mercury (planet)" or "Mercury, planet"; a name has one qualifier at most. */
export const addQualifierRule: DrawnRule = {
  name: "add-qualifier",
  granularity: "phrase",
  draw: (phrase, random, { type }) => {
    if (phrase.trim() === "" || namePartsOf(phrase).tail !== "") return undefined;
    const year = 1900 + Math.floor(random() * 126);
    const drawn = random() < 0.15 ? String(year) : pick(additionsOf(type).qualifiers, random);
    const qualifier = inWholeCaseOf(phrase, drawn);
    return random() < 0.6 ? `${phrase} (${qualifier})` : `${phrase}, ${qualifier}`;
  },
};

/** "Mercury (planet)" to "Mercury": unlike the rule "qualifier" it never turns one round, and takes any. */
export const dropQualifierRule: ListedRule = {
  name: "drop-qualifier",
  granularity: "phrase",
  list: (phrase, { type }) => {
    const { words, tail } = namePartsOf(phrase);
    // "Smith, John" is turned round by the rule of initials, and would be Smith alone here.
    if (tail === "" || (type === "PERSON" && tail.startsWith(","))) return [];
    const name = words.join(" ");
    return name.length > 2 ? [name] : [];
  },
};
