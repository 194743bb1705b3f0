/** String retrieval from words to score, after a minute of training on words that are not in the task. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it } from "vitest";
import { readLines } from "../../src/benchmark/data-folder.js";
import { runBenchmark } from "../../src/benchmark/runner.js";
import { drawRetrieval } from "../../src/benchmark/tasks/strings.js";
import { pretrainCharacters } from "../../src/methods/characters/pretrain-characters.js";

const data = fileURLToPath(new URL("../../../shared/data/", import.meta.url));
const list = join(data, "words/words.txt.gz");
if (!existsSync(list)) console.warn("string retrieval: skipped, ../shared/data/words is not there");
const folder = mkdtempSync(join(tmpdir(), "pearl-strings-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it.skipIf(!existsSync(list))(
  "n-grams pretrained on other words beat the published BiLSTM (0.904) and edit distance (0.877)",
  async () => {
    const listed = [...new Set((await readLines(list)).map((line) => line.trim()))].filter(
      (word) => word !== "",
    );
    const { words } = drawRetrieval(listed, 0);
    const drawn = new Set(words);
    const training = join(folder, "words.txt");
    writeFileSync(training, `${listed.filter((word) => !drawn.has(word)).join("\n")}\n`);
    const output = join(folder, "spelling");
    await pretrainCharacters({ output, words: training, kind: "ngrams", width: 64, epochs: 0.12, seed: 1 });
    const [report] = await runBenchmark({
      ...{ tasks: ["strings"], models: [output], dataFolder: join(data, "bench") },
    });
    const [once, twice] = report.results.map(({ score }) => score);
    expect(once).toBeGreaterThan(0.92);
    expect(twice).toBeGreaterThan(0.6);
  },
  600_000,
);
