/** A mining run that is killed leaves no list behind, and the next run succeeds. */
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { writeCorpus } from "../../../src/corpus/corpus-folder.js";
import { createRandom } from "../../../src/random.js";
import { type Outcome, pearl } from "../../cli/run-cli.js";

let path: string;
let expected: string;
/** Milliseconds that an undisturbed run takes in one thread. */
let undisturbed: number;

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
  await writeCorpus(path, {
    phrases: manyNames(12_000).map((phrase) => ({ phrase, lexicalClass: "NP" as const, count: 2 })),
  });
  const start = performance.now();
  expect((await pearl(["mine", path, "--threads", "1"])).code).toBe(0);
  undisturbed = performance.now() - start;
  expected = await readFile(join(path, "hard-negatives.tsv"), "utf8");
  expect(expected.split("\n").length).toBeGreaterThan(1000);
});
afterAll(() => rm(path, { recursive: true, force: true }));

/** Mines in one thread, and sends the signal halfway. */
const killed = (signal: NodeJS.Signals): Promise<Outcome> =>
  pearl(["mine", path, "--threads", "1"], {
    onStart: (child) => {
      const timer = setTimeout(() => child.kill(signal), undisturbed / 2);
      child.on("exit", () => clearTimeout(timer));
    },
  });

it("leaves nothing under the final name when killed, and a new run succeeds", async () => {
  await rm(join(path, "hard-negatives.tsv"));
  expect((await killed("SIGKILL")).signal).toBe("SIGKILL");
  expect(await readdir(path)).not.toContain("hard-negatives.tsv");
  const again = await pearl(["mine", path]);
  expect(again.code).toBe(0);
  expect(await readFile(join(path, "hard-negatives.tsv"), "utf8")).toBe(expected);
});

it("ends at Ctrl-C with code 130, says so, and leaves the earlier list as it was", async () => {
  const { code, stderr } = await killed("SIGINT");
  expect(code).toBe(130);
  // the second where the signal comes before the first phrase is mined
  expect(stderr).toMatch(/mining was stopped: .*; nothing was written|interrupted by SIGINT/);
  expect(await readFile(join(path, "hard-negatives.tsv"), "utf8")).toBe(expected);
});
