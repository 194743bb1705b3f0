/** Messages of serve, mcp, ablate, files with tabs and errors that are not pearl's: each names a cure, which is applied and works. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, describe, expect, it } from "vitest";
import { writeCorpus } from "../../../src/corpus/corpus-folder.js";
import { BatchQueue } from "../../../src/encoder/batch-queue.js";
import { entry, pearl } from "../../cli/run-cli.js";
import { companiesIndex, endServers, testServer } from "../../serve/test-server.js";
import { claimCures } from "./cases.js";

const folder = mkdtempSync(join(tmpdir(), "pearl-doors-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterAll(endServers);

const ablate =
  "pearl ablate --corpus corpus --data bench --task turney --set shape.layers=0 --set characters.from=bag " +
  "--set augmentation=none --set hardNegatives=0 -q --threads 1 --steps 1";
const bases = "--base pearl-mini --base none";
claimCures({
  "several bases and parts or a grid": {
    files: {
      "t.txt":
        "The New York Times was read in New York by the New York Times reader.\n" +
        "The old harbour of Bergen lies in the north of the old town, and the old harbour is deep.\n",
      "turney.txt": "a b | ab | a | b | c | d | e | f\nc d | cd | c | d | e | f | g | h\n",
    },
    before:
      "mkdir -p bench/turney && mv turney.txt bench/turney && pearl corpus build t.txt -o corpus --min-count 1 -q",
    wrong: `${ablate} -o ablation ${bases} --parts types --grid temperature=0.1,0.2`,
    says: "several --base are compared with each other: leave out --parts and --grid",
    cured: `${ablate} -o ablation ${bases}`,
  },
});

it("an error that is not pearl's shows its stack as the message says", async () => {
  const broken = join(folder, "broken.cjs");
  writeFileSync(broken, "process.stdout.write = () => { throw new TypeError('the output is broken'); };");
  const models = (environment: Record<string, string>) =>
    pearl(["models"], { environment: { ...environment, NODE_OPTIONS: `--require ${broken}` } });
  const says = "pearl: the output is broken (unexpected; set PEARL_DEBUG=1 for the stack)\n";
  expect(await models({})).toMatchObject({ code: 1, stderr: says });
  const { stderr } = await models({ PEARL_DEBUG: "1" });
  expect(stderr.slice(says.length)).toMatch(/^TypeError: the output is broken\n {4}at .*broken\.cjs:1/);
});

describe("a refused request to a server", () => {
  const rows = { name: "Siemens", city: "Munich" };

  it("with an index and a table works with either", async () => {
    const { post } = await testServer({ indexes: await companiesIndex() });
    const table = [{ name: "Siemens AG", city: "Munich" }];
    const refused = await post("/match", { rows, table, index: "companies" });
    expect(refused.json.error.message).toBe("give table or index, not both");
    expect(await post("/match", { rows, table })).toMatchObject({ status: 200 });
    expect(await post("/match", { rows, index: "companies" })).toMatchObject({ status: 200 });
  });

  it("with a condition and a table works with either", async () => {
    const { post } = await testServer({ indexes: await companiesIndex() });
    const [table, where] = [[{ name: "Siemens AG", city: "Munich" }], "city = 'Munich'"];
    const refused = await post("/match", { rows, table, where });
    expect(refused.json.error.message).toBe("give table or where, not both");
    expect(await post("/match", { rows, table })).toMatchObject({ status: 200 });
    expect(await post("/match", { rows, where })).toMatchObject({ status: 200 });
  });

  it("without an index works with a table", async () => {
    const { post } = await testServer();
    const refused = await post("/match", { rows });
    expect(refused.json.error.message).toBe("This server has no index: post a table.");
    const table = [{ name: "Siemens AG", city: "Munich" }];
    expect(await post("/match", { rows, table })).toMatchObject({ status: 200 });
  });

  it("whose rows lack the index's column works with a column renamed or named", async () => {
    const { post } = await testServer({ indexes: await companiesIndex() });
    const others = { supplier: "Siemens", city: "Munich" };
    const refused = await post("/match", { rows: others });
    expect(refused.json.error.message).toContain('Rename one, or name it in "on": "name=COLUMN".');
    const renamed = await post("/match", { rows });
    const named = await post("/match", { rows: others, on: ["name=supplier"] });
    for (const { status, json } of [renamed, named]) {
      expect(status).toBe(200);
      expect(json.results[0].nearest[0].cells.name).toContain("Siemens");
    }
  });

  it("that finds the queue full works a moment later", async () => {
    const queue = new BatchQueue<number, number>({
      ...{ batchItems: 1, queueItems: 1 },
      run: async (items) => {
        await new Promise((resolve) => setTimeout(resolve, 50));
        return items;
      },
    });
    const waiting = [queue.add([1])];
    await new Promise((resolve) => setTimeout(resolve, 10));
    waiting.push(queue.add([2]));
    await expect(queue.add([3])).rejects.toThrow("1 items wait already. Try again in a moment.");
    await Promise.all(waiting);
    expect(await queue.add([3])).toEqual([3]);
  });
});

describe("a refused call of an assistant", () => {
  /** Calls the tool `dedupe_file` of a server for this folder; the text of its error, or none. */
  async function dedupe(root: string, parameters: Record<string, string>): Promise<string | undefined> {
    const client = new Client({ name: "test", version: "1" });
    const args = [entry, "mcp", "--root", root];
    await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: "ignore" }));
    try {
      const { content, isError } = await client.callTool({ name: "dedupe_file", arguments: parameters });
      return isError ? (content as { text: string }[])[0].text : undefined;
    } finally {
      await client.close();
    }
  }
  const inner = join(folder, "inner");
  mkdirSync(inner);
  for (const file of [join(folder, "outer.csv"), join(inner, "inner.csv")])
    writeFileSync(file, readFileSync("data/customers.csv"));

  it("with a file outside works with a file of the folder, or with another root", async () => {
    expect(await dedupe(inner, { file: "../outer.csv" })).toContain(
      "Name a file in that folder, or start pearl mcp with another --root.",
    );
    expect(await dedupe(inner, { file: "inner.csv" })).toBeUndefined();
    expect(await dedupe(folder, { file: "outer.csv" })).toBeUndefined();
  });

  it("with an output that exists works with a new one", async () => {
    expect(await dedupe(inner, { file: "inner.csv", output: "inner.csv" })).toContain(
      "inner.csv already exists. Name a new file.",
    );
    expect(await dedupe(inner, { file: "inner.csv", output: "new.csv" })).toBeUndefined();
  });
});

it("a phrase with a tab is written to a corpus once the tab is removed", async () => {
  const corpus = join(folder, "corpus");
  mkdirSync(corpus);
  const write = (phrase: string) =>
    writeCorpus(corpus, { phrases: [{ phrase, lexicalClass: "NP", count: 1 }] });
  await expect(write("New\tYork")).rejects.toThrow("has a tab or a line break. Remove it first.");
  await write("New York");
  expect(readFileSync(join(corpus, "phrases.tsv"), "utf8")).toContain("New York\tNP");
});
