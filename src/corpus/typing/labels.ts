/** Labels of OntoNotes, CoNLL-2003, spaCy, WNUT and wink-nlp, mapped to our entity types. */
import type { EntityType } from "../../pearl/phrase-types.js";
import { FINE_TYPES, type FineType } from "./fine-types.js";

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
