/** The slow tests beside augment.test.ts. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
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
  it("finds WordNet's synonyms with no download, as JSON", async () => {
    const { code, stdout } = await pearl(["augment", "car", "--json"], { cwd });
    expect(code).toBe(0);
    const [{ phrase, twins }] = JSON.parse(stdout);
    expect(phrase).toBe("car");
    expect(twins).toContainEqual({ text: "automobile", rule: "wordnet-synonym", granularity: "token" });
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
});
