/** The values of a JSON line as they are written in it, so that no digit of a number is lost. */

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
export function repeatedKey(line: string, value: object): string | undefined {
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
