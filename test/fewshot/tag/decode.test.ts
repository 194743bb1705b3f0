/** Nearest tags, transitions, Viterbi and F1, against hand-worked cases and all sequences one by one. */
import { describe, expect, it } from "vitest";
import {
  nearestTags,
  SHARPNESS,
  spanScores,
  transitionsOf,
  viterbi,
} from "../../../src/fewshot/tag/decode.js";
import { createRandom } from "../../../src/random.js";

const labels = ["O", "A", "B"];

describe("tags from distances", () => {
  it("are those of the nearest tokens", () => {
    expect(nearestTags([Float64Array.of(1, 0.5, 2), Float64Array.of(0, 0, 0)], labels)).toEqual(["A", "O"]);
  });

  it("count transitions from outside and inside, with one more of each", () => {
    // O→O, O→A, A→A, A→B, B→O: and the first O comes from outside
    const { outside, inside } = transitionsOf([{ tokens: [], tags: ["O", "O", "A", "A", "B", "O"] }]);
    expect(outside).toEqual({ outside: 3 / 5, inside: 2 / 5 });
    expect(inside).toEqual({ outside: 2 / 6, same: 2 / 6, other: 2 / 6 });
  });

  it("are the likeliest of all sequences", () => {
    const transitions = transitionsOf([{ tokens: [], tags: ["O", "O", "A", "A", "A", "O", "O", "O", "B"] }]);
    const { outside, inside } = transitions;
    const step = (from: string, to: string) => {
      if (from === "O") return to === "O" ? outside.outside : outside.inside / 2;
      return to === "O" ? inside.outside : to === from ? inside.same : inside.other;
    };
    const random = createRandom(5);
    for (let round = 0; round < 20; round++) {
      const distances = Array.from({ length: 4 }, () => Float64Array.from(labels, () => random() / 3));
      const sequences = Array.from({ length: 81 }, (_, n) =>
        [27, 9, 3, 1].map((power) => labels[Math.floor(n / power) % 3]),
      );
      const score = (tags: readonly string[]) =>
        tags.reduce(
          (sum, tag, i) =>
            sum + Math.log(step(tags[i - 1] ?? "O", tag)) - SHARPNESS * distances[i][labels.indexOf(tag)],
          0,
        );
      const [best] = sequences.sort((a, b) => score(b) - score(a));
      expect(viterbi(distances, labels, transitions)).toEqual(best);
    }
  });

  it("begin outside where no label is outside", () => {
    const transitions = transitionsOf([{ tokens: [], tags: ["A", "A", "B", "B"] }]);
    const near = (label: string) => Float64Array.from(["A", "B"], (own) => (own === label ? 0 : 1));
    expect(viterbi([near("B"), near("B"), near("A")], ["A", "B"], transitions)).toEqual(["B", "B", "A"]);
    expect(viterbi([], ["A", "B"], transitions)).toEqual([]);
  });

  it("score by whole spans", () => {
    const gold = [["A", "A", "O", "B"]];
    const { precision, recall, f1 } = spanScores(gold, [["A", "O", "O", "B"]]);
    expect({ precision, recall, f1 }).toEqual({ precision: 0.5, recall: 0.5, f1: 0.5 });
    expect(spanScores(gold, [["O", "O", "O", "B"]])).toEqual({ precision: 1, recall: 0.5, f1: 2 / 3 });
    expect(spanScores([["O"]], [["O"]]).f1).toBe(0);
  });
});
