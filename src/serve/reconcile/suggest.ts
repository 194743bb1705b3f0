/** Suggestions while a person types, and the cells that extend a table: plain look-ups in an index's rows. */
import { withoutAccents } from "../../text/accents.js";
import type { ServedIndex } from "../service.js";
import { described, nameColumn, rowOf } from "./candidates.js";

const mostSuggested = 20;

const folded = (text: string): string => withoutAccents(text).toLowerCase();

/** Rows whose name, or a word of it, starts with the prefix; first those whose name does. */
export function suggestRows(served: ServedIndex, prefix: string, from: number) {
  const start = folded(prefix.trim());
  const column = served.index.layout.columns.indexOf(nameColumn(served));
  const found: [string[], string[]] = [[], []];
  for (const [key, cells] of served.rows) {
    const name = folded(cells[column]);
    if (name.startsWith(start) || key === prefix) found[0].push(key);
    else if (name.includes(` ${start}`)) found[1].push(key);
    if (found[0].length >= from + mostSuggested) break;
  }
  const keys = found.flat().slice(from, from + mostSuggested);
  return { result: keys.map((key) => described(served, key, rowOf(served, key)!)) };
}

/** Columns whose name starts with the prefix. */
export function suggestColumns({ index }: ServedIndex, prefix: string) {
  const names = index.layout.columns.filter((name) => folded(name).startsWith(folded(prefix.trim())));
  return { result: names.map((name) => ({ id: name, name })) };
}

/** The cells of rows: by key and column. Empty cells and unknown keys and columns give no values. */
export function cellsOf(served: ServedIndex, ids: readonly string[], names: readonly string[]) {
  return ids.map((id) => {
    const row = rowOf(served, id) ?? {};
    return {
      id,
      properties: names.map((name) => ({ id: name, values: row[name] ? [{ str: row[name] }] : [] })),
    };
  });
}
