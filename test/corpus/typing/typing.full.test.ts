/** The slow tests beside typing.test.ts. */
import { describe, expect, it } from "vitest";
import { createPhraseTyper, readGazetteer } from "../../../src/corpus/typing/phrase-typer.js";

describe("the gazetteer", () => {
  it("knows WordNet's persons, places and peoples, and that common nouns name nothing", async () => {
    const { types, firstNames } = await readGazetteer();
    const looked = ["Einstein", "Danube", "France", "Vienna", "Yiddish", "harbour", "January"];
    expect(looked.map((lemma) => types.get(lemma))).toEqual([
      "PERSON",
      "LOC",
      "GPE",
      "GPE",
      "LANGUAGE",
      "OTHER",
      "DATE",
    ]);
    // in the tagged text it is mostly the government, but it is still a country
    expect(types.get("U.S.")).toBe("GPE");
    expect(types.get("NATO")).toBe("ORG");
    expect(firstNames.has("Albert")).toBe(true);
    expect(firstNames.has("Black")).toBe(false);
  });
});

describe("a typer", () => {
  it("returns the type of a phrase and its source", async () => {
    const typer = await createPhraseTyper();
    expect(typer("in 1999", "PP")).toEqual({ type: "DATE", source: "pattern" });
    expect(typer("the Danube", "NP")).toEqual({ type: "LOC", source: "gazetteer" });
    expect(typer("Albert Zweig", "NP")).toEqual({ type: "PERSON", source: "shape" });
    expect(typer("signed the contract", "VP")).toEqual({ type: "OTHER", source: "plain" });
    expect(typer("the old harbour wall", "NP")).toEqual({ type: "OTHER", source: "plain" });
    expect(typer("Qwertz Uiop", "NP")).toBeUndefined();
  });
});
