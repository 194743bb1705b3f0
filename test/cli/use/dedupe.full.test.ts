/** `pearl dedupe` as users run it. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pearl } from "../run-here.js";
import { names } from "./names.js";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "pearl-dedupe-"));
  await writeFile(join(folder, "names.csv"), names);
  await writeFile(
    join(folder, "crm.csv"),
    [
      "id,first_name,last_name,company,email",
      "1,Anna,Schmidt,Nordwind GmbH,anna@nordwind.example",
      "2,Peter,Vogel,Alpha Bau AG,p.vogel@alphabau.example",
      "3,Peter,Vogel,Alpha Bau AG,p.vogel@alphabau.example",
      "4,Jon,Miller,Acme Inc.,jon@acme.example",
      "5,John,Miller,Acme Incorporated,jon@acme.example",
      "6,Sofia,Rossi,Rossi & Figli,sofia@rossi.example",
      "7,Claire,Dubois,Lumière SARL,claire@lumiere.example",
      "8,Maria,Lopez,Sol y Mar SL,maria@solymar.example",
    ].join("\n"),
  );
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const run = (...parameters: string[]) => pearl(parameters, { cwd: folder });
const lines = async (name: string): Promise<string[]> =>
  (await readFile(join(folder, name), "utf8")).trimEnd().split("\n");
const firstCells = async (name: string): Promise<string[]> =>
  (await lines(name)).slice(1).map((line) => line.split(",")[0]);

describe("by all columns", () => {
  it("removes equal rows, and writes likely groups beside the output while no precision is established", async () => {
    const { code, stdout, stderr } = await run("dedupe", "crm.csv", "--json", "crm.json");
    expect(code).toBe(0);
    expect(stdout.split("\n")).toEqual([
      "wrote crm.deduped.csv: 8 rows in, 2 groups of likely duplicates, 7 rows out",
      "wrote crm.deduped.removed.csv: 1 removed row",
      "wrote crm.deduped.groups.csv: 1 likely duplicate, not removed",
      '  2 rows: "2, Peter, Vogel, Alpha Bau AG", "3, Peter, Vogel, Alpha Bau AG"',
      '  2 rows: "Acme Inc.", "Acme Incorporated"',
      "",
    ]);
    expect(stderr).toMatch(/column +kind +filled +distinct +agrees +differs\n/);
    expect(stderr).toMatch(/^email +email +100 % +6 +\+\d+\.\d +-\d+\.\d$/m);
    expect(stderr).toContain("not compared: id (row identifier)");
    expect(stderr).toContain("a precision of 0.9 is not established: only 2 pairs are likely");
    expect(stderr).toContain("to remove the likely duplicates too: --remove-likely");
    expect(await firstCells("crm.deduped.csv")).toEqual(["1", "2", "4", "5", "6", "7", "8"]);
    expect((await lines("crm.deduped.removed.csv"))[1]).toMatch(/^3,2,1\.0000,3,Peter/);
    const groups = await lines("crm.deduped.groups.csv");
    expect(groups[0]).toBe("group,kept,row,probability,id,first_name,last_name,company,email");
    expect(groups.slice(1).map((line) => line.split(",").slice(0, 3).join(" "))).toEqual([
      "1 yes 2",
      "1 no 3",
      "2 yes 4",
      "2 yes 5",
    ]);
    const report = JSON.parse((await lines("crm.json")).join("\n"));
    expect(report).toMatchObject({
      ...{ matches: 2, rows: 8, kept: 7, removed: 1, groups: 2, likely: 1, kind: "many-to-many" },
      promise: { target: 0.9, established: false },
      dropped: [{ name: "id", reason: "row identifier" }],
    });
    expect(report.columns.map(({ name }: { name: string }) => name)).toContain("email");
    expect(report.seconds).toBeGreaterThan(0);
  });

  it("removes likely duplicates on demand, and explains them", async () => {
    const parameters = ["dedupe", "crm.csv", "--remove-likely", "--explain", "-o", "sure.csv"];
    const { stdout } = await run(...parameters);
    expect(stdout).toContain("wrote sure.csv: 8 rows in, 2 groups of duplicates, 6 rows out");
    const golden = await run("dedupe", "crm.csv", "--golden", "sure.golden.csv");
    expect(golden.stdout).toContain(
      "7 records, 1 of several rows; likely duplicates are merged only with --remove-likely\n",
    );
    expect(await firstCells("sure.csv")).toEqual(["1", "2", "4", "6", "7", "8"]);
    const [head, ...rows] = await lines("sure.groups.csv");
    expect(head).toMatch(/^group,kept,row,probability,why,id/);
    expect(rows[3]).toContain('first_name: ""Jon"" ≈ ""John""');
  });

  it("writes doubtful pairs, and applies the decisions of a person", async () => {
    const asked = await run("dedupe", "crm.csv", "--review-out", "review.csv", "-q");
    expect(asked.code).toBe(0);
    const [head, ...pairs] = await lines("review.csv");
    expect(head).toMatch(/^decision,probability,joined,left_row,right_row,left_id,right_id/);
    expect(pairs.some((line) => line.includes("Acme Inc."))).toBe(true);
    await writeFile(join(folder, "decided.csv"), "left_row,right_row,decision\n4,5,yes\n2,3,no\n");
    const again = "dedupe crm.csv --review decided.csv -o decided.out.csv";
    const { stdout, stderr } = await run(...again.split(" "));
    expect(stderr).toMatch(/the known pairs changed the groups of \d rows? that they judge/);
    expect(stdout).toContain("8 rows in, 1 group of duplicates, 7 rows out");
    expect(await firstCells("decided.out.csv")).toEqual(["1", "2", "3", "4", "6", "7", "8"]);
  });

  it("writes golden records by rule, where each cell comes from, and what kept rows lack without them", async () => {
    const people =
      "name,phone,updated\nAnna Ray,,2024-01-01\nAnna Ray,030 1234567,\nBob Fox,06 55 11 22,2024-02-02\n";
    await writeFile(join(folder, "people.csv"), people);
    const dedupe = "dedupe people.csv -m none -c name --threshold 0.9 --remove-likely --no-fill";
    const plain = await run(...dedupe.split(" "));
    expect(plain.stderr).toContain(
      "removed rows could fill empty cells of 1 kept row; --golden FILE writes one record for each thing",
    );
    const files = "--golden golden.csv --golden-json golden.jsonl --json people.json".split(" ");
    const golden = await run(...dedupe.split(" "), ...files, "--survivor", "PHONE=newest:updated");
    expect(golden.code).toBe(0);
    expect(golden.stdout).toContain("wrote golden.csv: 2 records, 1 of several rows\nwrote golden.jsonl: ");
    expect(golden.stderr).toContain(
      "their cells by rule: frequent (name, updated), newest:updated (phone); --survivor",
    );
    expect(golden.stderr).not.toContain("could fill");
    expect(await lines("golden.csv")).toEqual([
      "name,phone,updated",
      "Anna Ray,030 1234567,2024-01-01",
      "Bob Fox,06 55 11 22,2024-02-02",
    ]);
    expect((await lines("golden.jsonl"))[0]).toBe(
      '{"record":1,"rows":[1,2],"cells":{"name":{"value":"Anna Ray","rule":"frequent","rows":[1,2]},' +
        '"phone":{"value":"030 1234567","rule":"newest:updated","rows":[2]},' +
        '"updated":{"value":"2024-01-01","rule":"frequent","rows":[1]}}}',
    );
    const report = JSON.parse((await lines("people.json")).join("\n"));
    expect(report).toMatchObject({ lacking: 1, survivors: { phone: "newest:updated", name: "frequent" } });
    const standard = await run(...dedupe.split(" "), "--golden", "-", "-o", "kept.csv");
    expect(standard.stdout.split("\n")).toEqual([...(await lines("golden.csv")), ""]);
  });

  it("refuses rules that do not exist or do not fit", async () => {
    const refused = async (...parameters: string[]) => {
      const { code, stderr } = await run("dedupe", "crm.csv", "-q", "--golden", "g.csv", ...parameters);
      return `${code} ${stderr}`;
    };
    expect(await refused("--survivor", "email=latest")).toMatch(
      /^2 .*It must be COLUMN=RULE; rules are frequent, longest, .*, source:COLUMN=A>B\.\n/,
    );
    expect(await refused("--survivor", "mail=first")).toMatch(
      /^1 .*no column "mail"\. .*Did you mean "email"/,
    );
    expect(await refused("--survivor", "email=newest:company")).toMatch(
      /^1 .*newest:company needs dates.* Columns of dates: none\. /,
    );
    expect(await refused("--golden-json", "g.jsonl", "--golden", "crm.csv")).toMatch(/^1 .*is an input/);
    expect(await refused("--golden-json", "g.json")).toMatch(/^2 .*The name must end in \.jsonl\./);
    expect(await refused("--golden", "g.txt")).toMatch(/^2 .*g\.txt: rows .* in one of these\.\n$/);
    expect(await refused("--golden", "")).toMatch(/^2 .*The name is empty: rows are written as/);
    expect(await refused("--survivor", "email=source:company=a>")).toMatch(/^2 .*It must be COLUMN=RULE/);
    const alone = await run("dedupe", "crm.csv", "--survivor", "email=first");
    expect([alone.code, alone.stderr]).toEqual([2, expect.stringContaining("Add --golden FILE.")]);
  });

  it("is for several columns: one alone takes a threshold or -c, not both kinds of options", async () => {
    const threshold = await run("dedupe", "crm.csv", "--threshold", "0.8");
    expect(threshold.code).toBe(2);
    expect(threshold.stderr).toMatch(/a threshold needs one column, but \d are compared\. Name one with -c/);
    const both = await run("dedupe", "crm.csv", "-c", "email", "--on", "company");
    expect(both.code).toBe(2);
    expect(both.stderr).toContain("cannot be used with option '-c, --column <name>'");
    const unknown = await run("dedupe", "crm.csv", "--on", "compani");
    expect(unknown.code).toBe(1);
    expect(unknown.stderr).toContain('no column "compani".');
    expect(unknown.stderr).toContain('Did you mean "company"?');
  });
});

describe("by one column", () => {
  const dedupe = ["dedupe", "names.csv", "-c", "name", "--threshold", "0.7"];

  it("keeps the most complete row of each group and lists the removed rows", async () => {
    const { code, stdout } = await run(...dedupe, "--groups", "went.csv", "-q");
    expect(code).toBe(0);
    expect(stdout.split("\n")).toEqual([
      "wrote names.deduped.csv: 7 rows in, 2 groups of duplicates, 5 rows out",
      "wrote names.deduped.removed.csv: 2 removed rows",
      "wrote went.csv",
      '  2 rows: "Acme Inc.", "Acme, Inc"',
      '  2 rows: "New York Times", "The New York Times"',
      "",
    ]);
    expect(await firstCells("names.deduped.csv")).toEqual(["2", "4", "5", "6", "7"]);
    const went = await lines("went.csv");
    expect(went[0]).toBe("group_,kept,row,probability,id,name,group");
    expect(went.slice(1).map((line) => line.split(",").slice(0, 3).join(" "))).toEqual([
      "1 yes 2",
      "1 no 3",
      "2 yes 4",
      "2 no 1",
    ]);
  });

  it("writes the removed rows beside the output, so that no row is lost, unless told not to", async () => {
    await run(...dedupe, "-o", "kept.jsonl");
    const [kept, removed] = [await lines("kept.jsonl"), await lines("kept.removed.jsonl")];
    const rows = [...kept, ...removed].map((line) => Number(JSON.parse(line).id));
    expect(rows.sort()).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(JSON.parse(removed[0])).toMatchObject({ row: 1, kept_row: 4, name: "The New York Times" });
    await run(...dedupe, "-o", "alone.csv", "--no-removed");
    expect((await readdir(folder)).filter((name) => name.startsWith("alone"))).toEqual(["alone.csv"]);
  });

  it.each([
    ["kept", "kept.removed.jsonl"],
    ["./some.d/kept", "some.d/kept.removed.jsonl"],
    ["kept.2024", "kept.2024.removed.jsonl"],
  ])("writes the removed rows beside %s in the format of --format", async (output, removed) => {
    await mkdir(join(folder, "some.d"), { recursive: true });
    const { code, stderr } = await run(...dedupe, "-o", output, "--format", "jsonl", "-q");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(await lines(removed)).toHaveLength(2);
    expect(await lines(output)).toHaveLength(5);
  });

  it("promises a precision only for equal rows, and leaves the likely ones in", async () => {
    const { stdout, stderr } = await run("dedupe", "names.csv", "--on", "NAME", "-o", "one.csv");
    expect(stderr).toContain("compared name");
    expect(stderr).toContain("a precision of 0.9 is not established: one column alone gives one estimate");
    expect(stdout).toContain("7 rows in, 2 groups of likely duplicates, 7 rows out");
    expect(stdout).toContain("wrote one.groups.csv: 2 likely duplicates, not removed");
    const removed = async () =>
      (await lines("one.groups.csv")).filter((line) => line.split(",")[1] === "no").length;
    expect(await removed()).toBe(0);
    await run("dedupe", "names.csv", "--on", "NAME", "--remove-likely", "-o", "one.csv");
    expect(await removed()).toBe(2);
    await writeFile(join(folder, "list.txt"), "Acme Inc.\nAcme Inc.\nLe Monde\n");
    const equal = await run("dedupe", "list.txt");
    expect(equal.stderr).toContain("a precision of 0.9 is established, enough of the rows are equal");
    expect(equal.stdout).toContain("3 rows in, 1 group of duplicates, 2 rows out");
  });

  it("needs no model: by one column spelling counts, by several the rest of the row too", async () => {
    await writeFile(join(folder, "spelled.txt"), "Acme Incorporated\nAcme incorporated.\nLe Monde\n");
    const one = await run("dedupe", "spelled.txt", "-m", "none", "--remove-likely");
    expect(one.stdout + one.stderr).toContain("3 rows in, 1 group of duplicates, 2 rows out");
    expect(one.stderr).not.toContain("model:");
    const several = await run("dedupe", "crm.csv", "-m", "none");
    expect(several.code).toBe(0);
  });

  it("never overwrites its input table", async () => {
    const { code, stderr } = await run("dedupe", "names.csv", "-c", "name", "-o", "names.csv");
    expect(code).toBe(1);
    expect(stderr).toContain("names.csv is an input");
    expect((await readdir(folder)).some((name) => name.includes("partial"))).toBe(false);
  });

  it("stops if it chose the column itself, and that would cost more than a third of the rows", async () => {
    const twice = ["Acme Inc.", "Borealis Shipping", "Cedar Mills"].flatMap((name) => [
      `${name},yes`,
      `${name},yes`,
    ]);
    const rows = Array.from({ length: 4 }, () => twice).flat();
    await writeFile(join(folder, "twice.csv"), ["name,branch", ...rows].join("\n"));
    const stopped = await run("dedupe", "twice.csv", "-q", "-o", "stopped.csv");
    expect(stopped.code).toBe(1);
    expect(stopped.stderr).toContain('the column "name" was not named, and has only 3 different values');
    expect(await readdir(folder)).not.toContain("stopped.csv");
    expect((await run("dedupe", "twice.csv", "-q", "-c", "name")).stdout).toContain("3 rows out");
  });
});

describe("under rules", () => {
  const rules = ["--same", "EMAIL", "--never", "first_name+last_name", "--model", "none"];

  it("says what each rule decided, on standard error and in the report", async () => {
    const { stdout, stderr } = await run(
      "dedupe",
      "crm.csv",
      ...rules,
      "--json",
      "ruled.json",
      "-o",
      "r.csv",
    );
    expect(stderr).toContain(
      "--same email makes 1 pair the same; --never first_name + last_name keeps 1 likely pair apart",
    );
    expect(stderr).toContain("both apply to 1 pair, such as rows 4 and 5: --never decides");
    expect(stderr).toContain("a precision of 0.9 is established, rules make all that is the same");
    expect(stdout).toContain("wrote r.csv: 8 rows in, 1 group of duplicates, 7 rows out");
    expect(JSON.parse((await lines("ruled.json")).join("\n")).rules).toEqual({
      same: { email: 1 },
      never: { "first_name + last_name": 1 },
      contradicted: 1,
      example: { left: 3, right: 4 },
    });
  });

  it("matches rows of different tables only, in shards and within a limit of memory", async () => {
    await writeFile(join(folder, "a.csv"), "name\nAcme Industries\nAcme Industrys\nGlobex Corporation\n");
    await writeFile(join(folder, "b.csv"), "name\nAcme Industries Inc\nGlobex Corp\nGlobex Corpor\n");
    const between = [
      "dedupe",
      "a.csv",
      "b.csv",
      "--between",
      "--model",
      "none",
      "-c",
      "name",
      "--threshold",
      "0.5",
    ];
    const { stderr, stdout } = await run(...between, "-o", "between.csv");
    expect(stderr).toContain("--between keeps 2 likely pairs of one table apart");
    expect(stdout).toContain("6 rows in, 2 groups of duplicates, 4 rows out");
    for (const part of ["1", "2"])
      expect((await run(...between, "--shard", `${part}/2`, "-o", `between.${part}.part`)).code).toBe(0);
    await run("merge", "between.1.part", "between.2.part", "-o", "joined.csv");
    await run(...between, "--memory", "1g", "-o", "limited.csv");
    for (const name of ["joined.csv", "limited.csv"])
      expect(await lines(name)).toEqual(await lines("between.csv"));
    expect((await run("dedupe", "a.csv", "--between")).code).toBe(2);
  });

  it("finds the same in shards and within a limit of memory", async () => {
    await run("dedupe", "crm.csv", ...rules, "-o", "whole.csv");
    const parts = ["1", "2"].map((part) => `rules.${part}.part`);
    for (const [at, part] of parts.entries())
      expect((await run("dedupe", "crm.csv", ...rules, "--shard", `${at + 1}/2`, "-o", part)).code).toBe(0);
    expect((await run("merge", ...parts, "-o", "merged.csv")).code).toBe(0);
    expect((await run("dedupe", "crm.csv", ...rules, "--memory", "1g", "-o", "bounded.csv")).code).toBe(0);
    for (const name of ["merged", "bounded"])
      for (const kind of ["csv", "removed.csv"])
        expect(await lines(`${name}.${kind}`)).toEqual(await lines(`whole.${kind}`));
  });
});
