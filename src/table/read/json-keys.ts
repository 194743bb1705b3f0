/** Learns the columns of a JSONL table while its lines are read: keys in order of appearance, and their types. */
import { messageOf, TableError } from "../../errors.js";
import { jsonPairsOf, repeatedKey } from "./json-values.js";

/** More keys than this means that the keys are data, not columns. */
const mostKeys = 1000;

/** Strings kept of each key, to choose the phrase column by. */
const sampleSize = 20;

/** How the values of one key are stored without losing any of them. */
export type JsonColumnType = "VARCHAR" | "BIGINT" | "DOUBLE" | "BOOLEAN" | "JSON";

/** What a value is. "LONG" is a whole number of 64 bits that a double would alter. */
type JsonKind = JsonColumnType | "LONG";

interface Key {
  readonly kinds: Set<JsonKind>;
  readonly sample: string[];
}

export class JsonKeys {
  private readonly keys = new Map<string, Key>();

  /** @param file the table's name in a shell command */
  constructor(private readonly file: string) {}

  /** Adds the keys of one line; false where it is blank. Throws TableError where it is not a JSON object. */
  add(line: string, place: () => string): boolean {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch (error) {
      if (line.trim() === "") return false;
      throw new TableError(`${place()}: not valid JSON (${messageOf(error)}). ${cureOf(line, this.file)}`);
    }
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      throw new TableError(`${place()}: not a JSON object. ${cureOf(line, this.file)}`);
    }
    // Half of a surrogate pair cannot be stored as UTF-8: JSON escapes it. Behind an escaped backslash there is no escape.
    const isEscaped = () => /\\ud[89a-f]/.test(JSON.stringify(value).replaceAll("\\\\", ""));
    if (/\\u[dD][89a-fA-F]/.test(line) && isEscaped()) {
      throw new TableError(`${place()}: a lone surrogate (\\ud800-\\udfff) is not a character. Remove it.`);
    }
    const repeated = repeatedKey(line, value);
    if (repeated !== undefined)
      throw new TableError(
        `${place()}: the key ${JSON.stringify(repeated)} occurs twice. Remove one, or rename it.`,
      );
    for (const [key, item] of Object.entries(value)) this.note(key, item, line);
    if (this.keys.size > mostKeys) {
      throw new TableError(
        `${place()}: more than ${mostKeys} different keys so far. ` +
          'Put the text under one key, such as {"phrase": "..."}.',
      );
    }
    return true;
  }

  /** The columns, in order of first appearance. */
  columns(): { name: string; type: JsonColumnType; sample: string[] }[] {
    return [...this.keys].map(([name, { kinds, sample }]) => ({ name, type: columnType(kinds), sample }));
  }

  private note(name: string, value: unknown, line: string): void {
    let key = this.keys.get(name);
    if (key === undefined) {
      key = { kinds: new Set(), sample: [] };
      this.keys.set(name, key);
    }
    if (value === null) return;
    key.kinds.add(typeOf(value, () => new Map(jsonPairsOf(line)).get(name)!));
    if (typeof value === "string" && key.sample.length < sampleSize) key.sample.push(value);
  }
}

/**
 * Whole numbers beyond 64 bits stay JSON, which keeps their digits. Other numbers are doubles, as in other readers of
 * JSON; JSON lines that are written out again keep every digit in any case.
 * @param digits gives the number as it is written
 */
function typeOf(value: unknown, digits: () => string): JsonKind {
  if (typeof value === "string") return "VARCHAR";
  if (typeof value === "boolean") return "BOOLEAN";
  if (typeof value !== "number" || !Number.isFinite(value)) return "JSON";
  if (Number.isSafeInteger(value)) return "BIGINT";
  if (!Number.isInteger(value)) return "DOUBLE";
  if (Math.abs(value) !== 2 ** 63) return Math.abs(value) < 2 ** 63 ? "LONG" : "JSON";
  // The doubles of the last numbers of 64 bits and of the first beyond are the same.
  return /^-?\d+$/.test(digits()) && isLong(BigInt(digits())) ? "LONG" : "JSON";
}

const isLong = (value: bigint): boolean => BigInt.asIntN(64, value) === value;

/** One type for all values of a key. A key without values holds text. */
function columnType(kinds: ReadonlySet<JsonKind>): JsonColumnType {
  const [first = "VARCHAR", ...others] = kinds;
  const areAll = (...allowed: JsonKind[]): boolean => [...kinds].every((kind) => allowed.includes(kind));
  if (kinds.size > 0 && areAll("BIGINT", "LONG")) return "BIGINT";
  if (others.length === 0) return first as JsonColumnType;
  return areAll("BIGINT", "DOUBLE") ? "DOUBLE" : "JSON";
}

function cureOf(line: string, file: string): string {
  return line.trimStart().startsWith("[")
    ? `This looks like a JSON array: write one object a line (jq -c '.[]' ${file} > lines.jsonl).`
    : 'Each line must hold one object, such as {"phrase": "New York"}.';
}
