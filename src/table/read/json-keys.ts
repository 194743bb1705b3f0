/** Learns the columns of a JSONL table while its lines are read: keys in order of appearance, and their types. */
import { TableError } from "../../errors.js";

/** More keys than this means that the keys are data, not columns. */
const mostKeys = 1000;

/** How the values of one key are stored without losing any of them. */
export type JsonColumnType = "VARCHAR" | "BIGINT" | "DOUBLE" | "BOOLEAN" | "JSON";

type ValueKind = "string" | "integer" | "real" | "boolean" | "other";

/** The keys seen so far. */
export class JsonKeys {
  private readonly kinds = new Map<string, Set<ValueKind>>();
  private readonly samples = new Map<string, string[]>();

  /** Takes in one line; false where it is blank. Throws TableError where it is no JSON object. */
  add(line: string, place: () => string): boolean {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch (error) {
      if (line.trim() === "") return false;
      throw new TableError(`${place()}: not valid JSON (${(error as Error).message}). ${cureOf(line)}`);
    }
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      throw new TableError(`${place()}: not a JSON object. ${cureOf(line)}`);
    }
    // A half of a surrogate pair cannot be stored as UTF-8.
    if (/\\u[dD][89a-fA-F]/.test(line) && /\\ud[89a-f]/.test(JSON.stringify(value))) {
      throw new TableError(
        `${place()}: half of a surrogate pair (\\ud800-\\udfff) is no character. Remove it.`,
      );
    }
    for (const [key, item] of Object.entries(value)) this.note(key, item);
    return true;
  }

  /** Throws TableError where there are more keys than columns can be. */
  checkCount(path: string): void {
    if (this.kinds.size > mostKeys) {
      throw new TableError(
        `${path}: more than ${mostKeys} different keys. Put the text under one key, such as {"phrase": "..."}.`,
      );
    }
  }

  /** The columns, in order of first appearance. */
  columns(): { name: string; type: JsonColumnType; sample: string[] }[] {
    return [...this.kinds].map(([name, kinds]) => ({
      name,
      type: columnType(kinds),
      sample: this.samples.get(name) ?? [],
    }));
  }

  private note(key: string, value: unknown): void {
    let kinds = this.kinds.get(key);
    if (kinds === undefined) {
      kinds = new Set();
      this.kinds.set(key, kinds);
      this.samples.set(key, []);
    }
    if (value === null) return;
    kinds.add(kindOf(value));
    const sample = this.samples.get(key)!;
    if (typeof value === "string" && sample.length < 20) sample.push(value);
  }
}

/**
 * Whole numbers that a double would alter stay JSON, which DuckDB keeps up to 64 bits. Other numbers are
 * doubles, as JSON readers agree on; JSON lines written out again keep every digit in any case.
 */
function kindOf(value: unknown): ValueKind {
  if (typeof value === "string") return "string";
  if (typeof value === "boolean") return "boolean";
  if (typeof value !== "number" || !Number.isFinite(value)) return "other";
  if (Number.isSafeInteger(value)) return "integer";
  return Number.isInteger(value) ? "other" : "real";
}

function columnType(kinds: Set<ValueKind>): JsonColumnType {
  const only = (...allowed: ValueKind[]) => [...kinds].every((kind) => allowed.includes(kind));
  if (only("string")) return "VARCHAR";
  if (only("integer")) return "BIGINT";
  if (only("integer", "real")) return "DOUBLE";
  return only("boolean") ? "BOOLEAN" : "JSON";
}

function cureOf(line: string): string {
  return line.trimStart().startsWith("[")
    ? "This looks like a JSON array: write one object a line (jq -c '.[]' FILE > lines.jsonl)."
    : 'Each line must hold one object, such as {"phrase": "New York"}.';
}
