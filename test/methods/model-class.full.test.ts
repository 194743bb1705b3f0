/** The class that config.json names. */
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createModel, registerArchitecture } from "../../src/index.js";

/** A phrase as its length. */
const source = `export default {
  kind: "phrase-length",
  files: [],
  inputs: () => ["length"],
  open: () => ({ read() {}, fill() {} }),
  parts: {
    "phrase-length": () => ({
      features: [{ kind: "phrase-length" }],
      width: 1,
      build: ({ g }) => g.add("Identity", [g.input("length", "float32", ["batch", 1])]),
    }),
  },
};`;

it("names a model's class in config.json after its architecture, a registered one too", async () => {
  await registerArchitecture(`data:text/javascript,${encodeURIComponent(source)}`);
  const expected = {
    ...{ "phrase-length": "PhraseLength" },
    ...{ love: "PearlCharacters", ngrams: "PearlCharacters" },
  };
  for (const [from, name] of Object.entries(expected)) {
    const folder = join(mkdtempSync(join(tmpdir(), "pearl-class-")), from);
    await createModel(folder, { from }, { phrases: ["one", "two words"] });
    const config = JSON.parse(readFileSync(join(folder, "config.json"), "utf8"));
    expect(config.architectures).toEqual([name]);
  }
});
