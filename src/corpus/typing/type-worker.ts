/** The worker thread that types phrases. */
import { serve } from "../../runtime/worker-server.js";
import { createPhraseTyper } from "./phrase-typer.js";
import { type TypeRequest, typeBatch } from "./type-batch.js";

serve({
  // wink-nlp remembers the words it has met: a new typer for each batch gives it the same types in any worker.
  type: async (request: TypeRequest) => {
    const answer = typeBatch(await createPhraseTyper(), request);
    return {
      result: answer,
      transfer: [answer.types.buffer as ArrayBuffer, answer.sources.buffer as ArrayBuffer],
    };
  },
  close: async () => ({ result: undefined }),
});
