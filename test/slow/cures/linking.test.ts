/** Messages of link and dedupe: each names a cure, which is applied and works. */
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { partsOfRule, survivorRuleList } from "../../../src/group/survivor-rules.js";
import { type LinkOptions, linkTable } from "../../../src/link/link-table.js";
import { Store, withStore } from "../../../src/link/store.js";
import { mountSmallDisk } from "../small-disk.js";
import { type Case, claimCures } from "./cases.js";

const table = "id,name,city\n1,Acme,Berlin\n2,Acme Inc,Berlin\n3,Siemens,Munich\n4,Bosch,Stuttgart\n";
const link = "pearl link x.csv --store s.pearl -m none -q";
const anew = link.replace("s.pearl", "new.pearl");
const dedupe = "pearl dedupe x.csv -m pearl-strings -q";
const usage = (wrong: string, says: string, cured: string): Case => ({ files: {}, wrong, says, cured });

const linking: Readonly<Record<string, Case>> = {
  "a table linked into itself": usage(
    `${link} --store x.csv`,
    "x.csv is the store. Choose another name for the table or the output.",
    `cp x.csv y.csv && pearl link y.csv --store x.pearl -m none -q`,
  ),
  "an output over the store": usage(
    `${link} --store s.csv -o s.csv`,
    "s.csv is the store. Choose another name for the table or the output.",
    `${link} --store s.csv -o y.csv`,
  ),
  "no column to compare": usage(
    `${anew} --ignore id --ignore name --ignore city`,
    "Name columns with --on.",
    `${anew} --on name --on city`,
  ),
  "a table with other columns": {
    files: { "y.csv": "id,name,town\n1,Acme,Vienna\n2,Fiat,Turin\n" },
    wrong: link.replace("x.csv", "y.csv"),
    says: "Rename the table's columns, or start a new store.",
    cured: `${anew.replace("x.csv", "y.csv")} && sed -i 1s/town/city/ y.csv && ${link.replace("x.csv", "y.csv")}`,
  },
  "a table in which two columns may be the one": {
    files: { "y.csv": "id,name,born,lives\n1,Acme,Berlin,Munich\n3,Siemens,Munich,Berlin\n" },
    wrong: link.replace("x.csv", "y.csv"),
    says: "y.csv has no column city, and born and lives both hold what s.pearl has there. Rename the one that is city.",
    cured: `sed -i 1s/lives/city/ y.csv && ${link.replace("x.csv", "y.csv")}`,
  },
  "other columns of a store": usage(
    `${link} --on name`,
    "its columns do not change. Leave out --on, --ignore and --kind-of, or start a new store.",
    `${link} && ${anew} --on name`,
  ),
  "another model of a store": usage(
    `${link.replace("none", "pearl-strings")} --relearn`,
    "s.pearl compares with the model none, not with pearl-strings. Choose its model, or start a new store.",
    `${link} --relearn && ${anew.replace("none", "pearl-strings")}`,
  ),
  "another precision without learning again": usage(
    `${link} --no-relearn --precision 0.8`,
    "need a run that learns again. Leave out --no-relearn.",
    `${link} --precision 0.8`,
  ),
  "new rows of one column of phrases without learning again": {
    files: { "y.csv": table.replace("Bosch", "Fiat") },
    before: `${anew} --on name`,
    wrong: `${anew.replace("x.csv", "y.csv")} --no-relearn`,
    says: "each run with new rows compares all of them. Leave out --no-relearn.",
    cured: anew.replace("x.csv", "y.csv"),
  },
  "a row without a key": {
    files: { "y.csv": table.replace("3,", ",") },
    wrong: `${anew.replace("x.csv", "y.csv")} --key id`,
    says: "y.csv, row 3: the key is empty. Fill it, or leave --key out.",
    cured:
      `${anew.replace("x.csv", "y.csv")} && sed -i s/^,Siemens/3,Siemens/ y.csv && rm new.pearl && ` +
      `${anew.replace("x.csv", "y.csv")} --key id`,
  },
  "a key that two rows have": usage(
    `${anew} --key city`,
    'rows 1 and 2 have the same key "Berlin". Name a column that tells rows apart, or leave --key out.',
    `${anew} --key id && rm new.pearl && ${anew}`,
  ),
  "keys of another table": {
    files: { "y.csv": "id,name,city\n1,Nokia,Espoo\n2,Volvo,Gothenburg\n3,Lego,Billund\n" },
    before: `${anew} --key id`,
    wrong: `${anew.replace("x.csv", "y.csv")} --key id`,
    says: "If the table is of another source, name it with --source; if it is not, say --source x.",
    cured: `${anew.replace("x.csv", "y.csv")} --key id --source y && ${anew.replace("x.csv", "y.csv")} --key id --source x`,
  },
  "a store that is not there": usage(
    "pearl link --store t.pearl --history E1",
    "t.pearl: no such store. Check the name; pearl link TABLE --store FILE makes one.",
    `pearl link --store s.pearl --history E1 && pearl link x.csv --store t.pearl -m none -q && pearl link --store t.pearl --history E1`,
  ),
  "a store that is another file": {
    files: { "t.pearl": "not a store\n".repeat(2000) },
    wrong: link.replace("s.pearl", "t.pearl"),
    says: "is not a store of pearl link. Choose another name, or remove the file.",
    cured: `${anew} && rm t.pearl && ${link.replace("s.pearl", "t.pearl")}`,
  },
  "nothing to do with a store": usage(
    "pearl link --store s.pearl",
    "name a table, or one of --history, --undo, --export and --golden",
    `${link} && pearl link --store s.pearl --history E1 && pearl link --store s.pearl --export y.csv && pearl link --store s.pearl --undo`,
  ),
  "an output of a run that links nothing": usage(
    "pearl link --store s.pearl --export y.csv -o z.csv",
    "--history, --undo, --export and --golden link no table: leave -o out",
    "pearl link --store s.pearl --export y.csv",
  ),
  "rules of golden records of entities that are not asked for": usage(
    "pearl link --store s.pearl --export y.csv --survivor city=first",
    "--survivor and --golden-json are about golden records. Add --golden FILE.",
    "pearl link --store s.pearl --golden y.csv --survivor city=first",
  ),
  "a format of a run that writes no table": usage(
    "pearl link --store s.pearl --history E1 --format jsonl",
    "--history and --undo write no table: leave --format out",
    "pearl link --store s.pearl --history E1",
  ),
};

