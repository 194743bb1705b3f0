/** The models that come with pearl. */

/** Their names; the first one is the default. */
export const embeddedNames = ["pearl-mini", "pearl-strings"] as const;

/** The name of a model that comes with pearl. */
export type EmbeddedName = (typeof embeddedNames)[number];
