/** Reads JSON files with a schema: a wrong one is refused with its name, the field and the cure. */
import { type BaseIssue, type BaseSchema, getDotPath, safeParse } from "valibot";
import { messageOf, type PearlError } from "../errors.js";
import { checksum } from "./checksums/crc.js";
import { readText } from "./disk.js";

export type Schema<Value> = BaseSchema<unknown, Value, BaseIssue<unknown>>;

/** The error for a file that does not match its schema. */
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
  const text = await readText(path).catch((cause: NodeJS.ErrnoException) => {
    // ENOTDIR: its folder is a file.
    if (cause.code === "ENOENT" || cause.code === "ENOTDIR") return undefined;
    throw new trouble.error(`${path} cannot be read: ${messageOf(cause)}. ${trouble.cure}`, { cause });
  });
  return text === undefined ? undefined : parseJson(text, path, schema, trouble);
}

/** Checks JSON text, and its own checksum if it has a field `crc32`. @param place its name in messages @throws `trouble.error` */
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
    // The message quotes the text, with its line ends.
    const reason = messageOf(cause).replaceAll(/\s+/g, " ");
    throw new Trouble(`${place}: not valid JSON (${reason}). ${cure}`, { cause });
  }
  const { crc32 } = Object(value) as { crc32?: unknown };
  if (crc32 !== undefined && crc32 !== checksum(JSON.stringify({ ...Object(value), crc32: undefined })))
    throw new Trouble(`${place} is damaged: its checksum differs. ${cure}`);
  const result = safeParse(schema, value, { abortEarly: true });
  if (result.success) return result.output;
  const [issue] = result.issues;
  const field = getDotPath(issue);
  throw new Trouble(`${place}: ${field ? `field "${field}": ` : ""}${issue.message}. ${cure}`);
}
