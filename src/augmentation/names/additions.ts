/** Suffixes and qualifiers that one table adds to a name and another leaves out, by entity type. */
import type { EntityType } from "../../pearl/phrase-types.js";

interface Additions {
  readonly suffixes: readonly string[];
  /** What distinguishes names with the same spelling. */
  readonly qualifiers: readonly string[];
}

const additions = (suffixes: string, qualifiers: string): Additions => ({
  suffixes: suffixes.split(", "),
  qualifiers: qualifiers.split(", "),
});

const people = additions(
  "Jr., Sr., Jr, II, III",
  "actor, actress, politician, footballer, musician, singer, writer, artist, cricketer, bishop, judge, soldier",
);
const organisations = additions(
  "Inc, Inc., Ltd, Co, Co., Corp, LLC, Company, Group, Holdings, Association, Society, Club, FC, GmbH, SA, plc, " +
    "International",
  "company, band, newspaper, club, UK, USA, Canada, London, New York, Germany",
);
const places = additions(
  "City, County, District, Province, Region, Station, Township, Island",
  "city, village, river, district, island, USA, UK, Canada, California, Texas, Ontario, France, Germany, India, " +
    "Japan, Australia, England",
);
const works = additions(
  "film, album, season, series, (remastered), Volume 1",
  "film, album, song, novel, TV series, video game, play, single, soundtrack",
);

const byType: Partial<Record<EntityType, Additions>> = {
  PERSON: people,
  ORG: organisations,
  GPE: places,
  LOC: places,
  FAC: places,
  WORK_OF_ART: works,
};

const other = additions("film, album, season, University", "ship, disambiguation");
const all: Additions = {
  suffixes: [people, organisations, places, other].flatMap(({ suffixes }) => suffixes),
  qualifiers: [people, organisations, places, works, other].flatMap(({ qualifiers }) => qualifiers),
};

/** Those of a type; all of them where the type is unknown or has none. */
export const additionsOf = (type?: EntityType): Additions => (type && byType[type]) ?? all;
