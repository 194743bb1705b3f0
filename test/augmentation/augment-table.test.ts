import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { augmentTable } from "../../src/augmentation/augment-table.js";
import { RULE_NAMES } from "../../src/augmentation/rule.js";
import { Table } from "../../src/table/table.js";
import { file, folder, quickAugmenter } from "./files.js";

describe("a table's twins", () => {
  it("are written in order with their rules, and counted", async () => {
    const input = file("names.csv", 'id,name\n1,"Acme, Inc."\n2,Oxford University\n3,\n');
    const table = await Table.open(input);
    const output = join(folder, "twins.jsonl");
    try {
      const augmenter = await quickAugmenter({ probabilities: { "legal-form": 1, "of-phrase": 1 } });
      const report = await augmentTable(table, output, augmenter, { count: 2, seed: 3 });
      const rows = (await readFile(output, "utf8")).trim().split("\n");
      const twins = rows.map((row) => JSON.parse(row) as Record<string, string>);
      expect(twins.map(({ phrase }) => phrase)).toEqual([
        ...["Acme, Inc.", "Acme, Inc.", "Oxford University", "Oxford University", "", ""],
      ]);
      expect(twins[2]).toEqual({
        phrase: "Oxford University",
        twin: "University of Oxford",
        rule: "of-phrase",
        granularity: "phrase",
      });
      expect(report).toMatchObject({ phrases: 3, twins: 6, unchanged: 2 });
      expect(report.byRule["legal-form"]).toBe(2);
      expect(Object.keys(report.byRule)).toEqual([...RULE_NAMES]);
      await expect(augmentTable(table, join(folder, "x.npy"), augmenter)).rejects.toThrow(
        /\.csv, \.tsv, \.jsonl, \.parquet or \.xlsx/,
      );
    } finally {
      await table.close();
    }
  });
});
