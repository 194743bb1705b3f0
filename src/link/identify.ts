/** Which rows of a table the store knows: by key where there is one, else by content. */
import { StoreError } from "../errors.js";
import { fingerprint } from "../files/fingerprint.js";
import type { Store } from "./store.js";

/** A row of the table that is linked. */
export interface IncomingRow {
  /** Its place in the table, from 0. */
  readonly place: number;
  /** Keys are unique within a source. */
  readonly source: string;
  readonly key: string | null;
  /** Of the compared cells. */
  readonly hash: string;
  /** Among the rows of the table with the same content, from 0; only without a key. */
  readonly occurrence: number;
  readonly cells: readonly string[];
}

export interface IdentifiedRows {
  /** Number in the store of each row of the table. */
  readonly rowOf: Int32Array;
  readonly fresh: readonly IncomingRow[];
  readonly changed: readonly IncomingRow[];
}

export const contentHash = (cells: readonly string[]): string => fingerprint(cells.join("\u001f"));

/** @param keys of the rows; undefined: rows are known by their content @throws StoreError for keys that do not tell rows apart */
export function incomingRows(
  path: string,
  rows: readonly (readonly string[])[],
  { source, keys }: { readonly source: string; readonly keys?: readonly string[] },
): IncomingRow[] {
  if (keys !== undefined) checkKeys(path, keys);
  const seen = new Map<string, number>();
  return rows.map((cells, place) => {
    const hash = contentHash(cells);
    const occurrence = keys === undefined ? (seen.get(hash) ?? 0) : 0;
    seen.set(hash, occurrence + 1);
    return { place, source, key: keys?.[place] ?? null, hash, occurrence, cells };
  });
}

function checkKeys(path: string, keys: readonly string[]): void {
  const first = new Map<string, number>();
  keys.forEach((key, row) => {
    if (key.trim() === "")
      throw new StoreError(`${path}, row ${row + 1}: the key is empty. Fill it, or leave --key out.`);
    const other = first.get(key);
    if (other !== undefined)
      throw new StoreError(
        `${path}: rows ${other + 1} and ${row + 1} have the same key "${key}". Name a column that tells rows apart, or ` +
          "leave --key out.",
      );
    first.set(key, row);
  });
}

const nameOf = (source: string, key: string | null, hash: string, occurrence: number): string =>
  key === null ? `${hash} ${occurrence}` : `${source}\u001f${key}`;

/** New rows are numbered from `nextRow`. */
export async function identify(
  store: Store,
  incoming: readonly IncomingRow[],
  nextRow: number,
): Promise<IdentifiedRows> {
  const found = store.isNew
    ? []
    : await store.query('SELECT "row", source, key, hash, occurrence FROM "row" WHERE until IS NULL');
  const known = new Map<string, { readonly row: number; readonly hash: string }>();
  for (const [row, source, key, hash, occurrence] of found) {
    const name = nameOf(String(source), key as string | null, String(hash), Number(occurrence));
    known.set(name, { row: Number(row), hash: String(hash) });
  }
  const [fresh, changed]: [IncomingRow[], IncomingRow[]] = [[], []];
  const rowOf = Int32Array.from(incoming, (one) => {
    const match = known.get(nameOf(one.source, one.key, one.hash, one.occurrence));
    if (match === undefined) {
      fresh.push(one);
      return nextRow + fresh.length - 1;
    }
    if (match.hash !== one.hash) changed.push(one);
    return match.row;
  });
  return { rowOf, fresh, changed };
}
