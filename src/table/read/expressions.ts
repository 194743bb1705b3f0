/** SQL expressions that give a column's values as text. */
import { isNested } from "../cell.js";

/** Numbers for which JSON has no text of its own, or which its readers round; names and values in quotes stay. */
const roundedTypes = /"(?:[^"]|"")*"|'(?:[^']|'')*'|\b(?:DECIMAL\(\d+,\d+\)|U?HUGEINT|FLOAT|DOUBLE)/g;

/** A nested value becomes JSON, with null for numbers that are not finite; NULL where there is no value. */
export function textExpression(value: string, type: string): string {
  const text = `CAST(${value} AS VARCHAR)`;
  // Lists of floats, as DuckDB prints them, are JSON with fewer digits than `to_json` gives.
  if (/^(FLOAT|DOUBLE)(\[\d*\])+$/.test(type))
    return `regexp_replace(${text}, 'NULL|nan|-?inf', 'null', 'g')`;
  if (!isNested(type)) return text;
  const json = `CAST(to_json(${value}) AS VARCHAR)`;
  return /FLOAT|DOUBLE/.test(type) ? finiteJson(json) : json;
}

/** JSON with null in place of NaN and Infinity, except within strings. */
function finiteJson(json: string): string {
  const number = "regexp_replace(part, '-?(NaN|Infinity)', 'null', 'g')";
  const part = `CASE WHEN starts_with(part, '"') THEN part ELSE ${number} END`;
  const parts = `regexp_extract_all(${json}, '"(?:[^"\\\\]|\\\\.)*"|[^"]+')`;
  return `CASE WHEN regexp_matches(${json}, 'NaN|Infinity') THEN array_to_string([${part} FOR part IN ${parts}], '') ELSE ${json} END`;
}

/**
 * JSON that DuckDB casts back to the very value of a nested column, with numbers as strings: for values whose text has
 * lost something, '' for others. Undefined where no value of the type loses anything.
 */
export function exactExpression(value: string, type: string): string | undefined {
  const asStrings = type.replaceAll(roundedTypes, (found) => (/^["']/.test(found) ? found : "VARCHAR"));
  if (!isNested(type) || asStrings === type) return undefined;
  // Lists of floats may be long vectors in many rows: they are not made text once more.
  const differs = /^(FLOAT|DOUBLE)\[\d*\]$/.test(type)
    ? `NOT (isfinite(list_min(${value})) AND isfinite(list_max(${value})))`
    : `regexp_matches(CAST(${value} AS VARCHAR), '[0-9.]{16}|nan|inf')`;
  return `CASE WHEN ${differs} THEN CAST(to_json(CAST(${value} AS ${asStrings})) AS VARCHAR) ELSE '' END`;
}
