/** The programs of examples/shards run as they are; Slurm and Kubernetes are played by their environment variables. */
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { createRandom } from "../../../src/random.js";
import { entry, run as runProgram } from "../../cli/run-cli.js";
import { folderWith, peopleTables, run } from "./whole-and-shards.js";

const examples = resolve("examples/shards");
const tables = peopleTables(200, createRandom(12));
const bin = folderWith({ pearl: `#!/bin/sh\nexec "${process.execPath}" "${entry}" "$@"\n` });
chmodSync(join(bin, "pearl"), 0o755);

async function shell(cwd: string, script: string, environment: Record<string, string> = {}): Promise<string> {
  const path = `${bin}${delimiter}${process.env.PATH}`;
  const { code, stdout, stderr } = await runProgram("bash", ["-c", script], {
    cwd,
    environment: { ...environment, PATH: path },
  });
  expect(code, stderr).toBe(0);
  return stdout;
}

const same = (cwd: string, ...names: readonly string[]): void => {
  const [first, second] = names.map((name) => readFileSync(join(cwd, name), "utf8"));
  expect(second).toBe(first);
};

const parallel = "/usr/bin/parallel";
if (!existsSync(parallel)) console.log(`skipped: no ${parallel} (apt-get install parallel)`);

it.skipIf(!existsSync(parallel))("GNU parallel encodes, and only the missing shards once more", async () => {
  const cwd = folderWith({ "my people.csv": tables["left.csv"].replace("name", "full name") });
  const command = `sh ${examples}/parallel.sh "my people.csv" "all people.jsonl" 3 -c "full name"`;
  await shell(cwd, command);
  await run(cwd, "encode", "my people.csv", "-c", "full name", "-o", "whole.jsonl");
  same(cwd, "whole.jsonl", "all people.jsonl");
  rmSync(join(cwd, "all people.jsonl"));
  rmSync(join(cwd, "all people.jsonl.parts/2.part"));
  expect((await shell(cwd, command)).match(/\.part:/g)).toHaveLength(1);
  same(cwd, "whole.jsonl", "all people.jsonl");
});

it("a Slurm array joins", async () => {
  const cwd = folderWith(tables);
  const text = readFileSync(join(examples, "slurm.sh"), "utf8");
  const [, last] = /^#SBATCH --array=1-(\d+)$/m.exec(text)!;
  const [, merge] = /--wrap '(pearl merge .*)'/.exec(text)!;
  expect(Number(last)).toBeGreaterThan(1);
  // Slurm opens the log before the task makes its folder
  expect(text).toMatch(/^#SBATCH --output=[^/]+$/m);
  // as many tasks as a test has time for
  for (const task of ["1", "2", "3"])
    await shell(cwd, `bash ${examples}/slurm.sh left.csv right.csv`, {
      ...{ SLURM_ARRAY_TASK_ID: task, SLURM_ARRAY_TASK_COUNT: "3", SLURM_CPUS_PER_TASK: "1" },
    });
  await shell(cwd, merge);
  await run(cwd, "join", "left.csv", "right.csv", "-o", "whole.csv");
  same(cwd, "whole.csv", "joined.csv");
});

it("the pods of a Kubernetes Job remove duplicates", async () => {
  const cwd = folderWith({ "customers.csv": tables["left.csv"] });
  const text = readFileSync(join(examples, "kubernetes.yaml"), "utf8");
  const { completions, template } = parse(text).spec;
  const [{ command, args }] = template.spec.containers;
  expect(command).toEqual(["sh", "-c"]);
  const script = args[0].replaceAll("/opt/pearl/node_modules/.bin/pearl", "pearl");
  for (let index = 0; index < completions; index++)
    await shell(cwd, script, { JOB_COMPLETION_INDEX: String(index) });
  const [, merge] = /: (pearl merge .*)$/m.exec(text)!;
  await shell(cwd, merge);
  await run(cwd, "dedupe", "customers.csv", "-o", "whole.csv");
  same(cwd, "whole.csv", "customers.deduped.csv");
});

it("a pipe encodes each partition of an engine, and nothing of an empty one", async () => {
  const lines = Array.from({ length: 50 }, (_, row) => JSON.stringify({ id: row, name: `Zürich ${row}` }));
  const partitions = [lines.slice(0, 20), [], lines.slice(20, 21), lines.slice(21)];
  const cwd = folderWith({});
  mkdirSync(join(cwd, "in"));
  const encoded: { id: number; name: string; embedding: number[] }[] = [];
  for (const partition of partitions) {
    writeFileSync(join(cwd, "in/lines"), partition.map((line) => `${line}\n`).join(""));
    const output = await shell(cwd, `bash ${examples}/pipe.sh -c name <in/lines`);
    expect(output.split("\n")).toHaveLength(partition.length + 1);
    encoded.push(
      ...output
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line)),
    );
  }
  expect(encoded.map(({ id, name }) => JSON.stringify({ id, name }))).toEqual(lines);
  expect(new Set(encoded.map(({ embedding }) => embedding.length))).toEqual(new Set([600]));
});

it("the program for Spark is Python", () => {
  execFileSync("python3", [
    "-c",
    "import ast, sys; ast.parse(open(sys.argv[1]).read())",
    join(examples, "spark.py"),
  ]);
});
