/** Tables and stores of tests of links: files made from columns, the lines of a store, entities as sets of rows. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { type LinkOptions, linkTable } from "../../src/link/link-table.js";
import { withStore } from "../../src/link/store.js";
import type { Table } from "../match/people.js";

/** A folder for the tests of a file, removed after them. */
export function workFolder(name: string) {
  const folder = mkdtempSync(join(tmpdir(), `pearl-link-${name}-`));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  let count = 0;
  const path = (file: string): string => join(folder, file);
  /** Writes rows of a table, all by default. */
  const write = (
    file: string,
    table: Table,
    rows: Iterable<number> = Object.values(table)[0].keys(),
  ): string => {
    const names = Object.keys(table);
    const lines = [...rows].map((row) => names.map((column) => `"${table[column][row]}"`).join(","));
    writeFileSync(path(file), `${names.join(",")}\n${lines.join("\n")}\n`);
    return path(file);
  };
  return { path, write, newStore: (): string => path(`store-${++count}`) };
}

export const link = (table: string, store: string, options: LinkOptions = {}) =>
  linkTable(table, store, { encoder: "none", ...options });

/** The lines of a store, but for its log of runs. */
export const linesOf = (store: string): Promise<unknown> =>
  withStore(store, "existing", async (opened) => {
    const tables = ["meta", "learned", "row", "rest", "assignment", "term", "judged", "moved", "event"];
    const found: Record<string, string[]> = {};
    for (const table of tables) {
      const lines = await opened.query<object>(`SELECT * FROM "${table}"`);
      found[table] = lines.map((line) => JSON.stringify(Object.values(line).map(String))).sort();
    }
    return found;
  });

/** The pairs of rows with equal names, as text. */
export function pairsOf(names: readonly unknown[]): Set<string> {
  const pairs = new Set<string>();
  names.forEach((name, a) => {
    for (let b = a + 1; b < names.length; b++) if (names[b] === name) pairs.add(`${a} ${b}`);
  });
  return pairs;
}

/** F1 of pairs against the true ones. */
export function agreement(found: readonly unknown[], truth: readonly unknown[]): number {
  const [pairs, gold] = [pairsOf(found), pairsOf(truth)];
  const right = [...pairs].filter((pair) => gold.has(pair)).length;
  return (2 * right) / Math.max(1, pairs.size + gold.size);
}
