import { describe, expect, it } from "vitest";
import { explainMiss } from "../../src/benchmark/explain-miss.js";

describe("the explanation of a miss", () => {
  const miss = { dataset: "", query: "New York Times", chosen: "York City", expected: "NY Times" };

  it("names the words that only the choice or only the answer shares with the query", () => {
    expect(explainMiss({ ...miss, chosenScore: 0.6, expectedScore: 0.5 })).toContain(
      "only the choice shares “york” with the query; only the answer shares “times”",
    );
  });

  it("reports an answer that is not among the candidates", () => {
    expect(explainMiss({ ...miss, chosenScore: 1, expectedScore: null })).toContain(
      "not among the candidates",
    );
  });
});
