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
