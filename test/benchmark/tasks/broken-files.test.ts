import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readLines } from "../../../src/benchmark/data-folder.js";
import { parseMentions } from "../../../src/benchmark/tasks/clustering.js";
import { parseBird } from "../../../src/benchmark/tasks/graded.js";
import { parsePpdb } from "../../../src/benchmark/tasks/ppdb.js";
import { parseQueries } from "../../../src/benchmark/tasks/retrieval.js";
import { parseTurney } from "../../../src/benchmark/tasks/turney.js";
import { newFolder } from "../../setup/new-folder.js";

describe("broken files", () => {
  it("are named with line and cure", () => {
    expect(() => parseTurney(["a | b | c"], "t.txt")).toThrow(
      't.txt, line 1: expected 8 fields separated by " | "',
    );
    for (const line of ["a\tb", "(a, b)\ta\tb\tbigram\t\tn-n"])
      expect(() => parseBird(["head", line], "b.txt")).toThrow(
        "b.txt, line 2: expected tab-separated columns",
      );
    expect(() => parseQueries(["a\tb", "c"], "q.txt")).toThrow("q.txt, line 2: expected a name, a tab");
    expect(() => parsePpdb("[[", "p.json")).toThrow("p.json: not valid JSON");
    expect(() => parsePpdb('[["a","b","maybe"]]', "p.json")).toThrow('p.json: field "0.2"');
    expect(() => parseMentions(["{}"], "m.json", ["PER"])).toThrow('m.json, line 1: field "sentences"');
    expect(() => parseMentions([], "m.json", ["PER"])).toThrow("m.json: found 0 mentions");
  });

  it("are said to be damaged where they are no gzip data", async () => {
    const path = join(newFolder(), "words.txt.gz");
    writeFileSync(path, "not packed");
    await expect(readLines(path)).rejects.toThrow("words.txt.gz: the gzip data is damaged");
  });
});
