import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readPairs } from "../../../src/methods/pairs/pairs.js";
import { newFolder } from "../../setup/new-folder.js";
import { writeTable } from "../../training/pairs-folder.js";

describe("readPairs", () => {
  it("finds columns by name in any order, and types in a table of their own", async () => {
    const rows = [
      ["a cat", "x", "cats", ""],
      ["a dog", "y", "dogs", "beast"],
      ["a rock", "z", "rocks", ""],
    ];
    const path = writeTable(rows, ["positive", "note", "Text", "type"]);
    const typesPath = join(newFolder(), "types.tsv");
    writeFileSync(typesPath, "phrase\ttype\ncats\tanimal\ndogs\tanimal\na rock\tthing\n");
    const { pairs } = await readPairs(path, { typesPath });
    expect(pairs).toEqual([
      { text: "cats", positive: "a cat", negative: "", type: "animal" },
      { text: "dogs", positive: "a dog", negative: "", type: "beast" },
      { text: "rocks", positive: "a rock", negative: "", type: "thing" },
    ]);
  });

  it("takes the two columns of unknown names, and the first two without a header", async () => {
    const rows = [
      ["a cat", "cats", "1"],
      ["a dog", "dogs", "2"],
    ];
    const path = join(newFolder(), "pairs.tsv");
    writeFileSync(path, "a cat\tcats\t1\na dog\tdogs\t2\n");
    const two = rows.map((row) => row.slice(0, 2));
    for (const table of [
      path,
      writeTable(two, ["name", "alias"]),
      writeTable(rows, ["name", "alias", "score"]),
    ]) {
      const { pairs } = await readPairs(table);
      expect(pairs.map(({ text, positive }) => [text, positive])).toEqual(two);
    }
  });

  it.each([
    [["id", "name", "city"], /which columns hold the two phrases of a pair\? The table has id, name, city\./],
    [["text", "postive"], /The table has text, postive\. Name them text and positive\./],
  ])("does not guess the pairs of a table with the columns %j", async (names, message) => {
    const rows = ["a", "b"].map((row) => names.map((name) => `${name} ${row}`));
    await expect(readPairs(writeTable(rows, names))).rejects.toThrow(message);
  });

  it("pairs the texts of a label, but not for an objective that does not read labels", async () => {
    const rows = ["a", "b"].map((text) => [text, "x", "1"]);
    const { pairs } = await readPairs(writeTable(rows, ["Text", "label", "note"]));
    expect(pairs.map(({ text, positive }) => [text, positive])).toEqual([
      ["a", "b"],
      ["b", "a"],
    ]);
    const scored = writeTable(rows, ["Text", "label", "score"]);
    await expect(readPairs(scored, { objective: "regression" })).rejects.toThrow(
      /regression needs a column positive and does not read labels.* \(sup-con, soft-nearest, gaussian\)/s,
    );
  });

  it("does not guess which of two columns has the labels", async () => {
    const table = writeTable(
      [
        ["1", "a", "x"],
        ["2", "b", "x"],
      ],
      ["id", "name", "label"],
    );
    await expect(readPairs(table, { objective: "sup-con" })).rejects.toThrow(/The table has id, name, label/);
  });

  it("ignores types where none are wanted", async () => {
    const rows = [
      ["a cat", "cats", "animal"],
      ["a dog", "dogs", ""],
    ];
    const path = writeTable(rows, ["text", "positive", "type"]);
    const { pairs } = await readPairs(path, { typesPath: "none" });
    expect(pairs.map(({ type }) => type)).toEqual(["", ""]);
  });

  it("distinguishes two tables by their pairs, not by their format", async () => {
    const rows = [
      ["a", "b"],
      ["c", "d"],
    ];
    const lines = join(newFolder(), "pairs.jsonl");
    writeFileSync(lines, rows.map(([text, positive]) => `${JSON.stringify({ text, positive })}\n`).join(""));
    const [csv, jsonl] = [await readPairs(writeTable(rows, ["text", "positive"])), await readPairs(lines)];
    const other = await readPairs(writeTable([...rows, ["e", "f"]], ["text", "positive"]));
    expect(jsonl.pairs).toEqual(csv.pairs);
    expect(jsonl.fingerprint).toBe(csv.fingerprint);
    expect(other.fingerprint).not.toBe(csv.fingerprint);
  });
});
