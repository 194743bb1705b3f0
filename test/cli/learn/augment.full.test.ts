import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pearl } from "../run-here.js";

let cwd: string;

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), "pearl-augment-cli-"));
  await writeFile(join(cwd, "phrases.csv"), 'id,name\n1,"Acme, Inc."\n2,Summer Olympics 2012\n3,red wine\n');
});

afterAll(() => rm(cwd, { recursive: true }));

describe("pearl augment", () => {
  it("lists each twin of a phrase with the rule that made it", async () => {
    const { code, stdout } = await pearl(["augment", "World Health Organization (WHO)", "--no-wordnet"], {
      cwd,
    });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^rule +granularity +twin\n/);
    expect(stdout).toMatch(/^acronym +phrase +WHO$/m);
    expect(stdout).toMatch(/^drop-character +character +\S/m);
  });

  it("finds WordNet's synonyms with no download, as JSON", async () => {
    const { code, stdout } = await pearl(["augment", "car", "--json"], { cwd });
    expect(code).toBe(0);
    const [{ phrase, twins }] = JSON.parse(stdout);
    expect(phrase).toBe("car");
    expect(twins).toContainEqual({ text: "automobile", rule: "wordnet-synonym", granularity: "token" });
  });

  it("names all rules that were applied to a name", async () => {
    const options = ["--preset", "names", "--draw", "--probabilities", "acronym=1,drop-end-word=1"];
    const { stdout, code } = await pearl(["augment", "WHO (World Health Organization)", ...options], { cwd });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^acronym(?:\+drop-end-word)? +phrase +\S/m);
  });

  it("writes a table's twins, the same for the same seed", async () => {
    const run = (output: string) =>
      pearl(["augment", "phrases.csv", "-o", output, "--no-wordnet", "--seed", "5", "--count", "3"], { cwd });
    const { code, stdout, stderr } = await run("one.csv");
    expect(stderr).toContain('phrases from "name"');
    expect(stdout).toMatch(/^wrote one\.csv: 9 twins of 3 phrases, \d+\.\d % unchanged\n$/);
    expect(code).toBe(0);
    await run("two.csv");
    const text = await readFile(join(cwd, "one.csv"), "utf8");
    expect(text).toBe(await readFile(join(cwd, "two.csv"), "utf8"));
    expect(text.split("\n")[0]).toBe("phrase,twin,rule,granularity");
  });

  it("takes paraphrases from a file, and draws by probabilities that are given", async () => {
    await writeFile(join(cwd, "para.tsv"), "red wine\tvin rouge\nvin rouge\tred wine\n");
    const options = "--no-wordnet --paraphrases para.tsv --probabilities paraphrase-file=1 --draw".split(" ");
    const { stdout } = await pearl(["augment", "red wine", ...options], { cwd });
    expect(stdout).toMatch(/^paraphrase-file +phrase +vin rouge$/m);
    await pearl(["augment", "-", "-o", "piped.tsv", ...options.slice(0, -1)], {
      cwd,
      input: "red wine\nbeer\n",
    });
    const rows = (await readFile(join(cwd, "piped.tsv"), "utf8")).split("\n").slice(1, 3);
    expect(rows).toEqual(["red wine\tvin rouge\tparaphrase-file\tphrase", "beer\tbeer\tunchanged\tnone"]);
  });

  it("refuses wrong input with a clear message, and leaves no file", async () => {
    const before = await readdir(cwd);
    const cases: [string[], number, RegExp][] = [
      [["phrases.csv", "--probabilities", "magic=1"], 2, /unknown augmentation "magic": use character/],
      [["phrases.csv", "--probabilities", "magic"], 2, /"magic" is not NAME=NUMBER/],
      [["phrases.csv", "-o", "x.docx", "--no-wordnet"], 2, /x\.docx: rows are written as \.csv/],
      [["phrases.csv", "-o", "./phrases.csv", "--no-wordnet"], 1, /is an input/],
      [["red wine", "-o", "x.csv"], 2, /-o needs a table/],
      [["phrases.csv", "--paraphrase-model", "x", "-o", "-"], 2, /must be a file or folder/],
    ];
    for (const [parameters, exitCode, message] of cases) {
      const { code, stderr, stdout } = await pearl(["augment", ...parameters], { cwd });
      expect(stderr, parameters.join(" ")).toMatch(message);
      expect(code, parameters.join(" ")).toBe(exitCode);
      expect(stdout).toBe("");
    }
    expect(await readdir(cwd)).toEqual(before);
  });
});
