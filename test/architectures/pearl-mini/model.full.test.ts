/** A word encoder as a part beside a transformer. */
import { join } from "node:path";
import { expect, it } from "vitest";
import { assembleModel } from "../../../src/architectures/compose.js";
import { readModelFolder } from "../../../src/architectures/model-folder.js";
import { readPart } from "../../../src/architectures/registry.js";
import { PhraseEncoder } from "../../../src/encoder/phrase-encoder.js";
import { ModelError } from "../../../src/errors.js";
import { writeTrainedModel } from "../../../src/methods/start-model.js";
import { readModel } from "../../../src/onnx/io/file.js";
import { makeOracleModel } from "../../encoder/oracle-model.js";
import { newFolder } from "../../setup/new-folder.js";

const pearlMini = () => readModelFolder("models/pearl-mini");

it("gives the vectors that both parts give alone, at the lengths that were asked for", async () => {
  const base = await readModelFolder(makeOracleModel("encoder.folded.onnx"));
  const assembled = assembleModel({
    base: { folder: base, model: readModel(base.graph) },
    ...{ characters: await readPart(await pearlMini(), {}), blocks: { phrase: 8, characters: 6 } },
    ...{ types: [], seed: 1 },
  });
  const both = join(newFolder(), "both");
  await writeTrainedModel(both, { base, assembled, weights: new Map() });
  const phrases = ["New York Times", "recieve the mail", "aspirin", "!!!", "a b c d e f g h i j k l m n o p"];
  const [joined, alone, words] = await Promise.all(
    [both, base.path, "pearl-mini"].map(async (model) => {
      const encoder = await PhraseEncoder.load(model, { threads: 1 });
      const vectors = await encoder.encode(phrases);
      await encoder.dispose();
      return vectors;
    }),
  );
  expect(joined[0]).toHaveLength(alone[0].length + words[0].length);
  for (const [i, vector] of joined.entries()) {
    // a phrase of signs alone has no words: its vector is the transformer's
    const [first, second] = phrases[i] === "!!!" ? [1, 0] : [0.8, 0.6];
    const expected = [...alone[i].map((x) => first * x), ...words[i].map((x) => second * x)];
    for (const [column, value] of vector.entries()) expect(value).toBeCloseTo(expected[column], 4);
  }
});

it("has the length of its own vectors", async () => {
  await expect(readPart(await pearlMini(), { width: 96 })).rejects.toThrow(ModelError);
});
