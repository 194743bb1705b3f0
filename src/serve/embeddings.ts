/** Routes about phrases: OpenAI's embeddings and models, types, similarity. */
import { z } from "zod";
import { dotProducts, finishVector } from "../encoder/batching.js";
import { typeParts, typeRecord } from "../encoder/type-probabilities.js";
import { base64Of } from "../runtime/base64.js";
import { errorSchema, RequestError, whenGone } from "./errors.js";
import { mostValues, optional, withDefault } from "./fields.js";
import type { Server } from "./server.js";
import type { Service } from "./service.js";

const modelSchema = z.object({
  id: z.string(),
  object: z.literal("model"),
  created: z.int(),
  owned_by: z.string(),
});

/** @param names the model's names; the first is shown */
export function embeddingRoutes(app: Server, service: Service, names: readonly string[]): void {
  const { encoder, limits, embeddings, metrics } = service;
  const phrase = z.string().min(1, "a phrase cannot be an empty string").max(limits.characters);
  const many = z.array(phrase).min(1, "there must be at least one phrase").max(limits.items);
  const length = z.int().min(1).max(encoder.dimension);
  const recorded = encoder.model.dims;
  const oneOf = (lengths: readonly number[]) =>
    `must be one of ${lengths.join(", ")}, which the model was trained on`;
  const body = z.strictObject({
    input: z.union([phrase, many], "must be a string or an array of strings; token ids are not accepted"),
    model: z.string(),
    encoding_format: withDefault(z.enum(["float", "base64"]), "float"),
    dimensions: optional(recorded ? length.refine((n) => recorded.includes(n), oneOf(recorded)) : length),
    user: optional(z.string()),
  });
  const usage = z.object({ prompt_tokens: z.int(), total_tokens: z.int() });
  const embedding = z.union([z.array(z.number()), z.string().meta({ description: "base64 of float32" })]);
  const data = z.array(z.object({ object: z.literal("embedding"), index: z.int(), embedding }));
  const answer = z.object({ object: z.literal("list"), data, model: z.string(), usage });
  const response = { 200: answer, "4xx": errorSchema };
  app.post(
    "/v1/embeddings",
    { schema: { summary: "Embed phrases", body, response } },
    async (request, reply) => {
      const { input, model, encoding_format, dimensions = encoder.dimension } = request.body;
      checkName(model);
      const found = await embeddings.add(typeof input === "string" ? [input] : input, whenGone(reply));
      const total = found.reduce((sum, { tokens }) => sum + tokens, 0);
      metrics.onTokens(total);
      const rows = found.map(({ vector }, index) => {
        const cut = dimensions === vector.length ? vector : shortened(vector, dimensions);
        return {
          object: "embedding" as const,
          index,
          embedding: encoding_format === "float" ? [...cut] : base64Of(cut),
        };
      });
      return {
        ...{ object: "list" as const, data: rows, model },
        usage: { prompt_tokens: total, total_tokens: total },
      };
    },
  );

  const created = Math.floor(Date.now() / 1000);
  const own = { id: names[0], object: "model" as const, created, owned_by: "pearl" };
  const list = z.object({ object: z.literal("list"), data: z.array(modelSchema) });
  app.get("/v1/models", { schema: { summary: "The model", response: { 200: list } } }, async () => {
    return { object: "list" as const, data: [own] };
  });
  const params = z.object({ model: z.string() });
  const one = { summary: "One model", params, response: { 200: modelSchema, "4xx": errorSchema } };
  app.get("/v1/models/:model", { schema: one }, async ({ params }) => {
    checkName(params.model);
    return own;
  });

  function checkName(name: string): void {
    if (names.includes(name)) return;
    const message = `The model \`${name}\` does not exist. This server has \`${names[0]}\`.`;
    throw new RequestError(404, message, { code: "model_not_found", param: "model" });
  }
}

/** The first coordinates, scaled to unit length. */
function shortened(vector: Float32Array, dimensions: number): Float32Array {
  const cut = new Float32Array(dimensions);
  finishVector(vector, cut, "unit");
  return cut;
}

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
