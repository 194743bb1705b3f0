/** A mining run that is killed goes on to the list of one that was not; Ctrl-C says how. */
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { writeCorpus } from "../../src/corpus/index.js";
import { createRandom } from "../../src/random.js";
import { type Outcome, pearl } from "../cli/run-cli.js";

let path: string;
let partial: string;
let expected: string;

/** Made-up names, many of which differ in a few letters. */
function manyNames(count: number): string[] {
  const random = createRandom(11);
  const parts = ["mar", "tin", "ber", "lo", "ka", "ster", "dam", "ville", "ro", "sen", "burg", "al"];
  const part = (): string => parts[Math.floor(random() * parts.length)];
  const names = new Set<string>();
  while (names.size < count)
    names.add(`${part()}${part()}${part()} ${part()}${part()}${random() < 0.5 ? part() : ""}`);
  return [...names];
}

beforeAll(async () => {
  path = await mkdtemp(join(tmpdir(), "pearl-mining-kill-"));
  partial = join(path, "hard-negatives.tsv.partial");
  await writeCorpus(path, {
    phrases: manyNames(9000).map((phrase) => ({ phrase, lexicalClass: "NP" as const, count: 2 })),
  });
  const undisturbed = await pearl(["mine", path]);
  expect(undisturbed.code).toBe(0);
  expected = await readFile(join(path, "hard-negatives.tsv"), "utf8");
  expect(expected.split("\n").length).toBeGreaterThan(1000);
});
afterAll(() => rm(path, { recursive: true, force: true }));

/** Mines in one thread, and sends the signal when the first shard is finished. */
function mineUntilShard(signal: NodeJS.Signals): Promise<Outcome> {
  return pearl(["mine", path, "--threads", "1"], {
    onStart: (child) => {
      const timer = setInterval(async () => {
        const names = await readdir(partial).catch(() => [] as string[]);
        if (!names.some((name) => name.endsWith(".shard"))) return;
        clearInterval(timer);
        child.kill(signal);
      }, 5);
      child.on("exit", () => clearInterval(timer));
    },
  });
}

it("goes on after a kill, to the same list as a run that was not disturbed", async () => {
  expect((await mineUntilShard("SIGKILL")).signal).toBe("SIGKILL");
  expect(await readFile(join(path, "hard-negatives.tsv"), "utf8")).toBe(expected);
  await writeFile(join(partial, "000009.shard.new"), "torn");
  const resumed = await pearl(["mine", path, "--resume"]);
  expect(resumed.stderr).toMatch(/\d,\d+ phrases were done by an earlier run/);
  expect(await readFile(join(path, "hard-negatives.tsv"), "utf8")).toBe(expected);
  expect(await readdir(path)).not.toContain("hard-negatives.tsv.partial");
});

it("ends at Ctrl-C with what to type next", async () => {
  const { code, stderr } = await mineUntilShard("SIGINT");
  expect(code).toBe(130);
  expect(stderr).toMatch(/mining was stopped: [\d,]+ of 9,000 phrases are mined; go on with --resume/);
});
