/** Cards as the hub's repositories write them. */
import { describe, expect, it } from "vitest";
import { parseModelCard } from "../../src/hub/model-card.js";

describe("a model card", () => {
  it("gives licence, base model and every score with task, dataset and metric", () => {
    const card = parseModelCard(`---
tags:
- mteb
- sentence-similarity
model-index:
- name: e5-like
  results:
  - task:
      type: Classification
    dataset:
      type: mteb/amazon_counterfactual
      name: MTEB AmazonCounterfactual (en)
      config: en
    metrics:
    - type: accuracy
      value: 77.59701492537313
    - type: ap
      value: 41.67
  - task: {type: STS}
    dataset:
      name: "BIRD: bigrams"
    metrics:
      - name: Pearson
        type: pearson
        value: -0.5
language:
- en
license: apache-2.0 # as the code
base_model:
- intfloat/e5-small-v2
---
# Text
license: not this one
`);
    expect(card).toEqual({
      licence: "apache-2.0",
      baseModel: "intfloat/e5-small-v2",
      scores: [
        {
          task: "Classification",
          dataset: "MTEB AmazonCounterfactual (en)",
          metric: "accuracy",
          value: 77.59701492537313,
        },
        { task: "Classification", dataset: "MTEB AmazonCounterfactual (en)", metric: "ap", value: 41.67 },
        { task: "STS", dataset: "BIRD: bigrams", metric: "Pearson", value: -0.5 },
      ],
    });
  });

  it("prefers the name of a licence that the hub does not list", () => {
    expect(parseModelCard("---\nlicense: other\nlicense_name: acme-1\n---\n").licence).toBe("acme-1");
  });

  it.each(["", "# no metadata\n", "---\nlicense: mit\n", "---\n- a\n- b\n---\n", "---\n\t: : :\n---\n"])(
    "is empty where there is nothing to read: %j",
    (text) => expect(parseModelCard(text)).toEqual({ scores: [] }),
  );
});