const deduping: Readonly<Record<string, Case>> = {
  "decisions that contradict each other": {
    files: { "known.csv": "left,right,decision\nAcme,Acme Inc,yes\nAcme Inc,Bosch,yes\nAcme,Bosch,no\n" },
    wrong: `${dedupe} -c name --labels known.csv -o y.csv`,
    says: "other decisions make them the same. Correct one of these decisions.",
    cured: `sed -i s/Inc,Bosch,yes/Inc,Bosch,no/ known.csv && ${dedupe} -c name --labels known.csv -o y.csv`,
  },
  "one column to compare, and several": usage(
    `${dedupe} -c name --on name --on city`,
    "Leave one of them out.",
    `${dedupe} -c name -o y.csv && ${dedupe} --on name --on city -o z.csv`,
  ),
  "a threshold of several columns": usage(
    `${dedupe} --on name --on city --threshold 0.9`,
    "Name one with -c, or leave --threshold out.",
    `${dedupe} -c name --threshold 0.9 -o y.csv && ${dedupe} --on name --on city -o z.csv`,
  ),
  "rules of golden records that are not asked for": usage(
    `${dedupe} --survivor city=first`,
    "--survivor and --golden-json are about golden records. Add --golden FILE.",
    `${dedupe} --survivor city=first --golden y.csv`,
  ),
  "a survivor rule that is none": usage(
    `${dedupe} --golden y.csv --survivor city=best`,
    "It must be COLUMN=RULE; rules are frequent,",
    `${dedupe} --golden y.csv --survivor city=frequent`,
  ),
  "golden records under a name without an ending": usage(
    `${dedupe} --golden y.out --format csv`,
    "End the name in one of these.",
    `${dedupe} --golden y.csv --format csv`,
  ),
  "a survivor rule by dates that cannot be read": usage(
    `${dedupe} --golden y.csv --survivor name=newest:city --kind-of city=date`,
    "no cell of city can be read as a date. Choose another rule.",
    `${dedupe} --golden y.csv --survivor name=first --kind-of city=date`,
  ),
  "a survivor rule of another kind than its column": usage(
    `${dedupe} --golden y.csv --survivor city=mean`,
    'Choose another rule, or say that it holds them: --kind-of "city=number".',
    `${dedupe} --golden y.csv --survivor city=first && ${dedupe} --golden z.csv --survivor city=mean --kind-of "city=number"`,
  ),
  "a threshold beside a precision": usage(
    `${dedupe} -c name --threshold 0.9 --precision 0.9`,
    "option '--threshold <t>' cannot be used with option '--precision <p>'",
    `${dedupe} -c name --threshold 0.9 -o y.csv && ${dedupe} -c name --precision 0.9 -o z.csv`,
  ),
};

