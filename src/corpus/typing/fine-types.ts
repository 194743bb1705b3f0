/** Entity types that distinguish kinds of OTHER, which PEARL's nineteen do not. */
import { ENTITY_TYPES, type EntityType, LEXICAL_CLASSES } from "../../pearl/phrase-types.js";

/**
 * Kinds of things that are OTHER among the entity types, and that have names to match. An encoder may distinguish them
 * within its embedding; its types remain the nineteen.
 */
const OTHER_KINDS = ["disease", "chemical", "gene", "anatomy", "organism"] as const;

/** An entity type, or OTHER with its kind. */
export type FineType = EntityType | `OTHER/${(typeof OTHER_KINDS)[number]}`;

/** The entity types, and behind OTHER, which is the last of them, its kinds. */
export const FINE_TYPES: readonly FineType[] = [
  ...ENTITY_TYPES,
  ...OTHER_KINDS.map((kind): FineType => `OTHER/${kind}`),
];

/** The entity type of a type that may have a kind. */
export const entityTypeOfFine = (type: FineType): EntityType =>
  type.startsWith("OTHER/") ? "OTHER" : (type as EntityType);

/** The labels of phrase types with the kinds of OTHER: class × 24 + type. */
export const FINE_PHRASE_TYPES: readonly string[] = LEXICAL_CLASSES.flatMap((lexical) =>
  FINE_TYPES.map((type) => `${lexical}-${type}`),
);

// Labels of OntoNotes, CoNLL-2003, spaCy, WNUT and wink-nlp, mapped to our entity types.

/** Labels of CoNLL-2003 and WikiNER, spaCy and Stanza, WNUT 2017 and CrossNER, by our type. */
const otherLabels: Readonly<Partial<Record<EntityType, string>>> = {
  PERSON: "PER PEOPLE POLITICIAN SCIENTIST",
  OTHER: "MISC O",
  GPE: "GEO COUNTRY CITY STATE_OR_PROVINCE",
  ORG: "ORGANIZATION ORGANISATION CORPORATION GROUP COMPANY UNIVERSITY POLITICALPARTY",
  NORP: "NATIONALITY RELIGION IDEOLOGY",
  FAC: "FACILITY",
  LOC: "LOCATION",
  CARDINAL: "NUMBER",
  DATE: "DURATION",
  WORK_OF_ART: "CREATIVE_WORK WORKOFART WORK",
};

const others = Object.entries(otherLabels).flatMap(([type, labels]) =>
  labels.split(" ").map((label) => [label, type as EntityType] as const),
);
const known = new Map<string, FineType>([
  ...FINE_TYPES.flatMap((type) => [type, type.toUpperCase()].map((label) => [label, type] as const)),
  ...others,
]);

/** The labels that `fineTypeOf` knows, sorted; for messages. */
export const KNOWN_LABELS: readonly string[] = [...FINE_TYPES, ...others.map(([label]) => label)].sort();

/** Our type of a label in any letter case, with or without the B- and I- of sequence taggers; undefined for others. */
export function fineTypeOf(label: string): FineType | undefined {
  const bare = (): string =>
    label
      .trim()
      .toUpperCase()
      .replace(/^[BIESLU]-/, "")
      .replaceAll(/[-\s]/g, "_");
  return known.get(label) ?? known.get(bare());
}
