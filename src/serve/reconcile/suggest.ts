/** Suggestions while a person types, and the cells that extend a table: plain look-ups in an index's rows. */
import { folded } from "../../text/accents.js";
import type { ServedIndex } from "../service.js";
import { described, othersTurn, rowOf, rowsInTurn } from "./candidates.js";

const mostSuggested = 20;

/** Rows whose name, or a word of it, starts with the prefix; first those whose name does. */
export async function suggestRows(served: ServedIndex, prefix: string, from: number, signal: AbortSignal) {
  const start = folded(prefix.trim());
  const inside = ` ${start}`;
  const found: [string[], string[]] = [[], []];
  let read = 0;
  for (const key of served.rows.keys()) {
    const name = served.names[read++];
    if (name.startsWith(start) || key === prefix) found[0].push(key);
    else if (name.includes(inside)) found[1].push(key);
    if (found[0].length >= from + mostSuggested) break;
    if (read % rowsInTurn === 0) await othersTurn(signal);
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
  const places = names.map((name) => served.index.layout.columns.indexOf(name));
  return ids.map((id) => {
    const cells = places.map((place) => served.rows.get(id)?.[place]);
    const properties = names.map((name, at) => ({ id: name, values: cells[at] ? [{ str: cells[at] }] : [] }));
    return { id, properties };
  });
}
