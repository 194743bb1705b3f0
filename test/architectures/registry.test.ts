/** What the registry derives from its rows. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { readModelFolder } from "../../src/architectures/model-folder.js";
import {
  conversions,
  filesOf,
  newPart,
  readPart,
  registerArchitecture,
  spellingEncoder,
} from "../../src/architectures/registry.js";
import { ArgumentError } from "../../src/errors.js";
import { createModel } from "../../src/methods/start-model.js";

const root = mkdtempSync(join(tmpdir(), "pearl-registry-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe("the registry", () => {
  it("names every file that an architecture reads once, though character encoders share one", () => {
    expect(filesOf().toSorted()).toEqual(["characters.json", "tokenizer.json", "words.txt"]);
  });

  it("distinguishes n-grams of phrases, a part, from n-grams of words, which learn spelling", async () => {
    const part = await newPart({ from: "ngrams", width: 8, buckets: 64 }, [["red wine", 1]]);
    expect(part?.features.map(({ kind }) => kind)).toEqual(["hashed-ngrams"]);
    const { units } = await spellingEncoder("ngrams");
    expect(units.units).toBe("ngrams");
  });

  it("gives LOVE where no encoder is named, and lists the encoders where an unknown one is", async () => {
    expect((await spellingEncoder()).name).toBe("love");
    expect(() => spellingEncoder("runes")).toThrow(ArgumentError);
    expect(() => spellingEncoder("runes")).toThrow(/"runes": use love, bilstm, bag, ngrams/);
  });

  it.each(["kind: 'x', open() {}", "kind: 'x', open() {}, inputs: () => []", "files: [], open() {}"])(
    "refuses an architecture of %s",
    async (entries) => {
      const module = `data:text/javascript,export default { ${entries} }`;
      await expect(registerArchitecture(module)).rejects.toThrow(/with kind, files, inputs\(\) and open\(\)/);
    },
  );

  it("converts a family by one architecture only", () => {
    const families = conversions().flatMap((own) => own.families);
    expect(new Set(families).size).toBe(families.length);
  });

  it.each(["love", "bilstm", "bag"])("reads a folder of %s as the part that it was", async (from) => {
    const folder = join(root, from);
    await createModel(folder, { from, width: 4 }, { phrases: ["red wine", "white wine"] });
    const part = await readPart(await readModelFolder(folder), {});
    expect(part.section).toEqual({ character_encoder: { kind: from, width: 300, outputs: 4 } });
    const path = join(folder, "config.json");
    writeFileSync(path, readFileSync(path, "utf8").replace(`"kind": "${from}"`, '"kind": "runes"'));
    await expect(readPart(await readModelFolder(folder), {})).rejects.toThrow(
      "no character encoder that pearl knows",
    );
  });
});
