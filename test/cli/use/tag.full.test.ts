/** `pearl tag` as users run it. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newFolder } from "../../setup/new-folder.js";
import { pearl } from "../run-here.js";

it("pearl tag learns from a few sentences, and tags columns and texts in their own form", async () => {
  const cwd = newFolder();
  const support = readFileSync("data/sentences.tsv", "utf8");
  writeFileSync(join(cwd, "support.tsv"), support);
  const trained = await pearl(["tag", "train", "support.tsv", "-o", "tagger.json"], { cwd });
  expect(trained.code, trained.stderr).toBe(0);
  expect(trained.stdout).toMatch(
    /F1 of spans \d+\.\d %.*left out once[\s\S]*wrote tagger.json: 2 tags from 5 sent/,
  );

  writeFileSync(join(cwd, "new.tsv"), "Niels\nBohr\nleft\nCopenhagen\n");
  const columns = await pearl(["tag", "new.tsv", "--with", "tagger.json", "-o", "out.tsv"], { cwd });
  expect(columns.stdout).toContain("wrote out.tsv: 2 spans in 1 sentence");
  expect(readFileSync(join(cwd, "out.tsv"), "utf8")).toBe(
    "Niels B-PERSON\nBohr I-PERSON\nleft O\nCopenhagen B-PLACE\n",
  );

  writeFileSync(join(cwd, "new.jsonl"), '{"text":"Niels Bohr left"}\n');
  const texts = await pearl(["tag", "new.jsonl", "--with", "tagger.json"], { cwd });
  expect(JSON.parse(texts.stdout).spans).toEqual([{ start: 0, end: 10, label: "PERSON" }]);

  writeFileSync(join(cwd, "latin.tsv"), "Jürgen\nleft\nCopenhagen\n", "latin1");
  const guessed = await pearl(["tag", "latin.tsv", "--with", "tagger.json"], { cwd });
  expect(guessed.stderr).toContain("latin.tsv: taken for windows-1252");
  expect(guessed.stdout).toMatch(/^Jürgen \S+\nleft O\nCopenhagen B-PLACE$/m);

  const untagged = await pearl(["tag", "train", "new.tsv", "-o", "t.json"], { cwd });
  expect(untagged).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('new.tsv, line 1: "Niels" has no tag'),
  });
});
