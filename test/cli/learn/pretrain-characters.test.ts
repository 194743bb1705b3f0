import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { pearl } from "../run-here.js";

const root = mkdtempSync(join(tmpdir(), "pearl-pretrain-cli-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const at = (name: string) => join(root, name);

const words = ["receive", "deceive", "believe", "relieve", "achieve", "retrieve", "sieve", "grieve"];
writeFileSync(at("words.csv"), `word\n${words.join("\n")}\n`);

writeFileSync(at("marks.csv"), "wrong,right\n!!,??\n");

describe("pearl pretrain-characters", () => {
  it.each([
    ["vectors that are not there", ["--vectors", "nowhere.txt"], 1, "nowhere.txt: no such file"],
    ["an unknown kind", ["--kind", "transformer"], 2, "Allowed choices are love, bilstm, bag, ngrams"],
    ["noise of one column", ["--noise", at("words.csv")], 1, "expected two: a misspelling and its word"],
    ["noise and vectors", ["--noise", "n.tsv", "--vectors", "v.txt"], 1, "noise is for spelling alone"],
    ["noise and synthetic words", ["--noise", "n.tsv", "--synthetic", "9"], 2, "the place of --words"],
    ["words to resemble alone", ["--like", "w.csv"], 2, "add --synthetic N"],
    ["states of n-grams", ["--kind", "ngrams", "--hidden", "30"], 2, "--hidden is for --kind bilstm"],
    ["word pieces of n-grams", ["--kind", "ngrams", "--pieces", "9"], 2, "--pieces is for --kind love"],
    ["dropout of a bag", ["--kind", "bag", "--dropout", "0.1"], 2, "--dropout is for --kind love"],
    ["noise without a word", ["--noise", at("marks.csv")], 1, "no row has a misspelling and its word"],
    ["an odd BiLSTM", ["--kind", "bilstm", "--width", "7"], 1, "give an even number"],
    ["a number that is none", ["--epochs", "some"], 2, "It must be a number above 0"],
  ])("refuses %s and writes nothing", async (_, parameters, code, message) => {
    const output = at("refused");
    const outcome = await pearl([
      ...["pretrain-characters", "--words", at("words.csv"), "-o", output, ...parameters],
    ]);
    expect(outcome.stderr).toContain(message);
    expect(outcome.code).toBe(code);
    expect(existsSync(output)).toBe(false);
  });

  it("says the line where word vectors are broken", async () => {
    writeFileSync(at("broken.txt"), "one 1 2 3\ntwo 1 2\n");
    const outcome = await pearl(["pretrain-characters", "--vectors", at("broken.txt"), "-o", at("x")]);
    expect(outcome.stderr).toContain("broken.txt, line 2: expected a word and 3 numbers, found 2 numbers");
    expect(outcome.code).toBe(1);
  });
});
