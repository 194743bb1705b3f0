/** Types of many phrases as plain arrays, which cross between threads without a copy. */
import { ENTITY_TYPES, LEXICAL_CLASSES } from "../../pearl/phrase-types.js";
import { type PhraseTyper, TYPE_SOURCES } from "./phrase-typer.js";

/** Phrases with the indices of their classes. */
export interface TypeRequest {
  readonly phrases: readonly string[];
  readonly classes: Uint8Array;
}

/** For each phrase the indices of its type and of the type's source; 255 where there is none. */
export interface TypeAnswer {
  readonly types: Uint8Array;
  readonly sources: Uint8Array;
}

/** Types a batch. */
export function typeBatch(typer: PhraseTyper, { phrases, classes }: TypeRequest): TypeAnswer {
  const types = new Uint8Array(phrases.length).fill(255);
  const sources = new Uint8Array(phrases.length).fill(255);
  for (let row = 0; row < phrases.length; row++) {
    const label = typer(phrases[row], LEXICAL_CLASSES[classes[row]]);
    if (label === undefined) continue;
    types[row] = ENTITY_TYPES.indexOf(label.type);
    sources[row] = TYPE_SOURCES.indexOf(label.source);
  }
  return { types, sources };
}
