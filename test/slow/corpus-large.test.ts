/** A corpus from large text: one line of 200 MB, kill -9 and a new run, any number of threads. */
import { createWriteStream, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { readTexts } from "../../src/corpus/text/text-sources.js";
import { createRandom } from "../../src/random.js";
import { pearl } from "../cli/run-cli.js";

const folder = mkdtempSync(join(tmpdir(), "pearl-corpus-large-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Sentences with seeded names, without a line break. */
async function writeLine(name: string, bytes: number): Promise<string> {
  const path = join(folder, name);
  const random = createRandom(7);
  const pick = (words: string): string => {
    const list = words.split(" ");
    return list[Math.floor(random() * list.length)];
  };
  const stream = createWriteStream(path);
  for (let written = 0; written < bytes; ) {
    let part = "";
    for (let count = 0; count < 2000; count++)
      part += `The ${pick("old new red tall grim")} ${pick("tower house river garden bridge")} of ${pick("Trieste Vienna Graz Linz")} was ${pick("sold rebuilt closed seen")} by ${pick("Anna Otto Carl Maria")} ${pick("Smith Huber Maier")} in ${1900 + Math.floor(random() * 120)}. `;
    written += part.length;
    if (!stream.write(part)) await new Promise<void>((resolve) => stream.once("drain", () => resolve()));
  }
  await new Promise<void>((resolve) => stream.end(resolve));
  return path;
}

describe("a large text", () => {
  it("of one line of 200 MB is read piece by piece in bounded memory", async () => {
    const path = await writeLine("line.txt", 200_000_000);
    const before = process.memoryUsage.rss();
    let characters = 0;
    let longest = 0;
    let most = 0;
    for await (const piece of readTexts(path)) {
      characters += piece.length;
      longest = Math.max(longest, piece.length);
      most = Math.max(most, process.memoryUsage.rss() - before);
    }
    expect(characters).toBeGreaterThan(199_900_000);
    expect(longest).toBeLessThanOrEqual(65_536);
    expect(most).toBeLessThan(400_000_000);
    rmSync(path);
  });

  it("gives the same corpus with one thread, and with two after a kill", async () => {
    await writeLine("text.txt", 9_000_000);
    const build = (output: string, ...more: string[]) =>
      pearl(["corpus", "build", "text.txt", "-o", output, ...more], { cwd: folder });
    expect((await build("one", "--threads", "1")).code).toBe(0);
    const killed = pearl(["corpus", "build", "text.txt", "-o", "again", "--threads", "1"], {
      cwd: folder,
      onStart: (child) => {
        const isCounted = (name: string): boolean =>
          name.startsWith("again.") && readdirSync(join(folder, name)).some((run) => run.endsWith(".tsv"));
        const watch = setInterval(() => {
          if (!readdirSync(folder).some(isCounted)) return;
          clearInterval(watch);
          child.kill("SIGKILL");
        }, 50);
      },
    });
    expect((await killed).signal).toBe("SIGKILL");
    expect(readdirSync(folder)).not.toContain("again");
    expect((await build("again", "--threads", "2")).code).toBe(0);
    for (const name of ["phrases.tsv", "synonyms.tsv", "corpus.json"]) {
      const bytes = readFileSync(join(folder, "one", name));
      expect(readFileSync(join(folder, "again", name)).equals(bytes)).toBe(true);
    }
  });
});
