/** Learns the columns of a JSONL table while its lines are read: keys in order of appearance, and their types. */
import { messageOf, TableError } from "../../errors.js";

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

/** No part repeats, so that strings of any length need no stack. */
const marks = /\\.|["{}[\],:]/g;

/** The text of each value with its key, in order. `line` must hold one valid JSON object. */
export function* jsonPairsOf(line: string): Generator<[key: string, json: string]> {
  let depth = 0;
  let key: string | undefined;
  let start = 0;
  /** Where the string around begins, -1 outside of strings. */
  let quote = -1;
  for (const { 0: mark, index } of line.matchAll(marks)) {
    if (mark === '"' && quote < 0) quote = index;
    else if (mark === '"') {
      if (depth === 1 && key === undefined) key = JSON.parse(line.slice(quote, index + 1)) as string;
      quote = -1;
    } else if (quote >= 0) continue;
    else if (depth === 1 && mark === ":") start = index + 1;
    else if (depth === 1 && (mark === "," || mark === "}") && key !== undefined) {
      yield [key, line.slice(start, index).trim()];
      key = undefined;
    }
    if (quote >= 0) continue;
    if (mark === "{" || mark === "[") depth++;
    else if (mark === "}" || mark === "]") depth--;
  }
}

/** The first key that a line has twice. `line` must hold one valid JSON object, `value`. */
function repeatedKey(line: string, value: object): string | undefined {
  // There are at least as many of these as keys: most lines need no further look.
  if ((line.match(/"\s*:/g)?.length ?? 0) === keysWithin(value)) return undefined;
  const seen = new Set<string>();
  for (const [key] of jsonPairsOf(line)) {
    if (seen.has(key)) return key;
    seen.add(key);
  }
  return undefined;
}

/** The number of keys in objects at all depths. */
function keysWithin(value: object): number {
  const found = [value];
  let keys = 0;
  // The list grows while it is read: values may be nested deeper than calls.
  for (const one of found) {
    const items: unknown[] = Array.isArray(one) ? one : Object.values(one);
    if (items !== one) keys += items.length;
    for (const item of items) if (typeof item === "object" && item !== null) found.push(item);
  }
  return keys;
}
