/** The worker that types phrases. */
import type { LexicalClass } from "../../pearl/phrase-types.js";
import { serve } from "../../runtime/worker-server.js";
import { createPhraseTyper, type TypeLabel } from "./phrase-typer.js";

export interface TypeRequest {
  readonly phrase: string;
  readonly lexicalClass: LexicalClass;
}

/** One for each phrase. */
export type TypeAnswer = readonly (TypeLabel | undefined)[];

serve({
  // wink-nlp remembers the words it has met: a new typer for each batch gives it the same types in any worker.
  type: async (batch: readonly TypeRequest[]) => {
    const typer = await createPhraseTyper();
    return {
      result: batch.map(({ phrase, lexicalClass }) => typer(phrase, lexicalClass)) satisfies TypeAnswer,
    };
  },
});
