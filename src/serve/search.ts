/** The route that finds the rows of an index most similar to phrases, among those that meet a condition. */
import { z } from "zod";
import { rankings } from "../search/index-types.js";
import { searchPhrases } from "../search/phrase-search.js";
import { errorSchema, RequestError, whenGone } from "./errors.js";
import { mostValues, optional, withDefault } from "./fields.js";
import { namedIndex } from "./match.js";
import type { Server } from "./server.js";
import type { Service } from "./service.js";

const hit = z.object({ key: z.string(), score: z.number(), cells: z.record(z.string(), z.string()) });

export function searchRoutes(app: Server, { encoder, indexes, limits }: Service): void {
  if (indexes.size === 0) return;
  const text = z.string().max(limits.characters);
  const body = z.strictObject({
    phrases: z.array(text).min(1).max(limits.items),
    index: optional(z.string()).meta({ description: "the name of an index; default: the only one" }),
    k: withDefault(z.int().min(1).max(200), 10).meta({ description: "rows per phrase" }),
    where: optional(text).meta({ description: "what rows must meet, such as city = 'Ulm'" }),
    ranking: withDefault(z.enum(rankings), "both"),
  });
  const results = z.array(z.object({ phrase: z.string(), hits: z.array(hit) }));
  const response = { 200: z.object({ results }), "4xx": errorSchema };
  const schema = { summary: "Rows of an index for each phrase", body, response };
  app.post("/search", { schema }, async ({ body: { phrases, index: name, ...settings } }, reply) => {
    const { index } = namedIndex(indexes, name);
    const cells = phrases.length * settings.k * index.layout.columns.length;
    if (cells > mostValues) throw new RequestError(413, `${cells} cells of hits are more than ${mostValues}`);
    const found = await searchPhrases(index, encoder, phrases, { ...settings, signal: whenGone(reply) });
    return { results: phrases.map((phrase, row) => ({ phrase, hits: found[row] })) };
  });
}
