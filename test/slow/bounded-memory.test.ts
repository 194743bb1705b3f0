/** `pearl dedupe --memory` keeps within the least memory that it asks for, and writes what it writes without a limit. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { pearl } from "../cli/run-cli.js";
import { tableWithDuplicates } from "../match/people.js";

const folder = mkdtempSync(join(tmpdir(), "pearl-bounded-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const { table } = tableWithDuplicates(4000);
const names = Object.keys(table);
const lines = table.name.map((_, row) => names.map((name) => table[name][row]).join());
writeFileSync(join(folder, "people.csv"), `${[names.join(), ...lines].join("\n")}\n`);

/** Prints the greatest memory of the process with all its threads, in kilobytes, when it ends. */
const measuring = 'process.on("exit", () => console.error("peak", process.resourceUsage().maxRSS))';
const dedupe = (output: string, ...more: string[]) =>
  pearl(["dedupe", "people.csv", "-m", "pearl-strings", "-o", output, ...more], {
    cwd: folder,
    environment: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(measuring)}` },
  });

it("dedupes in the memory that it asks for, with the result of more", async () => {
  const { stderr: refused, code } = await dedupe("none.csv", "--memory", "1m");
  expect(code).toBe(1);
  const [, asked] = /Raise it: --memory (\d+)m/.exec(refused) ?? [];
  const spill = join(folder, "spill");
  mkdirSync(spill);
  const bounded = await dedupe("bounded.csv", "--memory", `${asked}m`, "--temp", spill);
  expect(bounded.code, bounded.stderr).toBe(0);
  const [, peak] = /peak (\d+)/.exec(bounded.stderr) ?? [];
  console.info(`${Math.round(Number(peak) / 1024)} MB of ${asked} MB`);
  expect(Number(peak) / 1024).toBeLessThan(Number(asked));
  expect(bounded.stderr).toMatch(/up to \d+ MB of temporary pairs in/);
  expect(readdirSync(spill)).toEqual([]);
  expect((await dedupe("whole.csv")).code).toBe(0);
  for (const ending of ["csv", "removed.csv"])
    expect(readFileSync(join(folder, `bounded.${ending}`))).toEqual(
      readFileSync(join(folder, `whole.${ending}`)),
    );
});