claimCures({ ...linking, ...deduping }, { files: { "x.csv": table }, before: link });

const folder = mkdtempSync(join(tmpdir(), "pearl-linking-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = join(folder, "x.csv");
writeFileSync(file, table);
const options: LinkOptions = { encoder: "none" };

it("a survivor rule of a program is one of the list", () => {
  expect(() => partsOfRule("best")).toThrow(`"best" is not a survivor rule. Use one of ${survivorRuleList}.`);
  for (const rule of survivorRuleList.split(", ")) expect(rule.startsWith(partsOfRule(rule).name)).toBe(true);
});

it("a store of another format is linked again into a new one", async () => {
  const old = join(folder, "old.pearl");
  await linkTable(file, old, options);
  await withStore(old, "existing", (store) => store.query("UPDATE meta SET version = 1"));
  await expect(linkTable(file, old, options)).rejects.toThrow(
    /has format 1; this pearl reads format \d+\. .*link the tables again into a new store\.$/,
  );
  expect(await linkTable(file, join(folder, "new.pearl"), options)).toMatchObject({ rows: 4, known: 0 });
});

it("a store that is in use opens once its user has finished", async () => {
  const path = join(folder, "busy.pearl");
  await linkTable(file, path, options);
  const user = await Store.open(path, "existing");
  await expect(linkTable(file, path, options)).rejects.toThrow("Wait until it has finished.");
  await user.close();
  expect(await linkTable(file, path, options)).toMatchObject({ rows: 4, known: 4 });
});

it("a store whose database ran out of memory works again once there is room for temporary files", async () => {
  const path = join(folder, "narrow.pearl");
  await linkTable(file, path, options);
  await withStore(path, "existing", async (store) => {
    const large = () =>
      store.query("CREATE TEMP TABLE large AS SELECT repeat(md5(range::VARCHAR), 20) FROM range(100000)");
    await store.query("SET memory_limit = '20MB'");
    await store.query("SET max_temp_directory_size = '0KB'");
    await expect(large()).rejects.toThrow(
      "Make room for temporary files, in the folder of --temp or beside the store, or leave out --memory",
    );
    await store.query("SET max_temp_directory_size = '1GB'");
    await large();
  });
});

const small = join(folder, "small");
const { isMounted } = mountSmallDisk(small, "2m");

it.skipIf(!isMounted)("a store on a full disk is written once some space is free", async () => {
  const path = join(small, "s.pearl");
  await linkTable(file, path, options);
  const longer = join(folder, "longer.csv");
  const added = Array.from({ length: 2000 }, (_, row) => `${row},name number ${row},Oslo\n`).join("");
  writeFileSync(longer, `id,name,city\n${added}`);
  const longRun = () => linkTable(longer, path, options);
  const fill = join(small, "fill");
  writeFileSync(fill, Buffer.alloc(1024 * (2040 - Math.ceil(statSync(path).size / 1024))));
  await expect(longRun()).rejects.toThrow(
    "no space left on the disk. Free some and run the command again; the store is as it was before.",
  );
  rmSync(fill);
  expect(await linkTable(file, path, options)).toMatchObject({
    known: 4,
    entitiesBefore: 4,
    entitiesAfter: 4,
  });
  expect(await longRun()).toMatchObject({ rows: 2000, known: 0, entitiesBefore: 4 });
});
