/** The values of a JSON line as they are written in it, so that no digit of a number is lost. */

const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/g;

/** The text of each value by key; of a repeated key the last one. `line` must hold one valid JSON object. */
export function jsonValuesOf(line: string): Map<string, string> {
  const values = new Map<string, string>();
  let depth = 0;
  let key: string | undefined;
  let start = 0;
  for (const { 0: token, index } of line.matchAll(tokens)) {
    if (depth === 1 && (token === "," || token === "}") && key !== undefined) {
      values.set(key, line.slice(start, index).trim());
      key = undefined;
    } else if (depth === 1 && key === undefined && token.startsWith('"')) {
      key = JSON.parse(token) as string;
    } else if (depth === 1 && token === ":") {
      start = index + 1;
    }
    if (token === "{" || token === "[") depth++;
    else if (token === "}" || token === "]") depth--;
  }
  return values;
}
