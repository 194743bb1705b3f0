/** Published weights, in the layouts of several versions of sentence-transformers, against its own vectors. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PhraseEncoder } from "../../src/encoder/phrase-encoder.js";
import { importModel } from "../../src/hub/convert/import-model.js";

const shared = join(import.meta.dirname, "../../../shared");
const weights = join(shared, "models/all-MiniLM-L6-v2");
const oracle = join(shared, "oracle/minilm.json");

const newer = {
  "1_Pooling/config.json": { embedding_dimension: 384, pooling_mode: "mean", include_prompt: true },
  "modules.json": [
    { idx: 0, name: "0", path: "", type: "sentence_transformers.base.modules.transformer.Transformer" },
    {
      idx: 1,
      name: "1",
      path: "1_Pooling",
      type: "sentence_transformers.sentence_transformer.modules.pooling.Pooling",
    },
    {
      idx: 2,
      name: "2",
      path: "2_Normalize",
      type: "sentence_transformers.base.modules.normalize.Normalize",
    },
  ],
};

/** The folder of the weights, with some files in another form. */
function folderWith(files: Readonly<Record<string, unknown>>): string {
  const folder = mkdtempSync(join(tmpdir(), "pearl-minilm-"));
  mkdirSync(join(folder, "1_Pooling"));
  for (const name of [...readdirSync(weights), "1_Pooling/config.json"])
    if (name !== "1_Pooling" && !(name in files)) symlinkSync(join(weights, name), join(folder, name));
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(folder, name), JSON.stringify(content));
  return folder;
}

describe("all-MiniLM-L6-v2", () => {
  it.each([
    ["as published", {}],
    ["as sentence-transformers 6 saves it", newer],
  ])("gives the vectors of sentence-transformers, %s", async (_, files) => {
    if (!existsSync(weights) || !existsSync(oracle))
      return console.info("skipped: ../shared/models or ../shared/oracle is not on this machine");
    const target = join(mkdtempSync(join(tmpdir(), "pearl-minilm-")), "model");
    await importModel(folderWith(files), target);
    const encoder = await PhraseEncoder.load(target, { threads: 1 });
    const { phrases, vectors } = JSON.parse(readFileSync(oracle, "utf8"));
    const found = await encoder.encode(phrases);
    await encoder.dispose();
    const differences = found.map((vector, row) =>
      Math.max(...vector.map((value, at) => Math.abs(value - vectors[row][at]))),
    );
    expect(differences).toHaveLength(20);
    expect(Math.max(...differences)).toBeLessThan(1e-5);
  });
});
