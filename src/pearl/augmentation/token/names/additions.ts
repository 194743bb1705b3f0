/** Suffixes and qualifiers that one table adds to a name and another leaves out, by entity type. */
import type { EntityType } from "../../../phrase-types.js";

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

/** Those of a type; of an unknown type, all. */
export function additionsOf(type?: EntityType): Additions {
  return (type === undefined ? undefined : additionsByType[type]) ?? all;
}
