import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withStore } from "../../../src/link/store.js";
import { tableWithDuplicates } from "../../match/people.js";
import { pearl } from "../run-cli.js";
import { pearl as pearlHere } from "../run-here.js";

const folder = mkdtempSync(join(tmpdir(), "pearl-link-cli-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const { table, entities } = tableWithDuplicates(100);
const inFolder =
  (command: typeof pearlHere) =>
  (...parameters: string[]) =>
    command(["link", ...parameters, "--store", "people.pearl"], { cwd: folder });
const run = inFolder(pearlHere);
const spawned = inFolder(pearl);

beforeAll(async () => {
  const lines = entities.map((_, row) =>
    Object.values(table)
      .map((cells) => cells[row])
      .join(","),
  );
  const write = (name: string, rows: readonly string[]): void =>
    writeFileSync(join(folder, name), `${Object.keys(table).join(",")}\n${rows.join("\n")}\n`);
  write("people.csv", lines.slice(3));
  write("june.csv", lines.slice(0, 3));
  first = await run("people.csv", "-m", "none", "--json", "report.json");
});

let first: Awaited<ReturnType<typeof run>>;
describe("pearl link", () => {
  it("says the first time what may come next", () => {
    expect(first.stderr).toContain(
      "next: pearl link NEXT.csv --store people.pearl links more rows; --history E1 ",
    );
  });

  it("writes the rows with their entities, and reports what it learned", async () => {
    const report = JSON.parse(readFileSync(join(folder, "report.json"), "utf8"));
    expect(report).toMatchObject({
      rows: entities.length - 3,
      known: 0,
      promise: { target: 0.9, established: true },
    });
    expect(report.columns[0]).toMatchObject({ name: "born", kind: "date" });
    expect(readFileSync(join(folder, "people.linked.csv"), "utf8")).toMatch(/^entity,name,.*\nE1,/);
  });

  it("says that a first table has no rows, and makes no store", async () => {
    const header = Object.keys(table).join(",");
    writeFileSync(join(folder, "empty.csv"), `${header}\n`);
    const words = ["link", "empty.csv", "-m", "none", "--store", "empty.pearl"];
    const { code, stderr } = await pearlHere(words, { cwd: folder });
    expect(code).toBe(0);
    expect(stderr).toMatch(/\nempty\.csv: the table has no rows, so there is nothing to compare\n$/);
    expect(readFileSync(join(folder, "empty.linked.csv"), "utf8")).toBe(`entity,${header}\n`);
    expect(existsSync(join(folder, "empty.pearl"))).toBe(false);
  });

  it("says how many rows are known and new, links by the weights learned before, and takes the run back", async () => {
    const { code, stdout, stderr } = await run("june.csv", "-m", "none", "-o", "-");
    expect(code).toBe(0);
    expect(stdout.trim().split("\n")).toHaveLength(4);
    expect(stderr).toMatch(/by the weights learned from \d+ rows\n/);
    expect(stderr).not.toContain("next: ");
    expect(stderr).toMatch(
      /3 rows: 0 known, 3 new, 0 changed; \d+ entities before, \d+ now; 0 merged, 0 split/,
    );
    const again = await run("june.csv", "-q", "-m", "none");
    expect(again.stdout).toMatch(/^wrote june\.linked\.csv: 3 rows: 3 known, 0 new, 0 changed; /);
    const undone = await run("--undo");
    expect(undone.stdout).toMatch(/^took back run 2 \(june, \d{4}-\d\d-\d\d\)\n$/);
  });

  it("prints an entity's rows and why they are together", async () => {
    const several = readFileSync(join(folder, "people.linked.csv"), "utf8")
      .split("\n")
      .map((line) => line.split(",")[0]);
    const name = several.find((entity, at) => several.indexOf(entity) < at)!;
    const { stdout } = await run("--history", name);
    expect(stdout).toMatch(new RegExp(`^${name}: [23] rows\\nsource  row  run  born`));
    expect(stdout).toMatch(/run 1: E\d+ created from people \d+, people \d+.*: .* → \d\.\d\d\n$/);
  });

  it("reports an export to a program", async () => {
    const { stdout } = await run("--export", "all.csv", "--json", "export.json");
    const report = JSON.parse(readFileSync(join(folder, "export.json"), "utf8"));
    expect(report).toMatchObject({ path: "all.csv", rows: entities.length - 3, seconds: expect.any(Number) });
    expect(stdout).toBe(`wrote all.csv: ${report.rows} rows\n`);
  });

  it("writes golden records, and says by which rules", async () => {
    const { stdout, stderr } = await run(
      "--golden",
      "golden.csv",
      "--survivor",
      "PHONE=longest",
      "--json",
      "g.json",
    );
    const report = JSON.parse(readFileSync(join(folder, "g.json"), "utf8"));
    expect(report).toMatchObject({ path: "golden.csv", survivors: { name: "frequent", phone: "longest" } });
    expect(stdout).toBe(`wrote golden.csv: ${report.records} records, ${report.merged} of several rows\n`);
    expect(stderr).toContain("longest (phone); --survivor COLUMN=RULE changes one");
    const lines = readFileSync(join(folder, "golden.csv"), "utf8").trim().split("\n").slice(1);
    expect(new Set(lines.map((line) => line.split(",")[0])).size).toBe(report.records);
  });

  it("refuses no task, and two", async () => {
    for (const parameters of [[], ["june.csv", "--undo"]])
      expect(await run(...parameters)).toMatchObject({
        code: 2,
        stderr: "pearl: name a table, or one of --history, --undo, --export and --golden\n",
      });
  });

  it("refuses an output and a format where no table is written, and keeps the last run", async () => {
    for (const task of [
      ["--history", "E1"],
      ["--undo"],
      ["--export", "rows.csv"],
      ["--golden", "rows.csv"],
    ]) {
      const stderr = "pearl: --history, --undo, --export and --golden link no table: leave -o out\n";
      expect(await run(...task, "-o", "out.csv")).toMatchObject({ code: 2, stderr });
    }
    for (const task of [["--history", "E1"], ["--undo"]]) {
      const stderr = "pearl: --history and --undo write no table: leave --format out\n";
      expect(await run(...task, "--format", "jsonl")).toMatchObject({ code: 2, stderr });
    }
    expect((await run("--history", "E1")).code).toBe(0);
  });

  it("says in one line that another process holds the store, and that another model does not fit", async () => {
    const refused = await withStore(join(folder, "people.pearl"), "existing", () =>
      spawned("june.csv", "-m", "none"),
    );
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(
      `pearl: people.pearl is in use by process ${process.pid}. Wait until it has finished.\n`,
    );
    const other = await run("people.csv", "--relearn", "-q");
    expect(other.stderr).toMatch(
      /^pearl: people\.pearl compares with the model none, not with pearl-mini\. /,
    );
  });
});
