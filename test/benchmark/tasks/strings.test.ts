import { describe, expect, it } from "vitest";
import { levenshteinBaseline } from "../../../src/benchmark/models.js";
import { strings, withNoise } from "../../../src/benchmark/tasks/strings.js";
import { createRandom } from "../../../src/random.js";
import { run } from "./run-task.js";

describe("strings", () => {
  it("reports one and two edits separately, the same for the same seed", async () => {
    const first = await run(strings, levenshteinBaseline());
    const second = await run(strings, levenshteinBaseline());
    expect(first.scores.map(({ metric, n }) => [metric, n])).toEqual([
      ["precision@1, 1 edit", 5],
      ["precision@1, 2 edits", 5],
    ]);
    expect(first.scores[0].score).toBe(1);
    expect(second.scores.map(({ score }) => score)).toEqual(first.scores.map(({ score }) => score));
  });

  it("makes queries of the given number of edits, never the word itself", () => {
    const random = createRandom(4);
    const kinds = new Set<number>();
    for (let index = 0; index < 500; index++) {
      const noisy = withNoise("retrieval", 1, random);
      kinds.add(noisy.length);
      expect(noisy).not.toBe("retrieval");
      expect(isOneEdit("retrieval", noisy)).toBe(true);
    }
    expect([...kinds].sort()).toEqual([10, 8, 9]);
    expect(withNoise("a", 2, random)).not.toBe("a");
  });
});

/** True for one deletion, insertion or swap of neighbours, tried out one by one. */
function isOneEdit(word: string, noisy: string): boolean {
  const letters = "abcdefghijklmnopqrstuvwxyz";
  for (let at = 0; at <= word.length; at++) {
    const [before, after] = [word.slice(0, at), word.slice(at)];
    if (before + after.slice(1) === noisy) return true;
    if (before + (after[1] ?? "") + after[0] + after.slice(2) === noisy) return true;
    for (const letter of letters) if (before + letter + after === noisy) return true;
  }
  return false;
}
