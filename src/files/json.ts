/** JSON files read with a schema, so that a wrong one is refused with its name, the field and the cure. */
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { type BaseIssue, type BaseSchema, getDotPath, safeParse } from "valibot";
import { messageOf, type PearlError } from "../errors.js";

/** A schema of valibot whose result is `Value`. */
export type Schema<Value> = BaseSchema<unknown, Value, BaseIssue<unknown>>;

/** What is thrown for a file that is not as it should be. */
export interface JsonTrouble {
  readonly error: new (message: string, options?: ErrorOptions) => PearlError;
  /** What the user can do, as a sentence. */
  readonly cure: string;
}

/** Reads and checks a JSON file. @returns undefined where it does not exist @throws `trouble.error` */
export async function readJson<Value>(
  path: string,
  schema: Schema<Value>,
  trouble: JsonTrouble,
): Promise<Value | undefined> {
  const text = await readFile(path, "utf8").catch((error) => ignoreAbsence(error, path, trouble));
  return text === undefined ? undefined : parseJson(text, path, schema, trouble);
}

/** {@link readJson} for callers that cannot wait. */
export function readJsonSync<Value>(
  path: string,
  schema: Schema<Value>,
  trouble: JsonTrouble,
): Value | undefined {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    return ignoreAbsence(error, path, trouble);
  }
  return parseJson(text, path, schema, trouble);
}

/** Checks JSON text. @param place what messages call it @throws `trouble.error` */
export function parseJson<Value>(
  text: string,
  place: string,
  schema: Schema<Value>,
  { error: Trouble, cure }: JsonTrouble,
): Value {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new Trouble(`${place}: not valid JSON (${messageOf(cause)}). ${cure}`, { cause });
  }
  const result = safeParse(schema, value, { abortEarly: true });
  if (result.success) return result.output;
  const [issue] = result.issues;
  const field = getDotPath(issue);
  throw new Trouble(`${place}: ${field ? `field "${field}": ` : ""}${issue.message}. ${cure}`);
}

function ignoreAbsence(error: unknown, path: string, { error: Trouble, cure }: JsonTrouble): undefined {
  if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return undefined;
  throw new Trouble(`${path} cannot be read: ${messageOf(error)}. ${cure}`, { cause: error });
}
