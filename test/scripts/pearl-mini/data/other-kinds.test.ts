import { describe, expect, it } from "vitest";
import { FINE_TYPES } from "../../../../src/corpus/typing/fine-types.js";

const script = new URL("../../../../scripts/pearl-mini/data/other-kinds.mjs", import.meta.url).href;
const { fineType } = (await import(script)) as { fineType: (source: string) => string };

describe("the kind of OTHER of a source", () => {
  it.each([
    ["obo:disease", "OTHER/disease"],
    ["ncbi-disease:Disease", "OTHER/disease"],
    ["craft:CHEBI", "OTHER/chemical"],
    ["bionlp13cg:Organism", "OTHER/organism"],
    ["corpora:animals/dogs", "OTHER/organism"],
    // body fluids are neither organisms nor organs
    ["bionlp13cg:Organism_substance", "OTHER"],
    ["freebase:award.award", "OTHER"],
  ])("of %s is %s", (source, type) => {
    expect(fineType(source)).toBe(type);
    expect(FINE_TYPES).toContain(type);
  });
});
