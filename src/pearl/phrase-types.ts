/** The 95 phrase types of PEARL: five lexical classes times nineteen entity types, in the order models save. */

/** Lexical classes: noun, verb, prepositional, adverb and adjective phrase (CoNLL-2000's chunk names). */
export const LEXICAL_CLASSES = ["NP", "VP", "PP", "ADVP", "ADJP"] as const;

/** Entity types: OntoNotes 5's eighteen, and OTHER for a phrase that names no entity of these. */
export const ENTITY_TYPES = [
  ...["PERSON", "NORP", "FAC", "ORG", "GPE", "LOC", "PRODUCT", "EVENT", "WORK_OF_ART", "LAW", "LANGUAGE"],
  ...["DATE", "TIME", "PERCENT", "MONEY", "QUANTITY", "ORDINAL", "CARDINAL"],
  "OTHER",
] as const;

/** One of {@link LEXICAL_CLASSES}. */
export type LexicalClass = (typeof LEXICAL_CLASSES)[number];
/** One of {@link ENTITY_TYPES}. */
export type EntityType = (typeof ENTITY_TYPES)[number];
/** The 95 labels, `class-entity`, e.g. "NP-ORG"; a label's index is class × 19 + entity (PEARL, Chen et al. 2024, section 3). */
export const PHRASE_TYPES: readonly string[] = LEXICAL_CLASSES.flatMap((lexical) =>
  ENTITY_TYPES.map((entity) => `${lexical}-${entity}`),
);
