/** Joins whose candidates PostgreSQL finds: nearly those of the whole table, of which only a part is read. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PhraseEncoder } from "../../../src/encoder/phrase-encoder.js";
import { type JoinTablesOptions, joinTables } from "../../../src/join/join-tables.js";
import { createRandom } from "../../../src/random.js";
import { PostgresStore } from "../../../src/search/store/postgres-store.js";
import { keysByTrigrams, trigramSchema } from "../../../src/stores/postgres/nearest.js";
import { syncTable } from "../../../src/stores/postgres/sync-table.js";
import { pearl } from "../../cli/run-here.js";
import { noServer, type Server, startServer } from "../../stores/postgres/server.js";

const folder = mkdtempSync(join(tmpdir(), "pearl-database-join-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const random = createRandom(11);
const syllables = ["ba", "ko", "ri", "tam", "el", "us", "no", "pi", "dor", "ven", "gla", "shi"];
const word = (): string =>
  Array.from({ length: 4 }, () => syllables[Math.floor(random() * syllables.length)]).join("");
const left = Array.from({ length: 7000 }, (_, row) => [
  `${row + 1}`,
  `${word()} ${word()}`,
  `town ${row % 40}`,
]);
/** Rows of the left table with a letter less, and rows of no other. */
const right = Array.from({ length: 60 }, (_, row) => {
  const [id, name, town] = left[row * 110];
  const at = 2 + (row % 9);
  return row % 6 === 5
    ? ["", `${word()} ${word()}`, "town 3"]
    : [id, name.slice(0, at) + name.slice(at + 1), town];
});
const messy = join(folder, "messy.csv");
writeFileSync(messy, ["of,name,town", ...right.map((cells) => cells.join(","))].join("\n"));

describe.skipIf(noServer !== undefined)("a join with a synced table in PostgreSQL", () => {
  let server: Server;
  let encoder: PhraseEncoder;
  let address: string;
  beforeAll(async () => {
    [server, encoder] = await Promise.all([
      startServer(),
      PhraseEncoder.load("pearl-strings", { device: "cpu" }),
    ]);
    address = `${server.address}&table=customers`;
    await server.sql("CREATE TABLE customers (id int PRIMARY KEY, name text, town text, founded date)");
    const values = left.map(([id, name, town]) => `(${id}, '${name}', '${town}', '2001-02-03')`);
    await server.sql(`INSERT INTO customers VALUES ${values}`);
    await syncTable(address, encoder, { column: "name" });
    return () => encoder.dispose();
  });

  /** Pairs of ids, and the report. */
  async function joined(options: JoinTablesOptions) {
    const output = join(folder, "joined.csv");
    const notes: string[] = [];
    const report = await joinTables(address, messy, output, {
      ...{ encoder, ignore: ["of"], onNote: (note) => notes.push(note), ...options },
    });
    const [header, ...lines] = readFileSync(output, "utf8").trim().split("\n");
    const names = header.split(",");
    const [id, of] = ["left_id", "right_of"].map((name) => names.indexOf(name));
    return {
      report,
      notes: notes.join("\n"),
      header,
      lines,
      pairs: lines.map((line) => [id, of].map((at) => line.split(",")[at]).join(" ")),
    };
  }

  it.each([
    ["one column", ["name"]],
    ["several columns", ["name", "town"]],
  ])("by %s finds what a join with the whole table finds, and reads a part of it", async (_, on) => {
    const whole = await joined({ on });
    const part = await joined({ on, reading: "candidates" });
    expect(part.report).toMatchObject({ leftRows: 7000, rightRows: 60 });
    expect(part.report.leftRowsRead).toBeLessThan(6800);
    expect(part.header).toBe(whole.header);
    const right = ({ pairs }: typeof whole) =>
      pairs.filter((pair) => pair.split(" ")[0] === pair.split(" ")[1]).length;
    expect(right(whole)).toBeGreaterThan(40);
    const same = part.pairs.filter((pair) => whole.pairs.includes(pair)).length;
    expect(same / Math.max(part.pairs.length, whole.pairs.length)).toBeGreaterThan(0.95);
    expect(part.lines[0]).toMatch(/,2001-02-03,/);
    expect(part.notes).toMatch(
      /candidates by embedding alone; by letters, too, after: CREATE EXTENSION IF NOT EXISTS pg_trgm; CREATE INDEX ON "public"."customers" USING gin \("name" gin_trgm_ops\)\n/,
    );
    expect(part.notes).toMatch(
      /: read [\d,]+ of 7,000 rows, found in the database \(PostgreSQL without pgvector, exact\)/,
    );
  });

  it("finds those of several columns that are compared with the one that has embeddings", async () => {
    const split = join(folder, "split.csv");
    const lines = right.map(([id, name, town]) => [id, ...`${name} `.split(" ", 2), town].join(","));
    writeFileSync(split, ["of,first,last,town", ...lines].join("\n"));
    const on = ["name=first + last", "town"];
    const settings = { encoder, on, reading: "candidates" } as const;
    const report = await joinTables(address, split, join(folder, "split-joined.csv"), settings);
    expect(report.columns[0]).toMatchObject({ name: "name", other: "first + last" });
    expect(report.matches).toBeGreaterThan(40);
  });

  it("finds candidates by trigrams where the column has an index of them", async () => {
    const { notes } = await joined({ reading: "candidates" });
    const statements = /after: (.*)/.exec(notes)![1];
    await server.sql(statements);
    const store = await PostgresStore.open(address);
    const phrase = left[70][1].slice(1);
    const schema = await trigramSchema(store.tables);
    const expected = await server.sql<{ key: string }>(
      `SELECT id::text AS key FROM customers WHERE similarity(name, '${phrase}') >= 0.3 ORDER BY similarity(name, '${phrase}') DESC, id LIMIT 4`,
    );
    const found = await keysByTrigrams(store.tables, schema!, [phrase, "zzz"], 4);
    expect(expected[0].key).toBe("71");
    expect(new Set(found)).toEqual(new Set(expected.map(({ key }) => key)));
    await store.close();
    const withTrigrams = await joined({ on: ["name"], reading: "candidates" });
    expect(withTrigrams.notes).not.toContain("candidates by embedding alone");
    expect(withTrigrams.report.matches).toBeGreaterThan(40);
  });

  it("finds nothing where the right table has no rows", async () => {
    const none = join(folder, "none.csv");
    writeFileSync(none, "of,name,town\n");
    const output = join(folder, "nothing.csv");
    const report = await joinTables(address, none, output, { encoder, reading: "candidates" });
    expect(report).toMatchObject({ matches: 0, leftRows: 7000, rightRows: 0 });
    expect(readFileSync(output, "utf8").split("\n")).toHaveLength(2);
  });

  it("is asked for on the command line, where the model is that of the embeddings", async () => {
    const words = ["join", "postgres://?table=customers", messy, "--on", "name", "--in-database"];
    const { code, stdout, stderr } = await pearl(words, { environment: server.environment });
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stderr).toMatch(/read [\d,]+ of 7,000 rows/);
    expect(stdout.split("\n").length).toBeGreaterThan(40);
  });

  it("names no password that the address holds", async () => {
    const secret = address.replace("pearl@", "pearl:Hush@");
    const error = await joinTables(secret, secret.replace("customers", "customer"), "-").catch(String);
    expect(error).toContain('there is no table "customer"');
    expect(error).not.toContain("Hush");
    const same = await joinTables(secret, messy, "-", { encoder: "none", reading: "candidates" }).catch(
      String,
    );
    expect(same).toContain("--in-database compares embeddings");
  });
});
