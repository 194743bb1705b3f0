import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { augmentTable } from "../../../src/pearl/augmentation/augment-table.js";
import { createAugmenter } from "../../../src/pearl/augmentation/augmenter.js";
import { RULE_NAMES } from "../../../src/pearl/augmentation/rule.js";
import type { AugmentationSettings } from "../../../src/pearl/augmentation/settings.js";
import { Table } from "../../../src/table/table.js";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "pearl-augment-"));
});

afterAll(() => rm(folder, { recursive: true }));

async function file(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

/** Without WordNet, which takes a second to read. */
function quickAugmenter(settings: AugmentationSettings = {}) {
  return createAugmenter({ wordNet: "off", ...settings });
}

describe("a table's twins", () => {
  it("are written in order with their rules, and counted", async () => {
    const input = await file("names.csv", 'id,name\n1,"Acme, Inc."\n2,Oxford University\n3,\n');
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
        /\.csv, \.tsv or \.jsonl/,
      );
    } finally {
      await table.close();
    }
  });
});
