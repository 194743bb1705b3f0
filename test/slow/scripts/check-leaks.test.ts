/**
 * The leak check on small tables and a small evaluation: every planted row must be found by the check of its
 * set.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { testFolder } from "../../table/folder.js";

const { path } = testFolder();
const data = join(path, "data");

/** An evaluation with one pair per set. */
const files: Record<string, string> = {
  "turney/turney.txt": "twin sun | duplex | twin | sun | dual | lumen | neutralism | keratoplasty\n",
  "bird/bird.txt":
    "pair\tterm1\tterm2\tkind\tsource\trelation\tscore\tpos\n(a, b)\taccess information\tinquiry\tu\tx\ty\t.5\tn-n\n",
  "ppdb/ppdb.json": '[["thanking you", "thanks to you", "pos", 5]]',
  "ppdb/ppdb_filtered.json": '[["very difficult", "been difficult", "neg", null]]',
  "yago/yago_test_samples.txt": "Sam Henshaw Ibiam\tSam Ibiam\n",
  "yago/yago_kb_small.txt": "Sam Ibiam\nLake Bled\n",
  "autofj/Artwork/left.csv": 'id,title\n0,"David, ""the"" (Michelangelo)"\n',
  "autofj/Artwork/right.csv": "id,title\n0,David by Michelangelo\n",
  "autofj/Artwork/gt.csv":
    'id_l,title_l,id_r,title_r\n0,"David, ""the"" (Michelangelo)",0,David by Michelangelo\n',
  "kept-back.sha256": `${createHash("sha256").update("car hire\trental of cars").digest("hex").slice(0, 16)}\n`,
};
const tables: Record<string, string> = {
  "types.tsv":
    "Jane Roe\tNP\tPERSON\tconll2003:PER\tgold\t1\nTrieste\tNP\tGPE\tconll2003:LOC\tgold\t1\nTrieste\tNP\tGPE\twiki:city\tsilver\t2\n",
  "chunks.tsv": "went home\tVP\t1\tgum\n",
  "pairs/misspell.tsv": "recieve\treceive\tcodespell\tmisspelling\n",
  "text/simple.tsv": "Lake Bled\tLake Bled is a lake in Slovenia.\n",
};

const recipe = join(path, "recipe.yaml");
writeFileSync(
  recipe,
  "data: { leaveOut: { evaluation: [conll2003, bc5cdr], researchOnly: [] } }\npretrain: { texts: [simple] }\n",
);
for (const [name, content] of Object.entries(files)) write(join(data, "bench", name), content);
write(join(data, "er/sites/about.json"), '{ "kind": "dedupe", "on": "name", "more": [] }');
write(join(data, "er/sites/table.csv"), "name,city\nAcme Inc,Bern\nAcme Incorporated,Bern\n");
write(join(data, "er/sites/truth.csv"), "row,entity\n1,5\n2,5\n");
for (const [name, content] of Object.entries(tables))
  write(join(data, "train", `${name}.gz`), gzipSync(content));

write(join(data, "words/words.txt.gz"), gzipSync("receive\nword\n"));

function write(file: string, content: string | Uint8Array): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

/** Planted rows, by the check that must find them. */
const planted: Record<string, string> = {
  "pairs of turney": "Duplex\ttwin  sun\twordnet",
  "pairs of bird": "inquiry\taccess information\tlexical",
  "pairs of ppdb": "thanks to you\tThanking you\trewrite",
  "pairs of ppdb-filtered": "been difficult\tvery difficult\trewrite",
  "pairs of yago": "Sam Ibiam\tSam Henshaw Ibiam\tnames",
  "pairs of autofj": 'David by Michelangelo\tDavid, "the" (Michelangelo)\tnames',
  "pairs of er": "acme incorporated\tAcme Inc\tnames",
  "pairs of kept back": "Rental of cars\tcar hire\trewrite",
  // in one synset with "carbonated water" and "club soda"
  "pairs of turney's synsets": "soda water\tseltzer\tnames",
  "misspellings of the evaluation": "Receive\trecive\ttypos",
  "titles to make twins of": "Lake Bled\tLake Bled\ttitles",
};

/** Checks clean tables with additional rows. */
async function check(more: { pairs?: readonly string[]; phrases?: readonly string[]; data?: string }) {
  const folder = join(path, "tables");
  const clean = ["double star\ttwo suns\tnames", "Judy\tJudith\tnames", "Trieste\tTrieste\ttyped"];
  const synonyms = ["phrase\tsynonym\tsource", ...clean, ...(more.pairs ?? [])];
  write(join(folder, "synonyms.tsv"), `${synonyms.join("\n")}\n`);
  const known = ["Trieste\tNP\tGPE\t2", "went home\tVP\tOTHER\t1"];
  const phrases = ["phrase\tclass\ttype\tcount", ...known, ...(more.phrases ?? [])];
  write(join(folder, "phrases.tsv"), `${phrases.join("\n")}\n`);
  const parameters = ["scripts/check-leaks.mjs", folder, "--data", more.data ?? data, "--recipe", recipe];
  return promisify(execFile)(process.execPath, parameters).then(
    ({ stdout }) => ({ code: 0, stdout }),
    (error: { code: number; stdout: string }) => ({ code: error.code, stdout: error.stdout }),
  );
}

describe("npm run check:leaks", () => {
  it("passes tables without evaluation data", async () => {
    const { code, stdout } = await check({});
    for (const what of Object.keys(planted)) expect(stdout).toMatch(new RegExp(`${what} +[12] +0\n`));
    expect(stdout).toMatch(/no leak\n$/);
    expect(code).toBe(0);
  });

  it("finds one planted row per set, in either direction and in any case", async () => {
    const titled = join(path, "titled");
    cpSync(data, titled, { recursive: true });
    write(join(titled, "train/text/simple.tsv.gz"), gzipSync("Lake Bled\tLake  Bled\n"));
    const { code, stdout } = await check({
      ...{
        pairs: Object.values(planted),
        data: titled,
        phrases: ["Jane Roe\tNP\tPERSON\t1", "lake bled\tNP\t\t1"],
      },
    });
    for (const [at, [what, row]] of Object.entries(planted).entries()) {
      const [phrase] = row.split("\t");
      expect(stdout).toMatch(new RegExp(`${what} +\\d+ +1\n +synonyms\\.tsv line ${5 + at}: ${phrase} `));
    }
    expect(stdout).toMatch(/bc5cdr +3 +1\n +phrases\.tsv line 4: Jane Roe \(PERSON\)/);
    expect(stdout).toMatch(/titles among the phrases +4 +1\n +phrases\.tsv line 5: lake bled/);
    expect(stdout).toMatch(/titles as lines of text +1 +1\n +text\/simple: Lake {2}Bled/);
    expect(stdout).toMatch(/error: 14 rows contain evaluation data\n$/);
    expect(code).toBe(1);
  });

  it("passes with a note if the evaluation files are missing", async () => {
    const { code, stdout } = await check({ data: join(path, "nowhere") });
    expect(stdout).toMatch(/^leak check skipped: .*nowhere/);
    expect(code).toBe(0);
  });
});
