/** The fields of requests: what may be left out, and how large JSON may be before anything is made of it. */
import type { z } from "zod";
import { RequestError } from "./errors.js";

/** A field that may be absent. Clients such as LiteLLM send null for what they leave out. */
export const optional = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((given) => given ?? undefined);

/** {@link optional}, with a default. */
export const withDefault = <Schema extends z.ZodType>(schema: Schema, byDefault: z.output<Schema>) =>
  schema
    .nullable()
    .default(byDefault as never)
    .transform((given) => (given ?? byDefault) as z.output<Schema>);

/** Brackets within brackets of a request; ours have seven. */
const mostDepth = 16;
/** Columns of a table that is matched: each is compared with those of the other. */
export const mostColumns = 200;
/** Cells, or values of any kind, of a request, and cells and similarities of an answer. */
export const mostValues = 250_000;

/** What JSON may hold, so that neither its reading nor its check holds up other requests. */
export interface JsonBounds {
  /** Names of one object. */
  readonly names: number;
  readonly values: number;
}

/** Why JSON is refused, by its brackets and commas: they are counted in a fraction of the time that reading it takes. */
export function beyondBounds(text: string, { names, values }: JsonBounds): RequestError | undefined {
  const refused = (trouble: string) => new RequestError(413, `The JSON has ${trouble}.`);
  // by open bracket: the names of an object, -Infinity for an array
  const open: number[] = [];
  let found = 0;
  for (let at = 0; at < text.length; at++)
    switch (text[at]) {
      case '"':
        for (at++; at < text.length && text[at] !== '"'; at++) if (text[at] === "\\") at++;
        break;
      case "[":
      case "{":
        if (open.push(text[at] === "{" ? 1 : -Infinity) > mostDepth)
          return refused(`brackets more than ${mostDepth} deep`);
        break;
      case "]":
      case "}":
        open.pop();
        break;
      case ",":
        if (++found >= values) return refused(`more than ${values} values`);
        if (++open[open.length - 1] > names) return refused(`an object of more than ${names} columns`);
    }
  return undefined;
}
