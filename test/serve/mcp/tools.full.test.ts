/** The tools for assistants, called by the protocol's own client. */
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

let client: Client;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "pearl-mcp-"));
  const root = join(folder, "root");
  mkdirSync(root);
  for (const name of ["companies.csv", "suppliers.csv", "customers.csv"])
    writeFileSync(join(root, name), readFileSync(`data/${name}`));
  writeFileSync(join(folder, "secret.csv"), "name\nsecret\n");
  symlinkSync(join(folder, "secret.csv"), join(root, "link.csv"));
  client = new Client({ name: "test", version: "1" });
  const args = [resolve("dist/cli/main.js"), "mcp", "--root", root];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: "ignore" }));
});
afterAll(async () => {
  await client.close();
  rmSync(folder, { recursive: true, force: true });
});

const call = async (name: string, args: Record<string, unknown>) => {
  const { structuredContent, content, isError } = await client.callTool({ name, arguments: args });
  const [{ text = "" } = {}] = content as { text?: string }[];
  if (!isError) expect(JSON.parse(text)).toEqual(structuredContent);
  // biome-ignore lint/suspicious/noExplicitAny: answers of several forms
  return { found: structuredContent as any, error: isError ? text : undefined };
};

describe("the tools", () => {
  it("are listed with a description and a schema that admits no other fields", async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      ...["match_files", "dedupe_file", "explain_pair", "evaluate_files", "compare_phrases"],
      ...["type_phrases", "search_index"],
    ]);
    for (const { description, inputSchema } of tools) {
      expect(description?.length).toBeGreaterThan(50);
      expect(inputSchema).toMatchObject({ type: "object", additionalProperties: false });
    }
  });

  it("match two files without writing, then into a new file, never over one", async () => {
    const tables = { left: "companies.csv", right: "suppliers.csv", limit: 3 };
    const { found } = await call("match_files", tables);
    expect(found).toMatchObject({ wrote: null, matches: 16, promise: { established: false } });
    expect(found.examples).toHaveLength(3);
    expect(found.examples[0]).toMatchObject({ left: { name: expect.any(String) }, why: expect.any(String) });
    expect(existsSync(join(folder, "root", "joined.csv"))).toBe(false);
    const written = await call("match_files", { ...tables, output: "joined.csv" });
    expect(written.found).toMatchObject({ wrote: "joined.csv", matches: 16, matchedRows: 16 });
    const before = readFileSync(join(folder, "root", "joined.csv"), "utf8");
    expect(before.trim().split("\n")).toHaveLength(17);
    expect((await call("match_files", { ...tables, output: "joined.csv" })).error).toContain(
      "already exists. Name a new file.",
    );
    expect(readFileSync(join(folder, "root", "joined.csv"), "utf8")).toBe(before);
  });

  it("find duplicates, with examples and counts", async () => {
    const { found } = await call("dedupe_file", { file: "customers.csv" });
    expect(found.rows).toBeGreaterThan(found.duplicates);
    expect(found.examples).toHaveLength(found.groups);
    const written = await call("dedupe_file", { file: "customers.csv", output: "clean.csv" });
    expect(written.found.kept + written.found.removed).toBe(found.rows);
    expect(existsSync(join(folder, "root", "clean.removed.csv"))).toBe(true);
    const lone = await call("dedupe_file", { file: "customers.csv", golden: "things.csv" });
    expect(lone.error).toContain(
      "golden records are written beside the rows that are kept: give output, too.",
    );
    const odd = await call("dedupe_file", {
      file: "customers.csv",
      output: "kept.csv",
      golden: "things.txt",
    });
    expect(odd.error).toMatch(/^things\.txt: rows are written as/);
    const twice = { file: "customers.csv", output: "kept.csv", golden: "./kept.csv" };
    expect((await call("dedupe_file", twice)).error).toMatch(/Two outputs are named .*kept\.csv\. Choose/);
    const files = { output: "kept.csv", golden: "things.csv" };
    const golden = await call("dedupe_file", { file: "customers.csv", ...files });
    expect(golden.found.wrote).toEqual(["kept.csv", "kept.removed.csv", "things.csv"]);
    const lines = readFileSync(join(folder, "root", "things.csv"), "utf8")
      .trim()
      .split("\n");
    expect(lines).toHaveLength(golden.found.kept + 1);
  });

  it("measure matching against known pairs, which must be given", async () => {
    const tables = { left: "companies.csv", right: "suppliers.csv" };
    const truth = "supplier-matches.csv";
    writeFileSync(join(folder, "root", truth), readFileSync(`data/${truth}`));
    const { found } = await call("evaluate_files", { ...tables, truth });
    expect(found).toMatchObject({ truth: "complete", precision: { value: 1 } });
    expect(found.recall.value).toBeGreaterThan(0.8);
    const refusal = async (further: object) =>
      (await call("evaluate_files", { ...tables, ...further })).error;
    const choose = "give what is known: either truth or truthColumn.";
    expect(await refusal({})).toContain(choose);
    expect(await refusal({ truth, truthColumn: "name" })).toContain(choose);
    expect(await refusal({ truthColumn: "name" })).toContain(
      "truthColumn is about one table: for two, give truth.",
    );
  });

  it("explain a pair, and name a row that does not exist", async () => {
    const tables = { left: "companies.csv", right: "suppliers.csv" };
    const [example] = (await call("match_files", { ...tables, limit: 1 })).found.examples;
    const { leftRow, rightRow } = example;
    const { found } = await call("explain_pair", { ...tables, leftRow, rightRow });
    expect(found).toMatchObject({ matched: true, why: example.why, left: example.left });
    expect((await call("explain_pair", { ...tables, leftRow: 1, rightRow: 999 })).error).toContain(
      "there is no row 999: the table has 18",
    );
  });

  it("compare and type phrases", async () => {
    const { found } = await call("compare_phrases", { a: ["NYTimes"], b: ["NYTimes", "Zürich"] });
    expect(found.similarity[0][0]).toBeCloseTo(1, 5);
    expect(found.similarity[0][1]).toBeLessThan(0.5);
    const typed = await call("type_phrases", { phrases: ["Paris"] });
    expect(typed.found.results[0].types[0]).toMatchObject({ class: "NP", type: "GPE" });
  });

  it("search an index", async () => {
    const build = ["index", "build", "companies.csv", "-c", "name", "-o", "companies.index"];
    execFileSync(process.execPath, [resolve("dist/cli/main.js"), ...build], {
      cwd: join(folder, "root"),
      stdio: "ignore",
    });
    const { found } = await call("search_index", { index: "companies.index", phrases: ["toyota"], limit: 2 });
    expect(found.results[0].rows).toHaveLength(2);
    expect(found.results[0].rows[0].cells.name).toContain("Toyota");
    const filtered = { index: "companies.index", phrases: ["toyota"], where: "city != 'Toyota'", limit: 50 };
    const { rows } = (await call("search_index", filtered)).found.results[0];
    expect(rows.length).toBeGreaterThan(20);
    expect(JSON.stringify(rows)).not.toContain("Toyota");
  });

  it("read and write nothing outside the root folder", async () => {
    for (const file of ["../secret.csv", join(folder, "secret.csv"), "link.csv", "missing.csv"])
      expect((await call("dedupe_file", { file })).error).toContain("there is no such file in");
    const outside = await call("dedupe_file", { file: "customers.csv", output: "../out.csv" });
    expect(outside.error).toContain("there is no such file in");
    expect(existsSync(join(folder, "out.csv"))).toBe(false);
  });
});
