/** Labels of OntoNotes, CoNLL-2003, spaCy, WNUT and wink-nlp, mapped to our entity types. */
import { type EntityType, FINE_TYPES, type FineType } from "../../pearl/phrase-types.js";

const synonyms: Readonly<Record<string, EntityType>> = {
  // CoNLL-2003 and WikiNER
  PER: "PERSON",
  MISC: "OTHER",
  O: "OTHER",
  // spaCy's and Stanza's spellings
  PEOPLE: "PERSON",
  GEO: "GPE",
  ORGANIZATION: "ORG",
  ORGANISATION: "ORG",
  NATIONALITY: "NORP",
  FACILITY: "FAC",
  LOCATION: "LOC",
  COUNTRY: "GPE",
  CITY: "GPE",
  STATE_OR_PROVINCE: "GPE",
  RELIGION: "NORP",
  IDEOLOGY: "NORP",
  NUMBER: "CARDINAL",
  DURATION: "DATE",
  // WNUT 2017 and CrossNER
  CORPORATION: "ORG",
  GROUP: "ORG",
  COMPANY: "ORG",
  UNIVERSITY: "ORG",
  POLITICALPARTY: "ORG",
  POLITICIAN: "PERSON",
  SCIENTIST: "PERSON",
  CREATIVE_WORK: "WORK_OF_ART",
  WORKOFART: "WORK_OF_ART",
  WORK: "WORK_OF_ART",
};

const known = new Map<string, FineType>([
  ...FINE_TYPES.map((type): [string, FineType] => [type.toUpperCase(), type]),
  ...Object.entries(synonyms),
]);

/** The labels that `fineTypeOf` knows, sorted; for messages. */
export const KNOWN_LABELS: readonly string[] = [...FINE_TYPES, ...Object.keys(synonyms)].sort();

/** Our type of a label in any letter case, with or without the B- and I- of sequence taggers; undefined for others. */
export function fineTypeOf(label: string): FineType | undefined {
  const bare = label
    .trim()
    .toUpperCase()
    .replace(/^[BIESLU]-/, "")
    .replaceAll(/[-\s]/g, "_");
  return known.get(bare);
}
