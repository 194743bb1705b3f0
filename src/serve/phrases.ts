/** Routes about phrases: their types, and how similar they are. */
import { z } from "zod";
import { dotProducts } from "../encoder/batching.js";
import { typeParts, typeRecord } from "../encoder/type-probabilities.js";
import { errorSchema, RequestError, whenGone } from "./errors.js";
import { mostValues, withDefault } from "./fields.js";
import type { Server } from "./server.js";
import type { Service } from "./service.js";

export function phraseRoutes(app: Server, { limits, types, embeddings }: Service): void {
  const phrases = z.array(z.string().max(limits.characters)).min(1).max(limits.items);
  const probability = z.number();
  const record = z.object({
    ...{ class: z.string(), type: z.string(), probability },
    ...{ classProbability: probability, typeProbability: probability },
  });
  const typed = z.object({ results: z.array(z.object({ phrase: z.string(), types: z.array(record) })) });
  const typeBody = z.strictObject({ phrases, top: withDefault(z.int().min(1), 1) });
  const typeSchema = {
    summary: "Types of phrases",
    body: typeBody,
    response: { 200: typed, "4xx": errorSchema },
  };
  app.post("/type", { schema: typeSchema }, async ({ body }, reply) => {
    const found = await types.add(body.phrases, whenGone(reply));
    const results = body.phrases.map((phrase, row) => {
      return { phrase, types: typeParts(found[row]).slice(0, body.top).map(typeRecord) };
    });
    return { results };
  });

  const body = z.strictObject({ a: phrases, b: phrases });
  const answer = z.object({ similarity: z.array(z.array(z.number())) });
  const schema = {
    summary: "Cosine similarity of each phrase of a with each of b",
    ...{ body, response: { 200: answer, "4xx": errorSchema } },
  };
  app.post("/similarity", { schema }, async ({ body: { a, b } }, reply) => {
    if (a.length * b.length > mostValues)
      throw new RequestError(413, `${a.length} × ${b.length} pairs are more than ${mostValues}`);
    const found = await embeddings.add([...a, ...b], whenGone(reply));
    const vectors = found.map(({ vector }) => vector);
    const rows = dotProducts(vectors.slice(0, a.length), vectors.slice(a.length));
    return { similarity: rows.map((row) => Array.from(row)) };
  });
}
