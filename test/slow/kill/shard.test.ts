/** A shard that is killed leaves no part; run again, it gives the part that the merge waits for. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { createRandom } from "../../../src/random.js";
import { pearl } from "../../cli/run-cli.js";
import { folderWith, peopleTables, run } from "../shards/whole-and-shards.js";

/** Runs a command and kills it as soon as `isTime`. */
async function killed(cwd: string, words: readonly string[], isTime: () => boolean): Promise<void> {
  const { signal } = await pearl([...words, "-q"], {
    cwd,
    onStart: async (child) => {
      while (!isTime() && child.exitCode === null) await sleep(5);
      child.kill("SIGKILL");
    },
  });
  expect(signal).toBe("SIGKILL");
}

const merged = async (cwd: string, whole: string, output: string): Promise<void> => {
  await run(cwd, "merge", "1.part", "2.part", "3.part", "-o", output);
  expect(readFileSync(join(cwd, output)).equals(readFileSync(join(cwd, whole)))).toBe(true);
  const left = readdirSync(cwd).filter((name) => name.includes("partial"));
  expect(left).toEqual([]);
};

it("of encode, continued with --resume and from the start", async () => {
  const names = Array.from({ length: 40_000 }, (_, row) => `name ${row} of ${row % 977}`);
  const cwd = folderWith({ "names.txt": `${names.join("\n")}\n` });
  await run(cwd, "encode", "names.txt", "-o", "whole.parquet");
  const shard = (index: number) => ["encode", "names.txt", "--shard", `${index}/3`, "-o", `${index}.part`];
  await run(cwd, ...shard(1));
  for (const [index, more] of [
    [2, ["--resume"]],
    [3, []],
  ] as const) {
    const vectors = join(cwd, `${index}.part.partial`, "vectors");
    await killed(cwd, shard(index), () => existsSync(vectors) && readFileSync(vectors).length > 2 ** 21);
    expect(existsSync(join(cwd, `${index}.part`))).toBe(false);
    const early = await pearl(["merge", "1.part", `${index}.part`, "-o", "early.parquet"], { cwd });
    expect(early).toMatchObject({ code: 1, stderr: expect.stringMatching(/no such file/) });
    expect(existsSync(join(cwd, "early.parquet"))).toBe(false);
    await run(cwd, ...shard(index), ...more);
  }
  await merged(cwd, "whole.parquet", "merged.parquet");
});

it("of join, at five moments", async () => {
  const cwd = folderWith(peopleTables(3000, createRandom(2)));
  const tables = ["left.csv", "right.csv", "--on", "name"];
  await run(cwd, "join", ...tables, "-o", "whole.csv");
  const shard = (index: number) => ["join", ...tables, "--shard", `${index}/3`, "-o", `${index}.part`];
  const started = performance.now();
  await run(cwd, ...shard(1));
  const undisturbed = performance.now() - started;
  const part = join(cwd, "2.part");
  const found: Buffer[] = [];
  const { readdir, rm } = await import("node:fs/promises");
  for (const share of [0.2, 0.4, 0.6, 0.8, 0.95]) {
    const { code } = await pearl([...shard(2), "-q"], {
      cwd,
      onStart: (child) => void setTimeout(() => child.kill("SIGKILL"), share * undisturbed),
    });
    // a part that is there is whole, also where the kill came after it
    if (code === 0) expect(existsSync(part)).toBe(true);
    if (existsSync(part)) found.push(readFileSync(part));
    await rm(part, { force: true });
  }
  await run(cwd, ...shard(2));
  for (const bytes of found) expect(bytes.equals(readFileSync(part))).toBe(true);
  await run(cwd, ...shard(3));
  for (const name of await readdir(cwd)) if (name.endsWith(".partial")) await rm(join(cwd, name));
  await merged(cwd, "whole.csv", "merged.csv");
});
