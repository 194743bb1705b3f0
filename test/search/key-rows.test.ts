/** Keys and their rows, beyond what one map holds (test/slow/table-large.test.ts). */
import { expect, it } from "vitest";
import { KeyRows } from "../../src/search/store/folder-store.js";

it("holds a row for each key, the last one given, until it is removed", () => {
  const rows = new KeyRows();
  const keys = Array.from({ length: 5000 }, (_, row) => `key ${row}`);
  for (const shift of [1, 0]) keys.forEach((key, row) => rows.set(key, row + shift));
  expect(keys.map((key) => rows.get(key))).toEqual([...keys.keys()]);
  rows.delete("key 7");
  for (const key of ["key 7", "key", ""]) expect(rows.get(key)).toBeUndefined();
});
