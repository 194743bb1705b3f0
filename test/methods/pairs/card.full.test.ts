/** The card of a fine-tuned model says how it is loaded. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readModelFolder } from "../../../src/architectures/model-folder.js";
import { fineTuningCard, finetune } from "../../../src/methods/pairs/finetune.js";
import { createModel } from "../../../src/methods/start-model.js";
import { makeOracleModel } from "../../encoder/oracle-model.js";
import { newFolder } from "../../setup/new-folder.js";
import { somePairs, writeTable } from "../../training/pairs-folder.js";

async function cardFrom(base: string, output = join(newFolder(), "tuned")): Promise<string> {
  const pairs = writeTable(
    somePairs(20).map((row) => row.slice(0, 2)),
    ["text", "positive"],
  );
  await finetune({ base, pairs, output, steps: 1 });
  return readFileSync(join(output, "README.md"), "utf8");
}

it("of a transformer names transformers.js", async () => {
  const card = await cardFrom(makeOracleModel("encoder.folded.onnx"));
  expect(card).toMatch(/library_name: transformers\.js.*pipeline\("feature-extraction", "tuned"/s);
});

it("of other models, such as pearl-mini, which transformers.js cannot read, names pearl alone", async () => {
  const base = join(newFolder(), "bag");
  await createModel(base, { from: "bag", width: 8 }, { phrases: somePairs(20).map(([text]) => text) });
  const output = join(newFolder(), "tuned");
  const card = await cardFrom(base, output);
  expect(card).toMatch(/library_name: pearl\n.*`await PhraseEncoder\.load\("\.\/tuned"\)`/s);
  expect(card).not.toContain("transformers.js");
  const record = JSON.parse(readFileSync(join(output, "training.json"), "utf8"));
  const mini = fineTuningCard("tuned", record, await readModelFolder("models/pearl-mini"));
  expect(mini).toMatch(/library_name: pearl\n(?!.*transformers\.js)/s);
});
