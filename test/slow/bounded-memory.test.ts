/** Commands with `--memory` keep within the least memory that they ask for, and write what they write without a limit. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { learnWeights } from "../../src/match/weights/learn.js";
import { SortedRows } from "../../src/match/weights/left-rows.js";
import { createRandom } from "../../src/random.js";
import { pearl } from "../cli/run-cli.js";
import { type Table, tableWithDuplicates, twoTables } from "../match/people.js";

const folder = mkdtempSync(join(tmpdir(), "pearl-bounded-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function save(file: string, table: Table): void {
  const names = Object.keys(table);
  const lines = table.name.map((_, row) => names.map((name) => table[name][row]).join());
  writeFileSync(join(folder, file), `${[names.join(), ...lines].join("\n")}\n`);
}
save("people.csv", tableWithDuplicates(4000).table);
const { left, right } = twoTables(3000, 3000);
save("left.csv", left);
save("right.csv", right);

/** Prints the greatest memory of the process with all its threads, in kilobytes, when it ends. */
const measuring = 'process.on("exit", () => console.error("peak", process.resourceUsage().maxRSS))';
const environment = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(measuring)}` };
const run = (words: readonly string[], output: string, ...more: string[]) =>
  pearl([...words, "-m", "pearl-strings", "-o", `${output}.csv`, ...more], { cwd: folder, environment });

const commands = [
  { words: ["dedupe", "people.csv"], endings: ["csv", "removed.csv"] },
  { words: ["dedupe", "people.csv", "-c", "name", "--threshold", "0.8"], endings: ["csv", "removed.csv"] },
  { words: ["join", "left.csv", "right.csv"], endings: ["csv"] },
  { words: ["join", "left.csv", "right.csv", "--on", "name"], endings: ["csv"] },
  { words: ["cluster", "people.csv", "-c", "name"], endings: ["csv"] },
  { words: ["link", "people.csv"], endings: ["csv"], hasStore: true },
];

it.each(commands)(
  "$words stays within the memory that it asks for, with the result of more",
  async ({ words, endings, hasStore }) => {
    const store = (name: string): string[] => (hasStore ? ["--store", `${name}.pearl`] : []);
    const { stderr: refused, code } = await run(words, "none", "--memory", "1m", ...store("none"));
    expect(code).toBe(1);
    const [, asked] = /Raise it: --memory (\d+)m/.exec(refused) ?? [];
    const spill = join(folder, "spill");
    mkdirSync(spill, { recursive: true });
    const limits = ["--memory", `${asked}m`, "--temp", spill];
    const bounded = await run(words, "bounded", ...limits, ...store("bounded"));
    expect(bounded.code, bounded.stderr).toBe(0);
    const [, peak] = /peak (\d+)/.exec(bounded.stderr) ?? [];
    console.info(`${words.join(" ")}: ${Math.round(Number(peak) / 1024)} MB of ${asked} MB`);
    expect(Number(peak) / 1024).toBeLessThan(Number(asked));
    expect(bounded.stderr).toMatch(/memory: at least \d+ of \d+ MB; .*temporary pairs/);
    expect(readdirSync(spill)).toEqual([]);
    expect((await run(words, "whole", ...store("whole"))).code).toBe(0);
    for (const ending of endings)
      expect(readFileSync(join(folder, `bounded.${ending}`))).toEqual(
        readFileSync(join(folder, `whole.${ending}`)),
      );
    for (const name of readdirSync(folder)) if (/pearl$/.test(name)) rmSync(join(folder, name));
  },
);

it("shards after a first pass and their merge stay within it too, with the result of one run", async () => {
  const words = ["dedupe", "people.csv", "-m", "pearl-strings"];
  const asks = async (...command: readonly string[]): Promise<void> => {
    const limited = (memory: string) =>
      pearl([...command, "--memory", memory, "--temp", folder], { cwd: folder, environment });
    const [, asked] = /Raise it: --memory (\d+)m/.exec((await limited("1m")).stderr) ?? [];
    const { code, stderr } = await limited(`${asked}m`);
    expect(code, stderr).toBe(0);
    const [, peak] = /peak (\d+)/.exec(stderr) ?? [];
    console.info(`${command.join(" ")}: ${Math.round(Number(peak) / 1024)} MB of ${asked} MB`);
    expect(Number(peak) / 1024).toBeLessThan(Number(asked));
  };
  await asks(...words, "--learn", "learned.part");
  const parts = [1, 2].map((shard) => `${shard}.part`);
  for (const [place, part] of parts.entries())
    await asks(...words, "--learned", "learned.part", "--shard", `${place + 1}/2`, "-o", part);
  await asks("merge", ...parts, "-o", "merged.csv");
  await run(["dedupe", "people.csv"], "one-run");
  expect(readFileSync(join(folder, "merged.csv"))).toEqual(readFileSync(join(folder, "one-run.csv")));
});

it("weights are learned without a number for each pair", async () => {
  const [pairs, rows] = [3_000_000, 20_000];
  const random = createRandom(4);
  const numbers = (below: number) => Int32Array.from({ length: pairs }, () => Math.floor(below * random()));
  const columns = ["a", "b"].map((name, field) => ({
    name,
    field,
    from: -1,
    levels: 3,
    unit: field,
    share: 1,
    differs: 1,
    agrees: 2,
    identifies: false,
  }));
  const table = {
    ...{ isOneTable: false, rows: [rows, rows] as const, columns },
    ...{ left: SortedRows.of(numbers(rows).sort(), rows), right: numbers(rows), classOf: numbers(9) },
    levels: [Int8Array.of(0, 0, 0, 1, 1, 1, 2, 2, 2), Int8Array.of(0, 1, 2, 0, 1, 2, 0, 1, 2)],
    random: columns.map(() => new Int8Array(1000)),
  };
  const held = (): number => {
    globalThis.gc!();
    return process.memoryUsage().arrayBuffers;
  };
  for (const relation of ["one-to-one", "many-to-one", "many-to-many"] as const) {
    const before = held();
    const more: number[] = [];
    const onProgress = () => void more.push(held() - before);
    await learnWeights(table, { relation, onProgress });
    // What an earlier test held may be freed meanwhile: fewer bytes than before are no failure.
    expect(more.length).toBeGreaterThan(1);
    expect(Math.max(...more)).toBeLessThan(pairs);
  }
});
